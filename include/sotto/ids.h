#pragma once
#include <cstddef>
#include <cstdint>

namespace sotto {

// Position of a word in its model: public frequency order, 0 the most frequent.
enum class WordId : std::uint32_t {};

constexpr std::size_t index_of(WordId id) noexcept {
  return static_cast<std::size_t>(id);
}
constexpr WordId word_id(std::size_t index) noexcept {
  return static_cast<WordId>(index);
}

}  // namespace sotto
