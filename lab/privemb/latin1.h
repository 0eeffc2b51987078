#pragma once
#include <string>
#include <string_view>

namespace sotto::lab {

// A line of a public file as UTF-8: as it is, or read as ISO-8859-1 if it is no UTF-8 (the opinion lexicon,
// the public copies of MR and TREC).
std::string utf8_of(std::string_view line);

}  // namespace sotto::lab
