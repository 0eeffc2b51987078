#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

// The header of an .npy file: a Python dictionary with these three keys.
struct NpyDictionary {
  std::string descr;  // "<f4"; empty: not a plain type (fields with names)
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

// Nothing if the text is not such a dictionary. Only what NumPy writes is understood, in any order
// and with any spaces; nothing is evaluated.
std::optional<NpyDictionary> parse_npy_dictionary(std::string_view text);

}  // namespace sotto
