#include "measure/adversary.h"

#include <algorithm>

#include "core/parallel.h"
#include "measure/law_kernels.h"

namespace sotto {
namespace {
constexpr std::size_t kSlice = 2048;  // outputs that one task gathers
}

WordAdversary::WordAdversary(const Prior& prior, const Bands& bands)
    : prior_(prior),
      bands_(bands),
      totals_(prior.weights.size(), 0.0),
      largest_(prior.weights.size(), 0.0),
      guesses_(prior.weights.size(), 0),
      squares_(bands.count(), std::vector<double>(prior.weights.size(), 0.0)) {}

void WordAdversary::visit_block(std::span<const LawRow> rows, unsigned threads) {
  parallel_blocks(totals_.size(), kSlice, threads, [&](std::size_t begin, std::size_t end) {
    for (const LawRow& row : rows) {
      const std::size_t word = index_of(row.word);
      gather_joint({.law = row.law.subspan(begin, end - begin),
                    .prior = prior_.weights[word],
                    .word = static_cast<std::uint32_t>(word),
                    .totals = totals_.data() + begin,
                    .squares = squares_[bands_.of[word]].data() + begin,
                    .largest = largest_.data() + begin,
                    .guesses = guesses_.data() + begin});
    }
  });
}

WordAdversary::Successes WordAdversary::successes(std::size_t band) const {
  Successes sums;
  for (std::size_t o = 0; o < totals_.size(); ++o) {
    if (!(totals_[o] > 0)) continue;
    if (bands_.of[guesses_[o]] == band) sums.best += largest_[o];
    sums.posterior += squares_[band][o] / totals_[o];
  }
  return sums;
}

GuessErrors WordAdversary::errors() const {
  GuessErrors errors{.best = 1, .posterior = 1};
  for (std::size_t band = 0; band < bands_.count(); ++band) {
    const Successes right = successes(band);
    errors.best -= right.best;
    errors.posterior -= right.posterior;
  }
  // Rounding may leave them a few 1e-16 below 0.
  return {.best = std::max(0.0, errors.best), .posterior = std::max(0.0, errors.posterior)};
}

GuessErrors WordAdversary::errors_in_band(std::size_t band) const {
  double mass = 0;
  for (const WordId word : prior_.support) {
    if (bands_.of[index_of(word)] == band) mass += prior_.weights[index_of(word)];
  }
  if (!(mass > 0)) return {};
  const Successes right = successes(band);
  return {.best = std::max(0.0, 1 - right.best / mass),
          .posterior = std::max(0.0, 1 - right.posterior / mass)};
}

LawColumns::LawColumns(const Prior& prior, std::vector<WordId> outputs)
    : prior_(prior),
      outputs_(std::move(outputs)),
      stride_((outputs_.size() + 1 + kColumnStep - 1) / kColumnStep * kColumnStep),
      columns_(prior.support.size() * stride_) {}

void LawColumns::visit_block(std::span<const LawRow> rows, unsigned /*threads*/) {
  for (const LawRow& row : rows) {
    double* column = columns_.data() + row.index * stride_;
    const double weight = prior_.weights[index_of(row.word)];
    for (std::size_t j = 0; j < outputs_.size(); ++j) column[j] = weight * row.law[index_of(outputs_[j])];
    column[outputs_.size()] = weight;
  }
}

std::vector<double> LawColumns::take_posteriors() {
  std::vector<double> totals(stride_, 0.0);
  for (std::size_t i = 0; i < columns_.size(); ++i) totals[i % stride_] += columns_[i];
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (totals[i % stride_] > 0) columns_[i] /= totals[i % stride_];
  }
  return std::move(columns_);
}

}  // namespace sotto
