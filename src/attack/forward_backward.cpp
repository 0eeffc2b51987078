#include "attack/forward_backward.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "attack/vector_kernels.h"
#include "core/large_memory.h"
#include "core/parallel.h"

namespace sotto {
namespace {

// A row costs about as much as this many entries besides its own.
constexpr std::size_t kRowCost = 8;
constexpr std::size_t kRangeCost = 1 << 14;

std::vector<std::size_t> ranges_of(const std::uint64_t* begins, std::size_t rows) {
  std::vector<std::size_t> cuts;
  std::size_t cost = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    cost += kRowCost + begins[row + 1] - begins[row];
    if (cost < kRangeCost && row + 1 < rows) continue;
    cuts.push_back(row + 1);
    cost = 0;
  }
  return cuts;
}

}  // namespace

BigramChain::BigramChain(const LanguageModel& lm) : lm_(lm), begins_(lm.size + 1, 0), first_word_(lm.size) {
  const std::size_t inner = lm.bigrams.begins[lm.size];  // entries of contexts that are words
  for (std::size_t e = 0; e < inner; ++e) ++begins_[lm.bigrams.words[e] + 1];
  for (std::size_t w = 0; w < lm.size; ++w) begins_[w + 1] += begins_[w];
  contexts_.resize(inner);
  values_.resize(inner);
  std::vector<std::uint64_t> next(begins_.begin(), begins_.end() - 1);
  for (std::size_t v = 0; v < lm.size; ++v) {
    for (std::size_t e = lm.bigrams.begins[v]; e < lm.bigrams.begins[v + 1]; ++e) {
      const std::size_t place = next[lm.bigrams.words[e]]++;
      contexts_[place] = static_cast<std::uint32_t>(v);
      values_[place] = lm.values[e];
    }
  }
  const float spread = lm.lambda[lm.start()];
  for (std::size_t w = 0; w < lm.size; ++w) first_word_[w] = spread * lm.base[w];
  const auto row = lm.bigrams.row(lm.start());
  for (std::size_t e = row.first; e < row.last; ++e) {
    float& own = first_word_[lm.bigrams.words[e]];
    own = std::max(0.0F, own + lm.values[e]);
  }
  forward_ = {.matrix = {.begins = begins_.data(),
                         .others = contexts_.data(),
                         .values = values_.data(),
                         .side = lm.base.data()},
              .weights = lm.lambda.first(lm.size),
              .cuts = ranges_of(begins_.data(), lm.size)};
  backward_ = {.matrix = {.begins = lm.bigrams.begins.data(),
                          .others = lm.bigrams.words.data(),
                          .values = lm.values.data(),
                          .side = lm.lambda.data()},
               .weights = lm.base,
               .cuts = ranges_of(lm.bigrams.begins.data(), lm.size)};
}

void BigramChain::probabilities_before(WordId word, std::span<float> out) const {
  const float base = lm_.base[index_of(word)];
  std::ranges::copy(lm_.lambda.first(lm_.size), out.begin());
  scale(out, base);
  for (std::size_t e = begins_[index_of(word)]; e < begins_[index_of(word) + 1]; ++e) {
    float& own = out[contexts_[e]];
    own = std::max(0.0F, own + values_[e]);
  }
}

namespace {

LaneSums inverse(const LaneSums& sums) {
  LaneSums out{};
  for (std::size_t lane = 0; lane < kLanes; ++lane) out[lane] = sums[lane] > 0 ? 1 / sums[lane] : 0;
  return out;
}

// Messages side by side in memory of somebody else.
class MessageStore {
 public:
  MessageStore() = default;
  MessageStore(float* values, std::size_t messages, std::size_t size)
      : values_(values), size_(size), sums_(messages) {}
  [[nodiscard]] float* values(std::size_t message) const { return values_ + message * size_; }
  [[nodiscard]] StepSums& sums(std::size_t message) { return sums_[message]; }

 private:
  float* values_ = nullptr;
  std::size_t size_ = 0;
  std::vector<StepSums> sums_;
};

struct Message {
  const float* values = nullptr;
  const StepSums* sums = nullptr;
};

// Which token of which document each lane is at, step by step.
class Schedule {
 public:
  struct Place {
    std::size_t document = 0;
    std::size_t token = 0;
  };

  // Deals documents to lanes in the given order, the longest first, each to the lane that is free earliest.
  // It ends where a lane would take more than `most` steps, unless one document alone does.
  Schedule(std::span<const ColumnPointers> documents, std::span<const std::size_t> order, std::size_t most)
      : documents_(documents) {
    for (const std::size_t d : order) {
      auto& lane = *std::ranges::min_element(lanes_, {}, [](const auto& own) { return own.size(); });
      const std::size_t length = documents[d].size();
      if (dealt_ > 0 && lane.size() + length > std::max(most, steps_)) break;
      for (std::size_t t = 0; t < length; ++t) lane.push_back({.document = d, .token = t});
      steps_ = std::max(steps_, lane.size());
      ++dealt_;
    }
  }

