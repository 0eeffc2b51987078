#include "measure/averaging.h"

#include <cmath>
#include <limits>

#include "core/parallel.h"

namespace sotto {
namespace {
constexpr double kImpossible = -std::numeric_limits<double>::infinity();
constexpr std::size_t kTrialBlock = 64;
}  // namespace

AveragingAdversary::AveragingAdversary(const Prior& prior, Trials trials)
    : prior_(prior), trials_(std::move(trials)) {
  for (std::size_t k = 1; k < trials_.copies; k *= 2) levels_.push_back(k);
  levels_.push_back(trials_.copies);
  scores_.assign(trials_.outputs.size() / trials_.copies * levels_.size(),
                 {.largest = kImpossible, .sum = 0});
}

void AveragingAdversary::visit_block(std::span<const LawRow> rows, unsigned threads) {
  const std::size_t trials = trials_.outputs.size() / trials_.copies;
  parallel_blocks(trials, kTrialBlock, threads, [&](std::size_t begin, std::size_t end) {
    for (const LawRow& row : rows) {
      const double log_prior = std::log(prior_.weights[index_of(row.word)]);
      for (std::size_t t = begin; t < end; ++t) {
        double score = log_prior;
        std::size_t level = 0;
        for (std::size_t k = 0; k < trials_.copies && score > kImpossible; ++k) {
          score += std::log(row.law[index_of(trials_.outputs[t * trials_.copies + k])]);
          if (k + 1 != levels_[level] || score == kImpossible) continue;
          Score& own = scores_[t * levels_.size() + level++];
          if (score > own.largest) {
            own.sum = own.sum * std::exp(own.largest - score) + 1;
            own.largest = score;
          } else {
            own.sum += std::exp(score - own.largest);
          }
        }
      }
    }
  });
}

std::vector<double> AveragingAdversary::errors(std::size_t level) const {
  std::vector<double> errors;
  for (std::size_t i = level; i < scores_.size(); i += levels_.size()) {
    // A sum of 0: the output is below the range of a double under every word. Then nothing is claimed.
    errors.push_back(scores_[i].sum > 0 ? 1 - 1 / scores_[i].sum : 0);
  }
  return errors;
}

}  // namespace sotto
