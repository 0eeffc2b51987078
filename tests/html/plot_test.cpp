#include "html/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "core/infinity.h"
#include "html/drawing.h"
#include "html/text.h"

namespace sotto::html {
namespace {

using test::expect_sound;
using test::kLogarithmic;
using test::numbers_in;
using test::occurrences;
using test::values_of;
using ::testing::HasSubstr;
using ::testing::Not;

Plot plot_of(std::vector<Point> points, Series::Mark mark = Series::Mark::both) {
  return {.title = "t", .series = {{.name = "a", .points = std::move(points), .mark = mark}}};
}

std::string line_of(const std::string& drawing) {
  const auto lines = values_of(drawing, "points");
  return lines.empty() ? "" : lines.front();
}

TEST(Plot, DrawsPointsWhereTheyAre) {
  Plot plot = plot_of({{.x = 0, .y = 0}, {.x = 5, .y = 10}, {.x = 10, .y = 5}});
  const auto at = numbers_in(line_of(svg(plot)));
  ASSERT_EQ(at.size(), 6U);
  EXPECT_NEAR((at[0] + at[4]) / 2, at[2], 0.02);  // x: 5 lies half way
  EXPECT_NEAR((at[1] + at[3]) / 2, at[5], 0.02);  // y: 5 lies half way, and upwards
  EXPECT_LT(at[3], at[1]);
  plot.x.scale = kLogarithmic;
  plot.series[0].points = {{.x = 1, .y = 0}, {.x = 10, .y = 1}, {.x = 100, .y = 2}};
  const auto logarithmic = numbers_in(line_of(svg(plot)));
  EXPECT_NEAR((logarithmic[0] + logarithmic[4]) / 2, logarithmic[2], 0.02);
}

TEST(Plot, MarksAreAsAskedFor) {
  const std::vector<Point> points = {{.x = 0, .y = 0}, {.x = 1, .y = 1}};
  EXPECT_EQ(occurrences(svg(plot_of(points, Series::Mark::line)), "<title>"), 0U);
  EXPECT_EQ(occurrences(svg(plot_of(points, Series::Mark::points)), "<polyline"), 0U);
  EXPECT_EQ(occurrences(svg(plot_of(points, Series::Mark::points)), "<title>"), 2U);
  const auto step = numbers_in(line_of(svg(plot_of(points, Series::Mark::step))));
  ASSERT_EQ(step.size(), 6U);
  EXPECT_EQ(step[2], step[4]);
  EXPECT_EQ(step[1], step[3]);
}

TEST(Plot, WhatCannotBeDrawnInterruptsTheLineAndIsCounted) {
  Plot plot = plot_of({{.x = 0, .y = 1},
                       {.x = 1, .y = 2},
                       {.x = 2, .y = std::nan("")},
                       {.x = 3, .y = kInfinity},
                       {.x = 4, .y = 3},
                       {.x = 5, .y = 4}});
  std::string drawing = svg(plot);
  expect_sound(drawing);
  EXPECT_EQ(occurrences(drawing, "<polyline"), 2U);
  EXPECT_EQ(occurrences(drawing, "<title>"), 4U);
  EXPECT_THAT(drawing, HasSubstr("Not drawn: 2 points without a finite value."));
  plot.x.scale = kLogarithmic;  // x = 0 goes too
  drawing = svg(plot);
  expect_sound(drawing);
  EXPECT_THAT(drawing,
              HasSubstr("Not drawn: 3 points without a finite value above 0 on a logarithmic axis."));
}

TEST(Plot, PointsOutsideFixedEndsAreCounted) {
  Plot plot = plot_of({{.x = 0, .y = 1}, {.x = 1, .y = 1e9}, {.x = 2, .y = 1}});
  plot.y.to = 2;
  const std::string drawing = svg(plot);
  expect_sound(drawing);
  EXPECT_EQ(occurrences(drawing, "<title>"), 2U);
  EXPECT_THAT(drawing, HasSubstr("1 point outside the axes."));
}

TEST(Plot, SaysSoWhereThereIsNothing) {
  EXPECT_THAT(svg(Plot{}), HasSubstr(">no data<"));
  EXPECT_THAT(svg(plot_of({})), HasSubstr(">no data<"));
  EXPECT_THAT(svg(plot_of({{.x = 1, .y = std::nan("")}})), HasSubstr(">no values that can be drawn<"));
  EXPECT_THAT(svg(plot_of({{.x = 1, .y = 3}, {.x = 2, .y = 3}})), HasSubstr("All values are equal: 3."));
  const std::string one = svg(plot_of({{.x = 1, .y = 3}}, Series::Mark::line));
  EXPECT_THAT(one, HasSubstr("There is one point only."));
  EXPECT_EQ(occurrences(one, "<title>"), 1U);  // a line of one point would not be seen
}

TEST(Plot, AnyNumbersGiveSoundCoordinates) {
  const std::vector<double> strange = {0,         -0.0,   1,         -1,         1e-320,      1e308,
                                       -1e308,    1e-300, kInfinity, -kInfinity, 1e300,       -1e300,
                                       1 + 1e-15, 1e15,   0.1,       -1e-9,      std::nan("")};
  for (const auto x_scale : {Axis::Scale::linear, kLogarithmic}) {
    for (const auto y_scale : {Axis::Scale::linear, kLogarithmic}) {
      for (const double first : strange) {
        Plot plot;
        plot.x.scale = x_scale;
        plot.y.scale = y_scale;
        plot.lines = {{ReferenceLine::Across::vertical, first, "v"},
                      {ReferenceLine::Across::horizontal, first, "h"}};
        for (const auto interval : {Series::Interval::bars, Series::Interval::band}) {
          Series series = {.name = "s", .points = {{.x = 1, .y = 1}}, .interval = interval};
          for (const double second : strange) {
            series.points.push_back({.x = first, .y = second, .low = second, .high = first, .label = "l"});
          }
          plot.series.push_back(series);
        }
        expect_sound(svg(plot));
        plot.x.from = first;
        plot.y.to = first;
        plot.size = {.width = std::abs(first) < 1000 ? std::abs(first) : 1, .height = 0};
        expect_sound(svg(plot));
      }
    }
  }
}

TEST(Plot, IntervalsWithoutBoundReachTheEdge) {
  Plot plot = plot_of({{.x = 1, .y = 2, .low = 1, .high = kInfinity}, {.x = 2, .y = 3}});
  const std::string drawing = svg(plot);
  expect_sound(drawing);
  EXPECT_THAT(drawing, HasSubstr("stroke-width=\"1.2\""));
  plot.series[0].points[0].low = plot.series[0].points[0].high = std::nan("");
  EXPECT_THAT(svg(plot), Not(HasSubstr("stroke-width=\"1.2\"")));
  plot.series[0].interval = Series::Interval::band;
  EXPECT_THAT(svg(plot), Not(HasSubstr("<polygon")));
  plot.series[0].points[0].high = 3;
  EXPECT_THAT(svg(plot), HasSubstr("<polygon"));
}

TEST(Plot, ReferenceLinesWidenTheAxis) {
  Plot plot = plot_of({{.x = 0, .y = 0.1}, {.x = 1, .y = 0.2}});
  EXPECT_THAT(svg(plot), Not(HasSubstr("ceiling")));
  plot.lines = {{ReferenceLine::Across::horizontal, 0.9, "ceiling"}};
  EXPECT_THAT(svg(plot), HasSubstr(">ceiling</text>"));
  EXPECT_THAT(svg(plot), HasSubstr(">0.8</text>"));
  plot.lines[0].at = kInfinity;
  EXPECT_THAT(svg(plot), Not(HasSubstr(">ceiling</text>")));
}

struct Text {
  double left, right, base;
};
std::vector<Text> labels_of(const std::string& drawing, const std::string& first_letter) {
  const std::regex pattern("<text x=\"([-0-9.]+)\" y=\"([-0-9.]+)\" font-size=\"11\"[^>]*>(" + first_letter +
                           "[^<]*)<");
  std::vector<Text> out;
  for (std::sregex_iterator it(drawing.begin(), drawing.end(), pattern), end; it != end; ++it) {
    const double left = std::stod((*it)[1]);
    out.push_back({left, left + text_width((*it)[3].str(), 11), std::stod((*it)[2])});
  }
  return out;
}

TEST(Plot, LabelsDoNotLieOnEachOther) {
  Plot plot;
  for (int s = 0; s < 6; ++s) {
    Series series = {.name = std::to_string(s), .points = {}};
    for (int i = 0; i < 8; ++i) {
      series.points.push_back({.x = i * i * 1.0, .y = i * i + 0.4 * s, .label = "e" + std::to_string(i * 3)});
    }
    plot.series.push_back(series);
  }
  const auto labels = labels_of(svg(plot), "e");
  EXPECT_GE(labels.size(), 24U);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double across =
          std::min(labels[i].right, labels[j].right) - std::max(labels[i].left, labels[j].left);
      const double down = 12 - std::abs(labels[i].base - labels[j].base);
      EXPECT_FALSE(across > 2 && down > 2) << i << " " << j;
    }
  }
}

