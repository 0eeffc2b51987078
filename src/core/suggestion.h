#pragma once
#include <span>
#include <string>
#include <string_view>

namespace sotto {

// How many letters must be added, removed, replaced or swapped with their neighbour to make one text of the
// other. Bytes count as letters.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The name that was probably meant: the nearest within two slips (fewer than half of the
// letters, and one for a text of up to four), or the only one that begins with what was typed, if that has at
// least three letters. Empty if there is none.
std::string_view likely_name(std::string_view typed, std::span<const std::string_view> names);

// "; did you mean tem?", or nothing.
std::string suggestion(std::string_view typed, std::span<const std::string_view> names);

}  // namespace sotto
