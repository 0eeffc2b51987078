#pragma once
#include <vector>

#include "measure/law_rows.h"
#include "sotto/labels.h"
#include "sotto/prior.h"

namespace sotto {

// How well the label of the original word is guessed from the output, given that it has one: E = 1 - sum_o
// max_label sum_{w of label} pi(w) f(o|w), pi being the prior among words with a label. Exact.
class LabelAdversary final : public LawVisitor {
 public:
  LabelAdversary(const Prior& prior, const Labels& labels);
  void visit_block(std::span<const LawRow> rows, unsigned threads) override;
  [[nodiscard]] double error() const;

 private:
  const Prior& prior_;
  const Labels& labels_;
  double labelled_;                         // probability of a word with a label
  std::vector<std::vector<double>> joint_;  // by label and output
};

// The prior among words with a label, added up by label. Throws bad_data if no word with a label is possible.
std::vector<double> label_prior(const Prior& prior, const Labels& labels);
// The error of always guessing the likeliest label.
double constant_label_guess(const Prior& prior, const Labels& labels);

}  // namespace sotto
