#pragma once
#include <cstddef>
#include <vector>

#include "measure/law_rows.h"
#include "sotto/prior.h"

namespace sotto {

// The same text released k times: the adversary adds up the log laws of k independent outputs of one word.
// Words are drawn from the prior and released `copies` times; the posterior given the first k outputs is
// exact, and 1 - its maximum is an unbiased estimate of E_opt(k).
class AveragingAdversary final : public LawVisitor {
 public:
  struct Trials {
    std::size_t copies = 0;       // of each word
    std::vector<WordId> outputs;  // trial after trial
  };
  AveragingAdversary(const Prior& prior, Trials trials);
  void visit_block(std::span<const LawRow> rows, unsigned threads) override;

  // 1, 2, 4, ... and `copies` itself.
  [[nodiscard]] const std::vector<std::size_t>& levels() const noexcept { return levels_; }
  // 1 - max posterior of each trial, given the first levels()[level] outputs.
  [[nodiscard]] std::vector<double> errors(std::size_t level) const;

 private:
  // Streamed log-sum-exp: the sum of exp(score - largest).
  struct Score {
    double largest;
    double sum;
  };
  const Prior& prior_;
  Trials trials_;
  std::vector<std::size_t> levels_;
  std::vector<Score> scores_;  // trial after trial, a score for each level
};

}  // namespace sotto
