#pragma once
#include <string>

#include "api/illustration.h"
#include "sotto/release.h"

namespace sotto::cli {

// The report of a release as a page for readers without mathematics.
std::string release_page(const api::ReleaseAnswer& answer, ReportDetail detail,
                         const api::Illustration& examples);
// By its name: FILE.html or FILE.htm. Other reports are JSON.
bool is_page(const std::string& path);

}  // namespace sotto::cli
