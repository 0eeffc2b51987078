#include "cli/pages/mechanism_plots.h"

#include <fmt/format.h>

#include <array>

#include "api/plot_data.h"
#include "html/bins.h"
#include "html/text.h"
#include "shared/console.h"

namespace sotto::cli {

namespace {

std::string rank_label(const RankShare& rank) {
  if (rank.first == 0) return "same";
  return rank.first == rank.last ? html::count(rank.last)
                                 : fmt::format("{}-{}", html::count(rank.first), html::count(rank.last));
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

void add_output_ranks(html::Page& page, const Mechanism& mechanism, const Work& work) {
  if (!mechanism.token.empty()) return;  // no output is a word
  html::Histogram plot{
      .title = "Rank of the output among the neighbours of the input",
      .caption = fmt::format("\"same\" is the word itself, 1 its nearest other word. {} draws, words "
                             "taken by the public frequency order of the model.",
                             grouped(api::kRankDraws))};
  plot.x.label = "rank";
  plot.y.label = "share of outputs";
  html::Bars bars;
  for (const RankShare& rank : api::plotted_ranks(mechanism, work)) {
    plot.bins.push_back({.name = rank_label(rank)});
    bars.heights.push_back(rank.share);
  }
  plot.series = {std::move(bars)};
  page.plot(plot);
}

}  // namespace sotto::cli
