#include "attack/column_store.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace sotto {

void ColumnStore::load(std::span<const WordId> outputs, const Work& work) {
  const std::size_t needed = outputs.size() * words_ * sizeof(float);
  if (memory_.size() < needed) {
    places_.clear();
    memory_ = {};
    // As much as any batch may need; what is not used takes no memory.
    memory_ = LargeMemory(std::max(needed, std::min(most_, words_) * words_ * sizeof(float)));
  }
  std::vector<std::pair<std::size_t, WordId>> kept;  // the old place of each
  std::vector<WordId> missing;
  for (const WordId output : outputs) {
    const auto found = places_.find(static_cast<std::uint32_t>(output));
    if (found == places_.end()) {
      missing.push_back(output);
    } else {
      kept.emplace_back(found->second, output);
    }
  }
  // Columns move forwards only, the first one first: none is overwritten before it has moved.
  std::ranges::sort(kept);
  places_.clear();
  for (const auto& [old, output] : kept) {
    const std::size_t place = places_.size();
    if (place != old) std::copy_n(values() + old * words_, words_, values() + place * words_);
    places_.emplace(static_cast<std::uint32_t>(output), place);
  }
  const std::span<float> rest(values() + kept.size() * words_, missing.size() * words_);
  for (const WordId output : missing) places_.emplace(static_cast<std::uint32_t>(output), places_.size());
  if (!missing.empty()) channel_.columns(missing, rest, work);
}

}  // namespace sotto