TEST(Plot, ManyPointsAreThinnedWithoutLosingExtremes) {
  Series series = {.name = "n", .points = {}, .mark = Series::Mark::line};
  for (int i = 0; i < 100000; ++i) series.points.push_back({.x = i * 1.0, .y = std::sin(i * 0.01)});
  series.points[54321].y = 40;
  Plot plot = {.series = {series}};
  const std::string line = svg(plot);
  EXPECT_LT(line.size(), 40000U);
  const auto at = numbers_in(line_of(line));
  double top = 1e9;
  for (std::size_t i = 1; i < at.size(); i += 2) top = std::min(top, at[i]);
  EXPECT_LT(top, 60);  // the one high value still reaches the top of the area
  plot.series[0].mark = Series::Mark::points;
  const std::string dots = svg(plot);
  expect_sound(dots);
  EXPECT_LT(dots.size(), 40000U);
  EXPECT_THAT(dots, HasSubstr("Of points that lie close together one is drawn."));
}

TEST(Plot, SeriesDifferInMoreThanColour) {
  Plot plot;
  for (int s = 0; s < 6; ++s) {
    plot.series.push_back(
        {.name = std::to_string(s), .points = {{.x = 0, .y = s * 1.0}, {.x = 1, .y = s * 1.0}}});
  }
  const std::string drawing = svg(plot);
  auto dashes = values_of(drawing, "stroke-dasharray");
  std::ranges::sort(dashes);
  // Not std::ranges::unique: clang 14 does not compile its subrange.
  dashes.erase(std::unique(dashes.begin(), dashes.end()), dashes.end());
  EXPECT_EQ(dashes.size(), 5U);  // and one solid
}

