// The channel of a mechanism whose law has no closed form, from draws.
//
// 1. Every word of the vocabulary is given to the mechanism several times, frequent words more often.
// 2. A smooth law c_y exp(-slope d(x,y)) / Z(x) is fitted to all draws: the slope by maximum likelihood on
//    some words, the weights c_y so that every output comes as often as it was drawn.
// 3. The estimate is (drawn(x,y) + alpha * smooth(y|x)) / (draws(x) + alpha). alpha maximises the likelihood
//    of each draw given all others.
// The estimate is an attacker's: a better estimate would only make the attack stronger.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "attack/channel.h"
#include "core/parallel.h"
#include "core/uniform.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kFitWords = 160;
constexpr int kWeightRounds = 3;

struct Draw {
  std::uint32_t output;
  std::uint32_t word;
  auto operator<=>(const Draw&) const = default;
};

// How often each pair was drawn, by output.
struct DrawTable {
  std::vector<std::uint32_t> per_word;    // draws of each word
  std::vector<std::size_t> begins = {};   // by output
  std::vector<std::uint32_t> words = {};  // ascending within an output
  std::vector<std::uint32_t> counts = {};
  std::size_t total = 0;
};

DrawTable draw_table(const Mechanism& mechanism, const Channel::Options& options, const Work& work) {
  const std::size_t n = mechanism.space->size();
  const std::size_t budget = options.draws > 0 ? options.draws : Channel::kDefaultDraws;
  DrawTable table{.per_word = std::vector<std::uint32_t>(n, 4)};
  double roots = 0;
  for (const float p : options.prior) roots += std::sqrt(double{p});
  for (std::size_t w = 0; w < n; ++w) {
    const double share =
        options.prior.empty() ? 1.0 / static_cast<double>(n) : std::sqrt(double{options.prior[w]}) / roots;
    table.per_word[w] += static_cast<std::uint32_t>(std::lround(share * static_cast<double>(budget)));
  }
  std::vector<WordId> in;
  for (std::size_t w = 0; w < n; ++w) in.insert(in.end(), table.per_word[w], word_id(w));
  std::vector<WordId> out(in.size());
  const RandomSource random = RandomSource::fresh_or_seeded_not_private(options.seed_not_private);
  constexpr std::size_t kBlock = 4096;
  // Streams of the text under attack start at 0; these lie far above.
  constexpr std::uint64_t kFirstStream = std::uint64_t{1} << 40;
  parallel_blocks(in.size(), kBlock, work.threads, [&](std::size_t begin, std::size_t end) {
    Rng rng = random.stream(kFirstStream + begin / kBlock);
    mechanism.words->sample_batch(std::span(in).subspan(begin, end - begin),
                                  std::span(out).subspan(begin, end - begin), rng);
  });
  std::vector<Draw> draws(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    draws[i] = {.output = static_cast<std::uint32_t>(out[i]), .word = static_cast<std::uint32_t>(in[i])};
  }
  std::ranges::sort(draws);
  table.total = draws.size();
  table.begins.assign(n + 1, 0);
  for (std::size_t begin = 0; begin < draws.size();) {
    std::size_t end = begin;
    while (end < draws.size() && draws[end] == draws[begin]) ++end;
    table.words.push_back(draws[begin].word);
    table.counts.push_back(static_cast<std::uint32_t>(end - begin));
    ++table.begins[draws[begin].output + 1];
    begin = end;
  }
  for (std::size_t y = 0; y < n; ++y) table.begins[y + 1] += table.begins[y];
  return table;
}

// Words whose draws fit the slope: every so many-th of the vocabulary.
struct FitRow {
  std::vector<double> distances;
  double drawn_distance = 0;  // mean over its draws
  double draws = 0;
};

std::vector<FitRow> fit_rows(const Space& space, const DrawTable& table) {
  const std::size_t step = std::max<std::size_t>(1, space.size() / kFitWords);
  std::vector<FitRow> rows;
  std::vector<std::size_t> row_of(space.size(), std::numeric_limits<std::size_t>::max());
  for (std::size_t w = 0; w < space.size(); w += step) {
    row_of[w] = rows.size();
    rows.push_back({.distances = std::vector<double>(space.size())});
    space.distances_from(word_id(w), rows.back().distances);
  }
  for (std::size_t y = 0; y < space.size(); ++y) {
    for (std::size_t e = table.begins[y]; e < table.begins[y + 1]; ++e) {
      const std::size_t row = row_of[table.words[e]];
      if (row == std::numeric_limits<std::size_t>::max()) continue;
      rows[row].drawn_distance += table.counts[e] * rows[row].distances[y];
      rows[row].draws += table.counts[e];
    }
  }
  for (FitRow& row : rows) row.drawn_distance /= std::max(1.0, row.draws);
  return rows;
}

// The likelihood is largest where the expected distance is the drawn one; it falls as the slope grows.
double fitted_slope(const std::vector<FitRow>& rows, const std::vector<double>& weights, unsigned threads) {
  double low = 0;
  double high = 64;
  for (int round = 0; round < 30; ++round) {
    const double slope = (low + high) / 2;
    std::vector<double> gaps(rows.size(), 0.0);
    parallel_blocks(rows.size(), 8, threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) {
        double total = 0;
        double moment = 0;
        for (std::size_t y = 0; y < weights.size(); ++y) {
          const double p = weights[y] * std::exp(-slope * rows[r].distances[y]);
          total += p;
          moment += p * rows[r].distances[y];
        }
        gaps[r] = rows[r].draws * (moment / total - rows[r].drawn_distance);
      }
    });
    double gap = 0;
    for (const double value : gaps) gap += value;
    (gap > 0 ? low : high) = slope;
  }
  return std::max(1e-6, (low + high) / 2);
}

