#include "learn/lift.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "measure/law_rows.h"
#include "sotto/measurement.h"
#include "sotto/rng.h"

namespace sotto {
namespace {

constexpr std::size_t kSlice = 512;       // outputs that one task gathers
constexpr std::size_t kLeastDraws = 8;    // for a word of the prior, however rare
constexpr std::size_t kDrawBlock = 4096;  // draws with a random stream of their own

std::vector<double> prior_mean(const Prior& prior, const DenseMatrix& features) {
  std::vector<double> mean(features.columns, 0.0);
  for (const WordId word : prior.support) {
    const double weight = prior.weights[index_of(word)];
    const auto row = features.row(index_of(word));
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += weight * row[j];
  }
  return mean;
}

// Adds up P' diag(q) [E, 1] while the rows of the law stream by: the last column becomes P' q.
class LiftSums final : public LawVisitor {
 public:
  LiftSums(const Prior& prior, const DenseMatrix& features)
      : prior_(prior), features_(features), sums_(DenseMatrix::zeros(features.rows, features.columns + 1)) {}

  void visit_block(std::span<const LawRow> rows, unsigned threads) override {
    const std::size_t columns = sums_.columns;
    weighted_.assign(rows.size() * columns, 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t word = index_of(rows[i].word);
      const double weight = prior_.weights[word];
      double* own = weighted_.data() + i * columns;
      const auto row = features_.row(word);
      for (std::size_t j = 0; j < row.size(); ++j) own[j] = weight * row[j];
      own[columns - 1] = weight;
    }
    parallel_blocks(sums_.rows, kSlice, threads, [&](std::size_t begin, std::size_t end) {
      add_transposed_product({.a = rows.front().law.data() + begin,
                              .a_stride = sums_.rows,
                              .rows = end - begin,
                              .inner = rows.size()},
                             weighted_.data(), columns, sums_.row(begin).data());
    });
  }

  [[nodiscard]] const DenseMatrix& sums() const noexcept { return sums_; }

