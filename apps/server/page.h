#pragma once
#include <span>
#include <string_view>

#include "server/routes.h"

// The playground: the files of apps/server/page/, which CMake puts into the program. Each has a fixed route.
namespace sotto::server {

struct PageFile {
  std::string_view path;     // of its route: "/" for the page itself, "/page/NAME" for what the page loads
  std::string_view type;     // its Content-Type
  std::string_view content;  // its bytes
};

// Defined by the file that cmake/embed_page.cmake writes.
std::span<const PageFile> page_files();

// The row of a file in the table of routes. No key is asked for: the files are the same for everybody, and
// the requests of the page carry the key that its user gives.
Route page_route(const PageFile& file);

}  // namespace sotto::server
