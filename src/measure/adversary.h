#pragma once
#include <cstdint>
#include <vector>

#include "measure/bands.h"
#include "measure/law_rows.h"
#include "sotto/prior.h"

namespace sotto {

// Error probabilities of the two adversaries of docs/specification.md section 9 under 0/1 loss.
struct GuessErrors {
  double best = 0;       // E_opt: the word with the largest pi(w) f(o|w)
  double posterior = 0;  // E_post: a word drawn from the posterior
};

// E_opt = 1 - sum_o max_w pi(w) f(o|w) and E_post = 1 - sum_o sum_w (pi(w) f(o|w))^2 / p(o), exactly, in one
// pass over the rows of the prior's support, with a few numbers for each output.
class WordAdversary final : public LawVisitor {
 public:
  // Both live longer than this.
  WordAdversary(const Prior& prior, const Bands& bands);
  void visit_block(std::span<const LawRow> rows, unsigned threads) override;

  [[nodiscard]] GuessErrors errors() const;
  // Of the same adversary, given that the true word is of the band; 0 if the band has no probability.
  [[nodiscard]] GuessErrors errors_in_band(std::size_t band) const;
  [[nodiscard]] const std::vector<double>& output_probabilities() const noexcept { return totals_; }

 private:
  struct Successes {
    double best = 0;
    double posterior = 0;
  };
  [[nodiscard]] Successes successes(std::size_t band) const;

  const Prior& prior_;
  const Bands& bands_;
  std::vector<double> totals_;                // p(o)
  std::vector<double> largest_;               // max_w pi(w) f(o|w)
  std::vector<std::uint32_t> guesses_;        // the first word that attains it
  std::vector<std::vector<double>> squares_;  // sum over the band of (pi(w) f(o|w))^2
};

// The columns f(o|.) of some outputs, gathered in one pass, for what needs whole posteriors.
class LawColumns final : public LawVisitor {
 public:
  LawColumns(const Prior& prior, std::vector<WordId> outputs);
  void visit_block(std::span<const LawRow> rows, unsigned threads) override;

  // Element i * stride() + j is g(support[i] | outputs[j]); column count() - 1 is the prior, the posterior of
  // who saw nothing. Columns sum to 1 (to 0 where p(o) is 0), and those from count() on are 0. Takes the
  // columns out of this object.
  [[nodiscard]] std::vector<double> take_posteriors();
  [[nodiscard]] std::size_t count() const noexcept { return outputs_.size() + 1; }
  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
  [[nodiscard]] const std::vector<WordId>& outputs() const noexcept { return outputs_; }

 private:
  const Prior& prior_;
  std::vector<WordId> outputs_;
  std::size_t stride_;
  std::vector<double> columns_;  // pi(w) f(o|w) and pi(w), a row for each word of the support
};

}  // namespace sotto