 private:
  const Prior& prior_;
  const DenseMatrix& features_;
  DenseMatrix sums_;
  std::vector<double> weighted_;  // of one block
};

Lifted lift_exactly(const Mechanism& mechanism, const Prior& prior, const DenseMatrix& features,
                    const Work& work) {
  LiftSums gathered(prior, features);
  const std::array<LawVisitor*, 1> visitors = {&gathered};
  stream_laws(mechanism, prior.support, visitors, work);
  const DenseMatrix& sums = gathered.sums();
  const std::vector<double> mean = prior_mean(prior, features);
  Lifted out{.features = DenseMatrix::zeros(features.rows, features.columns),
             .output_weights = std::vector<double>(features.rows, 0.0)};
  for (std::size_t o = 0; o < sums.rows; ++o) {
    const auto from = sums.row(o);
    const auto to = out.features.row(o);
    const double total = from.back();
    out.output_weights[o] = total;
    if (total > 0) {
      for (std::size_t j = 0; j < to.size(); ++j) to[j] = from[j] / total;
    } else {
      ++out.impossible;
      std::ranges::copy(mean, to.begin());
    }
  }
  return out;
}

// Inputs with their outputs; a word's draws share its prior equally.
struct Draws {
  std::vector<WordId> in;
  std::vector<WordId> out;
  std::vector<double> weights;           // of each draw
  std::vector<std::size_t> ends;         // of each output's draws in `by_output`
  std::vector<std::uint32_t> by_output;  // numbers of draws, those of one output together
};

Draws draw(const Mechanism& mechanism, const Prior& prior, const LiftQuestion& question, const Work& work) {
  const double wanted = static_cast<double>(question.draws > 0 ? question.draws : kLiftDraws);
  Draws draws;
  for (const WordId word : prior.support) {
    const double weight = prior.weights[index_of(word)];
    const std::size_t count = std::max(kLeastDraws, static_cast<std::size_t>(std::llround(weight * wanted)));
    draws.in.insert(draws.in.end(), count, word);
    draws.weights.insert(draws.weights.end(), count, weight / static_cast<double>(count));
  }
  draws.out.resize(draws.in.size());
  const RandomSource random = RandomSource::fresh_or_seeded_not_private(question.seed_not_private);
  parallel_blocks(draws.in.size(), kDrawBlock, work.threads, [&](std::size_t begin, std::size_t end) {
    Rng rng = random.stream(begin / kDrawBlock);
    mechanism.words->sample_batch(std::span(draws.in).subspan(begin, end - begin),
                                  std::span(draws.out).subspan(begin, end - begin), rng);
  });
  draws.ends.assign(mechanism.space->size() + 1, 0);
  for (const WordId word : draws.out) ++draws.ends[index_of(word) + 1];
  std::partial_sum(draws.ends.begin(), draws.ends.end(), draws.ends.begin());
  draws.by_output.resize(draws.out.size());
  for (std::size_t i = 0; i < draws.out.size(); ++i) {
    draws.by_output[draws.ends[index_of(draws.out[i])]++] = static_cast<std::uint32_t>(i);
  }
  draws.ends.pop_back();  // filling has moved each start to its end
  return draws;
}

// The variance of each feature over the prior.
std::vector<double> prior_variance(const Prior& prior, const DenseMatrix& features,
                                   std::span<const double> mean) {
  std::vector<double> out(features.columns, 0.0);
  for (const WordId word : prior.support) {
    const auto row = features.row(index_of(word));
    for (std::size_t j = 0; j < out.size(); ++j) {
      out[j] += prior.weights[index_of(word)] * (row[j] - mean[j]) * (row[j] - mean[j]);
    }
  }
  return out;
}

Lifted lift_by_draws(const Mechanism& mechanism, const Prior& prior, const DenseMatrix& features,
                     const LiftQuestion& question, const Work& work) {
  const Draws draws = draw(mechanism, prior, question, work);
  const std::vector<double> mean = prior_mean(prior, features);
  const std::vector<double> variance = prior_variance(prior, features, mean);
  Lifted out{.features = DenseMatrix::zeros(features.rows, features.columns),
             .output_weights = std::vector<double>(features.rows, 0.0),
             .draws = draws.in.size()};
  std::vector<double> squares(features.rows, 0.0);  // squared relative error of each output, times its weight
  std::vector<std::uint8_t> is_unseen(features.rows, 0);
  parallel_blocks(features.rows, kSlice, work.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t o = begin; o < end; ++o) {
      const std::size_t first = o == 0 ? 0 : draws.ends[o - 1];
      const auto own = std::span(draws.by_output).subspan(first, draws.ends[o] - first);
      const auto to = out.features.row(o);
      if (own.empty()) {
        is_unseen[o] = 1;
        std::ranges::copy(mean, to.begin());
        continue;
      }
      double total = 0;
      for (const std::uint32_t i : own) {
        total += draws.weights[i];
        const auto row = features.row(index_of(draws.in[i]));
        for (std::size_t j = 0; j < to.size(); ++j) to[j] += draws.weights[i] * row[j];
      }
      for (double& value : to) value /= total;
      out.output_weights[o] = total;
      double relative = 0;
      for (std::size_t j = 0; j < to.size(); ++j) {
        if (!(variance[j] > 0)) continue;
        double spread = 0;
        for (const std::uint32_t i : own) {
          const double share = draws.weights[i] / total;
          const double away = features.row(index_of(draws.in[i]))[j] - to[j];
          spread += share * share * away * away;
        }
        // One draw tells nothing of its own spread: that of the prior is taken.
        relative += own.size() == 1 ? 1 : spread / variance[j];
      }
      squares[o] = total * relative;
    }
  });
  out.impossible = static_cast<std::size_t>(std::ranges::count(is_unseen, 1));
  const auto varying = static_cast<double>(std::ranges::count_if(variance, [](double v) { return v > 0; }));
  out.error = varying > 0 ? std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0) / varying) : 0;
  return out;
}

}  // namespace

Lifted lift_features(const Mechanism& mechanism, const Prior& prior, const DenseMatrix& features,
                     const LiftQuestion& question, const Work& work) {
  const double pairs =
      static_cast<double>(prior.support.size()) * static_cast<double>(mechanism.space->size());
  const bool exact = !question.by_draws && pairs <= kExactPairs && has_closed_law(mechanism);
  return exact ? lift_exactly(mechanism, prior, features, work)
               : lift_by_draws(mechanism, prior, features, question, work);
}

}  // namespace sotto
