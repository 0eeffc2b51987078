#include "learn/release_prior.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "core/parallel.h"
#include "measure/law_rows.h"
#include "sotto/error.h"
#include "sotto/measurement.h"

namespace sotto {
namespace {

constexpr std::size_t kOutputSlice = 2048;

// One pass: the new weights from the ratios of the last pass, and the output distribution that they imply.
class Round final : public LawVisitor {
 public:
  Round(std::span<const double> weights, std::span<const double> ratios)
      : ratios_(ratios), weights_(weights.begin(), weights.end()), outputs_(weights.size(), 0.0) {}

  void visit_row(const LawRow& row) override {
    double sum = 0;
    for (std::size_t o = 0; o < row.law.size(); ++o) sum += row.law[o] * ratios_[o];
    weights_[index_of(row.word)] *= sum;
  }
  void visit_block(std::span<const LawRow> rows, unsigned threads) override {
    parallel_blocks(outputs_.size(), kOutputSlice, threads, [&](std::size_t begin, std::size_t end) {
      for (const LawRow& row : rows) {
        const double weight = weights_[index_of(row.word)];
        for (std::size_t o = begin; o < end; ++o) outputs_[o] += weight * row.law[o];
      }
    });
  }

  std::vector<double>& weights() { return weights_; }
  [[nodiscard]] const std::vector<double>& outputs() const { return outputs_; }

 private:
  std::span<const double> ratios_;
  std::vector<double> weights_;
  std::vector<double> outputs_;
};

}  // namespace

Prior release_prior(const Mechanism& mechanism, std::span<const double> outputs, const Work& work,
                    std::size_t rounds) {
  const std::size_t n = mechanism.space->size();
  if (!has_closed_law(mechanism) || static_cast<double>(n) * static_cast<double>(n) > kExactPairs) {
    throw Error(ErrorCode::usage,
                fmt::format("`prior` release: needs a mechanism whose law is known and a model of at most "
                            "50,000 words; {} on {} words: give another `prior`",
                            mechanism.info->name, n));
  }
  Prior prior = frequency_rank_prior(mechanism.space->model());
  const std::vector<WordId> words = prior.support;
  std::vector<double> ratios(n, 1.0);  // so that the first pass leaves the weights and finds their outputs
  for (std::size_t round = 0; round <= rounds; ++round) {
    Round pass(prior.weights, ratios);
    const std::array<LawVisitor*, 1> visitors = {&pass};
    stream_laws(mechanism, words, visitors, {.threads = work.threads});
    prior.weights = std::move(pass.weights());
    for (std::size_t o = 0; o < n; ++o) {
      ratios[o] = pass.outputs()[o] > 0 ? outputs[o] / pass.outputs()[o] : 0;
    }
    if (work.progress) work.progress({.done = round + 1, .total = rounds + 1, .unit = "rounds"});
  }
  // An output that no word can have takes its share with it, and rounding adds up.
  double total = 0;
  for (const double weight : prior.weights) total += weight;
  prior.support.clear();
  for (std::size_t w = 0; w < n; ++w) {
    prior.weights[w] /= total;
    if (prior.weights[w] > 0) prior.support.push_back(word_id(w));
  }
  prior.description =
      fmt::format("estimated from a release, {} rounds, {} words", rounds, prior.support.size());
  return prior;
}

}  // namespace sotto
