#pragma once
#include <cmath>
#include <limits>
#include <string>

#include "html/bins.h"
#include "html/page.h"

namespace sotto::html::test {

inline Plot sample_frontier(const std::string& word) {
  Plot plot = {.title = word, .caption = word, .x = {.label = word}, .y = {.label = word}};
  for (int s = 0; s < 6; ++s) {
    Series series = {.name = word, .points = {}};
    for (int i = 0; i < 8; ++i) {
      const double y = std::sqrt(i) + 0.3 * s;
      series.points.push_back({.x = i * 1.0, .y = y, .low = y - 0.1, .high = y + 0.1, .label = word});
    }
    if (s == 1) series.points[3].y = std::numeric_limits<double>::infinity();
    if (s == 2) series.interval = Series::Interval::band;
    plot.series.push_back(series);
  }
  plot.lines = {{ReferenceLine::Across::horizontal, 1, word}, {ReferenceLine::Across::vertical, 2, word}};
  return plot;
}

// Every kind of part, with `word` wherever text may stand.
inline Page sample_page(const std::string& word) {
  Page page({.title = word, .lead = word, .version = word, .command = word});
  for (const auto tone :
       {Notice::Tone::neutral, Notice::Tone::good, Notice::Tone::bad, Notice::Tone::caution}) {
    page.notice({tone, word, {word, word}});
  }
  page.section(word);
  page.paragraph(word);
  page.facts({{word, word, word}, {word, 1.5, word}});
  page.table({.caption = word, .headings = {word, word}, .rows = {{word, 2.0}, {word, word}}});
  page.table({.headings = {word}});
  std::vector<double> values;
  for (int i = 0; i < 50000; ++i) values.push_back(1 + 50 * std::abs(std::sin(i)));
  Histogram histogram = histogram_of(values, {});
  histogram.title = histogram.caption = histogram.x.label = histogram.y.label = word;
  histogram.series[0].name = word;
  histogram.lines = {{ReferenceLine::Across::vertical, 20, word}};
  page.plot(histogram);
  page.plot(Histogram{.title = word,
                      .bins = {{0, 0, word}, {0, 0, word}},
                      .series = {{word, {1, 2}}, {word, {2, 1}}},
                      .notes = {word}});
  page.plot(sample_frontier(word));
  Series many = {.name = word, .points = {}, .mark = Series::Mark::points};
  for (std::size_t i = 0; i < values.size(); ++i)
    many.points.push_back({.x = static_cast<double>(i + 1), .y = values[i]});
  page.plot(Plot{.title = word, .x = {.scale = Axis::Scale::logarithmic}, .series = {many}});
  many.mark = Series::Mark::line;
  page.plot(Plot{.title = word, .series = {many}});
  page.plot(Plot{.title = word});
  return page;
}

}  // namespace sotto::html::test
