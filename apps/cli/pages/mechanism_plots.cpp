#include "cli/pages/mechanism_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "core/parallel.h"
#include "core/uniform.h"
#include "html/bins.h"
#include "html/text.h"
#include "measure/utility.h"
#include "shared/console.h"

namespace sotto::cli {

namespace {

constexpr std::uint64_t kSeed = 20210607;  // any fixed number: nothing private is drawn

std::vector<WordId> words_of_prior(const Model& model, std::size_t count) {
  std::vector<double> sums = rank_prior(model);
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  Rng rng = Rng::seeded_not_private(kSeed, 0);
  std::vector<WordId> words;
  for (std::size_t i = 0; i < count; ++i) {
    // 53 bits are plenty for a histogram.
    const double place = static_cast<double>(rng.bits() >> 11U) * 0x1p-53 * sums.back();
    const auto found = std::upper_bound(sums.begin(), sums.end(), place);
    words.push_back(
        word_id(std::min<std::size_t>(static_cast<std::size_t>(found - sums.begin()), sums.size() - 1)));
  }
  return words;
}

std::string bin_name(std::size_t bin, std::size_t words) {
  if (bin == 0) return "same";
  const std::size_t last = std::min(last_rank(bin), words - 1);
  return first_rank(bin) == last ? html::count(last)
                                 : fmt::format("{}-{}", html::count(first_rank(bin)), html::count(last));
}

}  // namespace

void add_deniability(html::Page& page, const Deniability& deniability) {
  std::vector<double> unchanged;
  std::vector<double> distinct;
  for (const WordDeniability& word : deniability.words) {
    unchanged.push_back(word.unchanged);
    distinct.push_back(word.distinct);
  }
  page.paragraph(
      fmt::format("N_w is the probability that the word w stays as it is, S_w the number of different words "
                  "among {} outputs "
                  "of it. Measured on {}, equally many of each tenth of the frequency order; {}.",
                  grouped(kDeniabilityDraws), counted(deniability.words.size(), "word"),
                  deniability.exact ? "exact, from the law" : "counted in draws"));
  html::Histogram stays = html::histogram_of(unchanged, {.about = 25});
  stays.title = "N_w: how likely a word stays as it is";
  stays.caption = "A word at the right end is hardly protected.";
  stays.x.label = "N_w";
  stays.y.label = "words";
  stays.lines = html::quantile_lines(unchanged, std::array{0.5, 0.95});
  page.plot(stays);
  html::Histogram outputs = html::histogram_of(distinct, {.about = 25});
  outputs.title = "S_w: how many different words come out";
  outputs.caption = "A word at the left end has few words to hide among.";
  outputs.x.label = fmt::format("different outputs in {} draws", grouped(kDeniabilityDraws));
  outputs.y.label = "words";
  outputs.lines = html::quantile_lines(distinct, std::array{0.05, 0.5});
  page.plot(outputs);
}

Deniability deniability_for_page(const Mechanism& mechanism, const Work& work) {
  constexpr double kCheapSearch = 5e4;
  const Space& space = *mechanism.space;
  const bool has_law = mechanism.words->log_law(word_id(0)).has_value();
  const double search = static_cast<double>(space.size()) * static_cast<double>(space.model().dim());
  const double words = has_law ? 500 : std::clamp(500 * kCheapSearch / search, 20.0, 500.0);
  return measure_deniability(mechanism, static_cast<std::size_t>(words),
                             RandomSource::seeded_not_private(kSeed), work);
}

void add_output_ranks(html::Page& page, const Mechanism& mechanism, const Work& work) {
  if (!mechanism.token.empty()) return;  // no output is a word
  constexpr std::size_t kDraws = 3000;
  const Space& space = *mechanism.space;
  const std::vector<WordId> in = words_of_prior(space.model(), kDraws);
  std::vector<WordId> out(in.size());
  Rng rng = Rng::seeded_not_private(kSeed, 1);
  mechanism.words->sample_batch(in, out, rng);
  std::vector<std::size_t> bins(in.size());
  parallel_blocks(in.size(), 50, work.threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> row;
    for (std::size_t i = begin; i < end; ++i) bins[i] = rank_bin(space, in[i], out[i], row);
  });
  std::array<double, kRankBins> shares = {};
  for (const std::size_t bin : bins) shares[bin] += 1 / static_cast<double>(kDraws);

  html::Histogram plot{
      .title = "Rank of the output among the neighbours of the input",
      .caption = fmt::format("\"same\" is the word itself, 1 its nearest other word. {} draws, words "
                             "taken by the public frequency order of the model.",
                             grouped(kDraws))};
  plot.x.label = "rank";
  plot.y.label = "share of outputs";
  html::Bars bars;
  for (std::size_t bin = 0; bin < kRankBins && first_rank(bin) < space.size(); ++bin) {
    plot.bins.push_back({.name = bin_name(bin, space.size())});
    bars.heights.push_back(shares[bin]);
  }
  plot.series = {std::move(bars)};
  page.plot(plot);
}

}  // namespace sotto::cli
