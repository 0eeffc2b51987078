#include "server/page.h"

#include <algorithm>
#include <string>

namespace sotto::server {

namespace {

// Nothing but the program's own files is loaded, nothing inline runs, no other page may frame this one, and
// requests go to this server only. Trusted Types: the browser refuses HTML that a script makes from text.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'";

Response answer_page(Service& /*service*/, const Call& call) {
  // The route was found by this path, so the file is there.
  const PageFile& file = *std::ranges::find(page_files(), call.request.path(), &PageFile::path);
  return {.type = std::string(file.type),
          .body = std::string(file.content),
          .headers = {{"Content-Security-Policy", std::string(kPolicy)},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cross-Origin-Opener-Policy", "same-origin"},
                      {"Cross-Origin-Resource-Policy", "same-origin"}}};
}

}  // namespace

Route page_route(const PageFile& file) {
  return {.method = "GET",
          .path = file.path,
          .summary = file.path == "/" ? "The playground, a page for browsers." : "A part of the playground.",
          .answer_name = "Page",
          .is_quick = true,
          .answer_type = file.type,
          .answer = answer_page};
}

}  // namespace sotto::server
