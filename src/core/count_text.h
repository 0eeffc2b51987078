#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace sotto {

// "1,234,567"
std::string grouped(std::uint64_t value);
// "1 file", "2,345 files"
std::string counted(std::uint64_t count, std::string_view noun);
// "12%", "3.4%", "under 0.1%", "99.9%". Only a share of 0 is "0%", and only a share of 1 is "100%".
std::string percent(double share);

}  // namespace sotto