// Iterative proportional fitting of c: every output as often as drawn, softened by one draw.
void fit_weights(const AllPairs& pairs, const DrawTable& table, double slope, std::vector<double>& weights,
                 const Work& work) {
  const std::size_t n = weights.size();
  const AllPairs::Kernel kernel{.slope = slope, .gamma = std::numeric_limits<double>::infinity()};
  std::vector<double> drawn(n, 0.0);
  for (std::size_t y = 0; y < n; ++y) {
    for (std::size_t e = table.begins[y]; e < table.begins[y + 1]; ++e) drawn[y] += table.counts[e];
  }
  for (int round = 0; round < kWeightRounds; ++round) {
    std::vector<double> by_row(pairs.rows(), 0.0);
    for (std::size_t y = 0; y < n; ++y) by_row[pairs.row(word_id(y))] += weights[y];
    const std::vector<double> normalisers = pairs.kernel_sums(kernel, by_row, work);
    std::fill(by_row.begin(), by_row.end(), 0.0);
    for (std::size_t x = 0; x < n; ++x) {
      const std::size_t row = pairs.row(word_id(x));
      by_row[row] += table.per_word[x] / normalisers[row];
    }
    const std::vector<double> expected = pairs.kernel_sums(kernel, by_row, work);
    for (std::size_t y = 0; y < n; ++y) {
      weights[y] *= (drawn[y] + 1) / (weights[y] * expected[pairs.row(word_id(y))] + 1);
      weights[y] = std::max(weights[y], 1e-12);
    }
  }
}

class EstimatedChannel final : public Channel {
 public:
  EstimatedChannel(DrawTable table, std::shared_ptr<const Space> space, const ExponentialLaw& smooth,
                   const Work& work)
      : table_(std::move(table)), space_(std::move(space)), smooth_(space_, smooth, work) {
    alpha_ = best_alpha();
  }

  void columns(std::span<const WordId> outputs, std::span<float> out, const Work& work) const override {
    smooth_.visit(outputs, out, work, [&](std::size_t i, double log_largest, std::span<float> column) {
      const double scale = alpha_ * std::exp(log_largest);
      // Scaled so that the smooth part stays in float's range also where it is far below one draw.
      double largest = 0;
      for (std::size_t x = 0; x < column.size(); ++x) {
        column[x] = static_cast<float>(column[x] / (table_.per_word[x] + alpha_));
        largest = std::max(largest, double{column[x]} * scale);
      }
      const std::size_t y = index_of(outputs[i]);
      for (std::size_t e = table_.begins[y]; e < table_.begins[y + 1]; ++e) {
        const std::size_t x = table_.words[e];
        largest =
            std::max(largest, double{column[x]} * scale + table_.counts[e] / (table_.per_word[x] + alpha_));
      }
      const auto factor = static_cast<float>(scale / largest);
      for (float& value : column) value *= factor;
      for (std::size_t e = table_.begins[y]; e < table_.begins[y + 1]; ++e) {
        const std::size_t x = table_.words[e];
        column[x] += static_cast<float>(table_.counts[e] / (table_.per_word[x] + alpha_) / largest);
      }
    });
  }
  [[nodiscard]] std::size_t draws() const override { return table_.total; }

 private:
  // By the likelihood of each draw given all others, on up to 100,000 pairs.
  [[nodiscard]] double best_alpha() const {
    constexpr std::array<double, 12> kTried = {0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096};
    std::array<double, kTried.size()> likelihoods{};
    const std::size_t step = std::max<std::size_t>(1, table_.words.size() / 100'000);
    std::size_t y = 0;
    for (std::size_t e = 0; e < table_.words.size(); e += step) {
      while (table_.begins[y + 1] <= e) ++y;
      const WordId x = word_id(table_.words[e]);
      const double q =
          std::exp(smooth_.log_weight(word_id(y)) - smooth_.slope() * space_->distance(x, word_id(y)) -
                   smooth_.log_normaliser(x));
      const double draws = table_.per_word[index_of(x)];
      for (std::size_t a = 0; a < kTried.size(); ++a) {
        const double others = (table_.counts[e] - 1 + kTried[a] * q) / (draws - 1 + kTried[a]);
        likelihoods[a] += table_.counts[e] * std::log(std::max(others, 1e-300));
      }
    }
    return kTried[static_cast<std::size_t>(std::ranges::max_element(likelihoods) - likelihoods.begin())];
  }

  DrawTable table_;
  std::shared_ptr<const Space> space_;
  ExponentialColumns smooth_;
  double alpha_ = 1;
};

}  // namespace

std::unique_ptr<const Channel> estimate_channel(const Mechanism& mechanism, const Channel::Options& options,
                                                const Work& work) {
  const Work quiet{.threads = work.threads};
  DrawTable table = draw_table(mechanism, options, quiet);
  std::vector<double> weights(mechanism.space->size(), 1.0);
  const std::vector<FitRow> rows = fit_rows(*mechanism.space, table);
  const AllPairs pairs(mechanism.space);
  double slope = 0;
  for (int round = 0; round < 2; ++round) {
    slope = fitted_slope(rows, weights, work.threads);
    fit_weights(pairs, table, slope, weights, quiet);
  }
  const ExponentialLaw smooth{
      .slope = slope, .gamma = std::numeric_limits<double>::infinity(), .base_weights = std::move(weights)};
  return std::make_unique<const EstimatedChannel>(std::move(table), mechanism.space, smooth, quiet);
}

}  // namespace sotto