  [[nodiscard]] std::size_t steps() const noexcept { return steps_; }
  // How many documents found a place.
  [[nodiscard]] std::size_t dealt() const noexcept { return dealt_; }
  // Null: the lane is at its end.
  [[nodiscard]] const Place* at(std::size_t step, std::size_t lane) const {
    return step < lanes_[lane].size() ? &lanes_[lane][step] : nullptr;
  }
  // 1 for lanes in which a document begins at this step, or ends.
  [[nodiscard]] LaneSums begins(std::size_t step) const {
    return mark(step, [](const Place& place, std::size_t) { return place.token == 0; });
  }
  [[nodiscard]] LaneSums ends(std::size_t step) const {
    return mark(step, [](const Place& place, std::size_t length) { return place.token + 1 == length; });
  }
  // `nothing` for lanes that are at their end.
  [[nodiscard]] LaneColumns columns(std::size_t step, const float* nothing) const {
    LaneColumns out{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const Place* own = at(step, lane);
      out[lane] = own == nullptr ? nothing : documents_[own->document][own->token];
    }
    return out;
  }

 private:
  template <class Test>
  [[nodiscard]] LaneSums mark(std::size_t step, const Test& test) const {
    LaneSums out{};
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const Place* own = at(step, lane);
      out[lane] = own != nullptr && test(*own, documents_[own->document].size()) ? 1 : 0;
    }
    return out;
  }

  std::span<const ColumnPointers> documents_;
  std::array<std::vector<Place>, kLanes> lanes_;
  std::size_t steps_ = 0;
  std::size_t dealt_ = 0;
};

class Lanes {
 public:
  Lanes(const BigramChain& chain, Schedule schedule, const ForwardBackwardLimits& limits, LargeMemory& memory)
      : chain_(chain),
        schedule_(std::move(schedule)),
        nothing_(chain.size(), 0.0F),
        block_(block_length(limits.most_messages)),
        blocks_(std::max<std::size_t>(1, (schedule_.steps() + block_ - 1) / block_)) {
    take_memory(memory, limits.most_messages);
    // Threads are started for every step: below this size a step takes less time than that.
    constexpr std::size_t kLeastRanges = 8;
    const std::size_t ranges = std::min(chain.forward().cuts.size(), chain.backward().cuts.size());
    threads_ = ranges < kLeastRanges ? 1 : limits.threads;
    for (auto& lane : posteriors_) lane.resize(chain.size());
  }

  void run(const PosteriorBody& body) {
    for (std::size_t b = 0; b < blocks_; ++b) fill_block(b, b + 1 == blocks_ ? Keep::all : Keep::last);
    for (std::size_t b = blocks_; b-- > 0;) {
      if (b + 1 < blocks_) fill_block(b, Keep::all);
      for (std::size_t t = std::min(schedule_.steps(), (b + 1) * block_); t-- > b * block_;) {
        go_back(t);
        report(t, backward_.sums(t % 2), body);
      }
    }
  }

 private:
  enum class Keep { all, last };

  // All messages are read at random places or are as large as a text: both want huge pages.
  void take_memory(LargeMemory& memory, std::size_t most) {
    const std::size_t size = chain_.size() * kLanes;
    const std::size_t stored = std::max<std::size_t>(1, std::min(block_, schedule_.steps()));
    // At least as many as most calls with this limit need; what is not used takes no memory.
    const std::size_t needed = 4 + stored + blocks_;
    if (memory.size() < needed * size * sizeof(float)) {
      memory = {};
      memory = LargeMemory(std::max(needed, most + 5) * size * sizeof(float));
    }
    auto* next = reinterpret_cast<float*>(memory.data());
    const auto take = [&](std::size_t messages) {
      return MessageStore(std::exchange(next, next + messages * size), messages, size);
    };
    forward_ = take(2);
    backward_ = take(2);
    stored_ = take(stored);
    checkpoints_ = take(blocks_);
  }

