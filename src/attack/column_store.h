#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "attack/channel.h"
#include "core/large_memory.h"

namespace sotto {

// Large memory that runs of attackers use one after the other, never two at a time. Fresh memory from the
// system costs about as much time as what is computed into it.
struct AttackRoom {
  LargeMemory columns = {};
  LargeMemory messages = {};
};

// Columns of a channel for one batch of outputs after the other. Outputs of the last batch that occur in the
// next one too keep their columns: in reviews at epsilon 3 a quarter of all.
class ColumnStore {
 public:
  // `most`: columns that are asked for at a time, as a rule. All arguments live longer.
  ColumnStore(const Channel& channel, std::size_t words, std::size_t most, LargeMemory& memory)
      : channel_(channel), words_(words), most_(most), memory_(memory) {}

  // The columns of `outputs`, which are all different. Columns of earlier calls are no longer valid.
  void load(std::span<const WordId> outputs, const Work& work);
  // The column of an output of the last call.
  [[nodiscard]] const float* column(WordId output) const {
    return values() + places_.at(static_cast<std::uint32_t>(output)) * words_;
  }

 private:
  [[nodiscard]] float* values() const { return reinterpret_cast<float*>(memory_.data()); }

  const Channel& channel_;
  std::size_t words_;
  std::size_t most_;
  LargeMemory& memory_;
  std::unordered_map<std::uint32_t, std::size_t> places_;  // by output
};

}  // namespace sotto
