#include "html/histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <regex>

#include "core/infinity.h"
#include "html/bins.h"
#include "html/drawing.h"

namespace sotto::html {
namespace {

using test::expect_sound;
using test::kLogarithmic;
using test::occurrences;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Bars have a title each; the background and the legend's samples have none.
std::vector<double> bar_attribute(const std::string& drawing, const std::string& name) {
  const std::regex pattern("<rect[^>]*" + name + "=\"([-0-9.]+)\"[^>]*><title>");
  std::vector<double> out;
  for (std::sregex_iterator it(drawing.begin(), drawing.end(), pattern), end; it != end; ++it) {
    out.push_back(std::stod((*it)[1]));
  }
  return out;
}

TEST(Histogram, BarsAreAsHighAsTheirValues) {
  const Histogram histogram = {.bins = {{0, 1}, {1, 3}, {3, 4}}, .series = {{.heights = {1, 2, 0}}}};
  const std::string drawing = svg(histogram);
  expect_sound(drawing);
  const auto heights = bar_attribute(drawing, "height");
  const auto widths = bar_attribute(drawing, " width");
  ASSERT_EQ(heights.size(), 2U);  // nothing for 0
  EXPECT_NEAR(heights[1], 2 * heights[0], 0.02);
  EXPECT_NEAR(widths[1], 2 * widths[0], 0.02);
  EXPECT_THAT(drawing, HasSubstr("<title>1 to 3: 2</title>"));
}

TEST(Histogram, TwoSeriesShareABin) {
  const Histogram histogram = {.bins = {{0, 1}, {1, 2}}, .series = {{"a", {1, 2}}, {"b", {2, 1}}}};
  const auto lefts = bar_attribute(svg(histogram), " x");
  const auto widths = bar_attribute(svg(histogram), " width");
  ASSERT_EQ(lefts.size(), 4U);  // a, a, b, b
  EXPECT_NEAR(lefts[0] + widths[0], lefts[2], 0.02);
  EXPECT_NEAR(lefts[2] + widths[2], lefts[1], 0.02);
}

TEST(Histogram, NegativeBarsHangDown) {
  const Histogram histogram = {.bins = {{0, 1}, {1, 2}}, .series = {{.heights = {2, -2}}}};
  const auto tops = bar_attribute(svg(histogram), " y");
  const auto heights = bar_attribute(svg(histogram), "height");
  EXPECT_NEAR(tops[0] + heights[0], tops[1], 0.02);
}

TEST(Histogram, OnALogarithmicAxisEachBarHasAHeight) {
  const Histogram histogram = {.y = {.scale = kLogarithmic},
                               .bins = {{0, 1}, {1, 2}, {2, 3}, {3, 4}},
                               .series = {{.heights = {0.1, 0.001, 0, -1}}}};
  const std::string drawing = svg(histogram);
  expect_sound(drawing);
  const auto heights = bar_attribute(drawing, "height");
  ASSERT_EQ(heights.size(), 2U);
  EXPECT_GT(heights[1], 5);
  EXPECT_THAT(drawing, HasSubstr("Not drawn: 1 bar without a finite value above 0."));
}

TEST(Histogram, NamedBinsAreEquallyBroad) {
  const Histogram histogram = {.x = {.scale = kLogarithmic},
                               .bins = {{0, 0, "unchanged"}, {1, 1, "1"}, {2, 9, "2-9"}},
                               .series = {{.heights = {3, 2, 1}}}};
  const std::string drawing = svg(histogram);
  expect_sound(drawing);
  const auto widths = bar_attribute(drawing, " width");
  ASSERT_EQ(widths.size(), 3U);
  EXPECT_NEAR(widths[0], widths[2], 0.02);
  EXPECT_THAT(drawing, HasSubstr(">unchanged</text>"));
  EXPECT_THAT(drawing, Not(HasSubstr("rotate(-35")));
  Histogram long_names = histogram;
  for (int i = 0; i < 30; ++i) long_names.bins.push_back({0, 0, "a long name of a bin"});
  EXPECT_THAT(svg(long_names), HasSubstr("rotate(-35"));
}

TEST(Histogram, SaysSoWhereThereIsNothing) {
  EXPECT_THAT(svg(Histogram{}), HasSubstr(">no data<"));
  EXPECT_THAT(svg(Histogram{.bins = {{0, 1}}, .series = {{.heights = {0}}}}), HasSubstr(">all bars are 0<"));
  EXPECT_THAT(svg(Histogram{.bins = {{0, 1}}, .series = {{.heights = {kInfinity}}}}),
              HasSubstr(">no values that"));
  EXPECT_THAT(svg(Histogram{.bins = {{0, 1}}, .series = {{.heights = {1}}}}),
              HasSubstr("There is one bin only."));
  EXPECT_THAT(svg(Histogram{.bins = {{0, 1}, {1, 2}}, .series = {{.heights = {1}}}}),
              Not(HasSubstr("no data")));
}

TEST(Histogram, AnyNumbersGiveSoundCoordinates) {
  const std::vector<double> strange = {0,         1,          -1,           1e308, -1e308, 1e-320,
                                       kInfinity, -kInfinity, std::nan(""), 1e300, 1e-300};
  for (const auto scale : {Axis::Scale::linear, kLogarithmic}) {
    for (const double from : strange) {
      for (const double to : strange) {
        Histogram histogram = {.x = {.scale = scale},
                               .y = {.scale = scale},
                               .bins = {{from, to}, {1, 2}, {to, 3}},
                               .series = {{"a", {from, to, 1}}, {"b", {1, 2, 3, 4, 5}}}};
        expect_sound(svg(histogram));
        histogram.bins[0].name = test::kHostile;
        expect_sound(svg(histogram));
        expect_sound(svg(histogram_of(std::vector<double>{from, to}, {.scale = scale})));
      }
    }
  }
}

TEST(Bins, CountEachValueOnce) {
  std::mt19937_64 random(3);
  for (const auto scale : {Axis::Scale::linear, kLogarithmic}) {
    for (const bool whole : {true, false}) {
      for (const double sigma : {1e-6, 0.1, 1.0, 3.0}) {
        std::lognormal_distribution<double> draw(3, sigma);
        std::vector<double> values;
        for (int i = 0; i < 2000; ++i) values.push_back(whole ? std::ceil(draw(random)) : draw(random));
        const Histogram histogram = histogram_of(values, {.scale = scale});
        const auto& heights = histogram.series.at(0).heights;
        ASSERT_EQ(heights.size(), histogram.bins.size());
        EXPECT_EQ(std::accumulate(heights.begin(), heights.end(), 0.0), 2000);
        EXPECT_LE(heights.size(), 200U);
        for (std::size_t i = 0; i < heights.size(); ++i) {
          const auto& bin = histogram.bins[i];
          const bool last = i + 1 == heights.size();
          const auto inside = std::ranges::count_if(
              values, [&](double v) { return v >= bin.from && (last ? v <= bin.to : v < bin.to); });
          // The extremes may lie a rounding error outside the first and last end.
          EXPECT_NEAR(static_cast<double>(inside), heights[i], i == 0 || last ? 1 : 0);
        }
      }
    }
  }
}

TEST(Bins, WholeNumbersGetWholeBins) {
  const Histogram few = histogram_of(std::vector<double>{1, 2, 2, 3, 3, 3}, {});
  EXPECT_THAT(few.series.at(0).heights, ElementsAre(1, 2, 3));
  const Histogram shares = histogram_of(std::vector<double>{1, 2, 2, 2}, {.height = BinRule::Height::share});
  EXPECT_THAT(shares.series.at(0).heights, ElementsAre(0.25, 0.75));
  std::vector<double> all;
  for (int i = 1; i <= 1000; ++i) all.push_back(i);
  const Histogram logarithmic = histogram_of(all, {.scale = kLogarithmic});
  for (const double height : logarithmic.series.at(0).heights) EXPECT_GT(height, 0);
}

TEST(Bins, SayWhatIsLeftOut) {
  const Histogram histogram = histogram_of(std::vector<double>{0, 1, 10, kInfinity}, {.scale = kLogarithmic});
  EXPECT_THAT(histogram.notes, ElementsAre("Not drawn: 2 without a finite value above 0."));
  EXPECT_THAT(svg(histogram_of({}, {})), HasSubstr(">no data<"));
  EXPECT_THAT(histogram_of(std::vector<double>{4, 4}, {}).notes, ElementsAre("All values are equal: 4."));
}

TEST(Bins, QuantilesAreByNearestRank) {
  std::vector<double> values(100);
  std::iota(values.begin(), values.end(), 1.0);
  values.push_back(std::nan(""));
  const auto lines = quantile_lines(values, std::vector<double>{0, 0.05, 0.5, 0.95, 1});
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0].at, 1);
  EXPECT_EQ(lines[1].at, 5);
  EXPECT_EQ(lines[2].at, 50);
  EXPECT_EQ(lines[2].label, "median 50");
  EXPECT_EQ(lines[3].label, "95% 95");
  EXPECT_EQ(lines[4].at, 100);
  EXPECT_TRUE(quantile_lines({}, std::vector<double>{0.5}).empty());
}

}  // namespace
}  // namespace sotto::html