  // The longest block for which checkpoints and block together are at most `most` messages.
  [[nodiscard]] std::size_t block_length(std::size_t most) const {
    const std::size_t steps = schedule_.steps();
    if (steps <= most) return std::max<std::size_t>(1, steps);
    const auto root = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(steps))));
    std::size_t best = root;
    for (std::size_t length = root; length < most; ++length) {
      if ((steps + length - 1) / length + length <= most) best = length;
    }
    return best;
  }

  // Lanes in which a document begins take nothing from the message before.
  static LaneSums factors_of(const Message& before, const LaneSums& begins) {
    if (before.sums == nullptr) return {};
    LaneSums out = inverse(before.sums->plain);
    for (std::size_t lane = 0; lane < kLanes; ++lane) out[lane] *= 1 - begins[lane];
    return out;
  }

  [[nodiscard]] MessageStep step_of(const BigramChain::Direction& direction, std::size_t t,
                                    const Message& before, const LaneSums& begins) const {
    return {.matrix = direction.matrix,
            .in = before.values,
            .rank_one = before.sums == nullptr ? LaneSums{} : before.sums->weighted,
            .factors = factors_of(before, begins),
            .begins = begins,
            .columns = schedule_.columns(t, nothing_.data()),
            .weights = direction.weights.data()};
  }
  static Message message_of(MessageStore& store, std::size_t message) {
    return {.values = store.values(message), .sums = &store.sums(message)};
  }

  // Calls rows(range) for all ranges of rows, and adds up what it returns in their order.
  template <class Rows>
  StepSums over_rows(const BigramChain::Direction& direction, const Rows& rows) {
    partial_.assign(direction.cuts.size(), {});
    parallel_blocks(partial_.size(), 1, threads_, [&](std::size_t i, std::size_t) {
      partial_[i] = rows(RowRange{.first = i == 0 ? 0 : direction.cuts[i - 1], .last = direction.cuts[i]});
    });
    StepSums sums;
    for (const StepSums& own : partial_) sums.add(own);
    return sums;
  }

  // The forward messages of block b: alpha(w) is proportional to P(outputs up to t, word t is w). Two of them
  // take turns, which the caches hold; all of the block are kept, or its last one as a checkpoint.
  void fill_block(std::size_t b, Keep keep) {
    const std::size_t end = std::min(schedule_.steps(), (b + 1) * block_);
    for (std::size_t t = b * block_; t < end; ++t) {
      Message before;
      if (t > 0)
        before = t == b * block_ ? message_of(checkpoints_, b - 1) : message_of(forward_, (t - 1) % 2);
      MessageStep step = step_of(chain_.forward(), t, before, schedule_.begins(t));
      step.fresh = chain_.first_word().data();
      MessagePlaces places{.out = forward_.values(t % 2)};
      if (keep == Keep::all) places.kept = stored_.values(t - b * block_);
      if (keep == Keep::last && t + 1 == end) places.kept = checkpoints_.values(b);
      forward_.sums(t % 2) = over_rows(
          chain_.forward(), [&](const RowRange& range) { return forward_rows(step, range, places); });
      if (keep == Keep::all) stored_.sums(t - b * block_) = forward_.sums(t % 2);
      if (keep == Keep::last && t + 1 == end) checkpoints_.sums(b) = forward_.sums(t % 2);
    }
  }

  // beta(w) is proportional to P(outputs after t | word t is w), and 1 at the end of a document. The new
  // message is beta(w) P(output t | w), which goes further back; the posteriors of token t are
  // alpha(w) beta(w).
  void go_back(std::size_t t) {
    const Message before = t + 1 == schedule_.steps() ? Message{} : message_of(backward_, (t + 1) % 2);
    const MessageStep step = step_of(chain_.backward(), t, before, schedule_.ends(t));
    const Message alpha = message_of(stored_, t % block_);
    Beliefs beliefs{.alpha = alpha.values, .alpha_factors = inverse(alpha.sums->plain)};
    for (std::size_t lane = 0; lane < kLanes; ++lane) beliefs.out[lane] = posteriors_[lane].data();
    backward_.sums(t % 2) = over_rows(chain_.backward(), [&](const RowRange& range) {
      return backward_rows(step, range, beliefs, backward_.values(t % 2));
    });
  }

  void report(std::size_t t, const StepSums& sums, const PosteriorBody& body) {
    const LaneSums factors = inverse(sums.beliefs);
    parallel_blocks(kLanes, 1, threads_, [&](std::size_t lane, std::size_t) {
      const Schedule::Place* own = schedule_.at(t, lane);
      if (own == nullptr) return;
      scale(posteriors_[lane], static_cast<float>(factors[lane]));
      body(own->document, own->token, posteriors_[lane]);
    });
  }

  const BigramChain& chain_;
  Schedule schedule_;
  std::vector<float> nothing_;  // the column of a lane that is at its end
  unsigned threads_ = 1;
  std::size_t block_;
  std::size_t blocks_;
  MessageStore forward_;
  MessageStore backward_;
  MessageStore stored_;       // the forward messages of one block
  MessageStore checkpoints_;  // the last forward message of every block but the last
  std::vector<StepSums> partial_;
  std::array<std::vector<float>, kLanes> posteriors_;
};

}  // namespace

void forward_backward(const BigramChain& chain, std::span<const ColumnPointers> documents,
                      const ForwardBackwardLimits& limits, const PosteriorBody& body) {
  LargeMemory own;
  std::vector<std::size_t> order(documents.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t d) { return documents[d].size(); });
  for (std::span<const std::size_t> left = order; !left.empty();) {
    Schedule schedule(documents, left, limits.most_messages);
    left = left.subspan(schedule.dealt());
    Lanes(chain, std::move(schedule), limits, limits.memory == nullptr ? own : *limits.memory).run(body);
  }
}

}  // namespace sotto
