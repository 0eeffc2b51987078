#include "core/suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace sotto {

namespace {

constexpr std::size_t kLeastPrefix = 3;
constexpr std::size_t kShort = 4;  // letters; two slips make almost any short word of another

}  // namespace

// Three rows of the usual table: the distances of all beginnings of `b` from those of `a`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({replaced, last[j] + 1, now[j - 1] + 1});
      const bool is_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swapped) now[j] = std::min(now[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

std::string_view likely_name(std::string_view typed, std::span<const std::string_view> names) {
  std::string_view best;
  std::size_t least = typed.size() <= kShort ? 2 : 3;
  std::string_view begun;
  std::size_t begins = 0;
  for (const std::string_view name : names) {
    if (const std::size_t slips = edit_distance(typed, name); slips < least && 2 * slips < typed.size()) {
      least = slips;
      best = name;
    }
    if (typed.size() >= kLeastPrefix && name.starts_with(typed)) {
      begun = name;
      ++begins;
    }
  }
  if (!best.empty()) return best;
  return begins == 1 ? begun : std::string_view();
}

std::string suggestion(std::string_view typed, std::span<const std::string_view> names) {
  const std::string_view name = likely_name(typed, names);
  return name.empty() ? std::string() : fmt::format("; did you mean {}?", name);
}

}  // namespace sotto
