#include "certify/witnesses.h"

#include <algorithm>
#include <cmath>

#include "certify/exponential_row.h"
#include "core/parallel.h"

namespace sotto {
namespace {

// Rows of distances are kept for the words of all pairs: 64 rows of 50,000 words take 26 MB.
constexpr std::size_t kMostWords = 256;

}  // namespace

void Witnesses::add(const std::vector<PairLoss>& pairs) {
  for (const PairLoss& pair : pairs) {
    const auto same = [&](const PairLoss& other) {
      return other.first == pair.first && other.second == pair.second;
    };
    if (distances_.size() + 2 > kMostWords || std::any_of(list_.begin(), list_.end(), same)) continue;
    list_.push_back(pair);
    for (const WordId word : {pair.first, pair.second}) {
      std::vector<double>& row = distances_[word];
      if (!row.empty()) continue;
      row.resize(pairs_.space().size());
      pairs_.space().distances_from(word, row);
    }
  }
}

void Witnesses::add(const Certificate& certificate) {
  add(certificate.worst_pairs);
  // Other distances matter at other slopes.
  std::vector<PairLoss> bands = certificate.bands;
  std::sort(bands.begin(), bands.end(),
            [](const PairLoss& a, const PairLoss& b) { return a.epsilon > b.epsilon; });
  bands.resize(std::min<std::size_t>(bands.size(), 8));
  add(bands);
}

double Witnesses::realised_epsilon(double slope) const {
  const double gamma = usable_gamma(gamma_, slope);
  const ExponentialLaw law{.slope = slope, .gamma = gamma, .base_weights = {}};
  std::vector<std::pair<WordId, double>> logs;
  for (const auto& [word, row] : distances_) logs.emplace_back(word, 0.0);
  parallel_blocks(logs.size(), 1, 0, [&](std::size_t i, std::size_t) {
    const std::vector<double>& distances = distances_.at(logs[i].first);
    thread_local std::vector<double> weights;
    weights.resize(distances.size());
    logs[i].second =
        std::log(exponential_weights({.distances = distances, .slope = slope, .gamma = gamma}, weights));
  });
  const auto log_of = [&](WordId word) {
    return std::lower_bound(logs.begin(), logs.end(), std::pair(word, -HUGE_VAL))->second;
  };
  const AllPairs::LossQuestion question = loss_question(pairs_.space(), law, {});
  double largest = 0;
  for (const PairLoss& pair : list_) {
    const double loss = question.loss(pair.distance, log_of(pair.first) - log_of(pair.second));
    largest = std::max(largest, question.epsilon(pair.distance, loss).value_or(0));
  }
  return largest;
}

}  // namespace sotto