TEST(Plot, HostileTextStaysText) {
  Plot plot = {.title = test::kHostile,
               .caption = test::kHostile,
               .x = {.label = test::kHostile},
               .y = {.label = test::kHostile},
               .series = {{.name = test::kHostile,
                           .points = {{.x = 1, .y = 1, .label = test::kHostile}, {.x = 2, .y = 3}}}},
               .lines = {{ReferenceLine::Across::vertical, 1.5, test::kHostile}}};
  const std::string drawing = svg(plot);
  expect_sound(drawing);
  EXPECT_THAT(drawing, Not(HasSubstr("<script")));
  EXPECT_THAT(drawing, Not(HasSubstr("<img")));
  EXPECT_EQ(drawing.find_first_of("\x01\x7f\xff"), std::string::npos);
  EXPECT_EQ(values_of(drawing, "aria-label").size(), 1U);
}

TEST(Plot, GivesTheSameBytes) {
  Plot plot = plot_of({{.x = 0, .y = 1, .label = "a"}, {.x = 1, .y = 2, .label = "b"}});
  EXPECT_EQ(svg(plot), svg(plot));
  EXPECT_THAT(svg(plot), HasSubstr("role=\"img\" aria-label=\"plot: t; series: a\""));
}

}  // namespace
}  // namespace sotto::html
