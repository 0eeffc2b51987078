#include "attack/forward_backward.h"

#include <algorithm>
#include <cmath>

namespace sotto {

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
}

void BigramChain::forward(const float* in, float* out) const {
  const SparseRows rows{.begins = begins_.data(),
                        .others = contexts_.data(),
                        .values = values_.data(),
                        .side = lm_.base.data(),
                        .rows = lm_.size};
  sparse_product(rows, in, weighted_sums(in, lm_.lambda.data(), lm_.size), out);
}

void BigramChain::backward(const float* in, float* out) const {
  const SparseRows rows{.begins = lm_.bigrams.begins.data(),
                        .others = lm_.bigrams.words.data(),
                        .values = lm_.values.data(),
                        .side = lm_.lambda.data(),
                        .rows = lm_.size};
  sparse_product(rows, in, weighted_sums(in, lm_.base.data(), lm_.size), out);
}

void BigramChain::probabilities_before(WordId word, std::span<float> out) const {
  const float base = lm_.base[index_of(word)];
  for (std::size_t v = 0; v < lm_.size; ++v) out[v] = lm_.lambda[v] * base;
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

class Lanes {
 public:
  Lanes(const BigramChain& chain, std::span<const ColumnPointers> documents, std::size_t most_steps)
      : chain_(chain), documents_(documents) {
    for (const ColumnPointers& document : documents) steps_ = std::max(steps_, document.size());
    block_ = block_length(most_steps);
    const std::size_t blocks = (steps_ + block_ - 1) / block_;
    stored_.resize(block_);
    for (auto& message : stored_) message.resize(message_size());
    if (blocks > 1) checkpoints_.resize(blocks - 1);
    for (auto& message : checkpoints_) message.resize(message_size());
  }

  void run(const PosteriorBody& body) {
    const std::size_t blocks = checkpoints_.size() + 1;
    for (std::size_t b = 0; b < blocks; ++b) {
      fill_block(b);
      if (b + 1 < blocks) checkpoints_[b] = stored_[block_ - 1];
    }
    std::vector<float> beta(message_size(), 0.0F);
    std::vector<float> next(message_size());
    std::vector<std::vector<float>> posteriors(documents_.size(), std::vector<float>(chain_.size()));
    for (std::size_t b = blocks; b-- > 0;) {
      if (b + 1 < blocks) fill_block(b);
      for (std::size_t t = std::min(steps_, (b + 1) * block_); t-- > b * block_;) {
        start_lanes(t, beta);
        report(t, stored_[t - b * block_], beta, posteriors, body);
        if (t == 0) break;
        scale_lanes(beta.data(), inverse(times_columns(beta.data(), columns(t), chain_.size())),
                    chain_.size());
        chain_.backward(beta.data(), next.data());
        beta.swap(next);
      }
    }
  }

 private:
  [[nodiscard]] std::size_t message_size() const { return chain_.size() * kLanes; }

  // The longest block for which checkpoints and block together are at most `most_steps` messages.
  [[nodiscard]] std::size_t block_length(std::size_t most_steps) const {
    if (steps_ <= most_steps) return std::max<std::size_t>(1, steps_);
    const auto root = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(steps_))));
    std::size_t best = root;
    for (std::size_t length = root; length < most_steps; ++length) {
      if ((steps_ + length - 1) / length + length <= most_steps) best = length;
    }
    return best;
  }

  [[nodiscard]] std::array<const float*, kLanes> columns(std::size_t t) const {
    std::array<const float*, kLanes> out{};
    for (std::size_t lane = 0; lane < documents_.size(); ++lane) {
      if (t < documents_[lane].size()) out[lane] = documents_[lane][t];
    }
    return out;
  }

  // The forward messages of block b: alpha(w) is proportional to P(outputs up to t, word t is w).
  void fill_block(std::size_t b) {
    const std::size_t end = std::min(steps_, (b + 1) * block_);
    for (std::size_t t = b * block_; t < end; ++t) {
      std::vector<float>& own = stored_[t - b * block_];
      if (t == 0) {
        for (std::size_t w = 0; w < chain_.size(); ++w) {
          for (std::size_t lane = 0; lane < kLanes; ++lane) own[w * kLanes + lane] = chain_.first_word()[w];
        }
      } else {
        const std::vector<float>& before =
            t == b * block_ ? checkpoints_[b - 1] : stored_[t - b * block_ - 1];
        chain_.forward(before.data(), own.data());
      }
      scale_lanes(own.data(), inverse(times_columns(own.data(), columns(t), chain_.size())), chain_.size());
    }
  }

  // After its last token nothing more is known of a document.
  void start_lanes(std::size_t t, std::vector<float>& beta) const {
    for (std::size_t lane = 0; lane < documents_.size(); ++lane) {
      if (documents_[lane].size() != t + 1) continue;
      for (std::size_t w = 0; w < chain_.size(); ++w) beta[w * kLanes + lane] = 1;
    }
  }

  void report(std::size_t t, const std::vector<float>& alpha, const std::vector<float>& beta,
              std::vector<std::vector<float>>& posteriors, const PosteriorBody& body) const {
    for (std::size_t lane = 0; lane < documents_.size(); ++lane) {
      if (t >= documents_[lane].size()) continue;
      std::vector<float>& own = posteriors[lane];
      double total = 0;
      for (std::size_t w = 0; w < own.size(); ++w) {
        own[w] = alpha[w * kLanes + lane] * beta[w * kLanes + lane];
        total += static_cast<double>(own[w]);
      }
      const auto factor = static_cast<float>(total > 0 ? 1 / total : 0);
      for (float& value : own) value *= factor;
      body(lane, t, own);
    }
  }

  const BigramChain& chain_;
  std::span<const ColumnPointers> documents_;
  std::size_t steps_ = 0;
  std::size_t block_ = 1;
  std::vector<std::vector<float>> stored_;       // the forward messages of one block
  std::vector<std::vector<float>> checkpoints_;  // the last forward message of every block but the last
};

}  // namespace

void forward_backward(const BigramChain& chain, std::span<const ColumnPointers> documents,
                      std::size_t most_steps, const PosteriorBody& body) {
  for (std::size_t first = 0; first < documents.size(); first += kLanes) {
    const auto own = documents.subspan(first, std::min(kLanes, documents.size() - first));
    Lanes lanes(chain, own, most_steps);
    lanes.run([&](std::size_t lane, std::size_t t, std::span<const float> p) { body(first + lane, t, p); });
  }
}

}  // namespace sotto
