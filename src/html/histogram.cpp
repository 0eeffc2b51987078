#include "html/histogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "html/text.h"

namespace sotto::html {
namespace {

constexpr double kLeastBar = 1;     // pixels: a bar that is there is seen
constexpr double kNamedGap = 0.15;  // of a bin's breadth, on both sides

// Blue and orange instead of blue and vermilion: two areas have no markers to tell them apart in greyscale.
Look bar_look(std::size_t series) {
  if (series == 1) return look(4);
  return look(series == 4 ? 1 : series);
}

bool is_named(const Histogram& histogram) {
  return std::ranges::any_of(histogram.bins, [](const Bin& bin) { return !bin.name.empty(); });
}

// Bins as they lie on the axis: named ones by number.
std::vector<Bin> places(const Histogram& histogram) {
  std::vector<Bin> bins = histogram.bins;
  if (!is_named(histogram)) return bins;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    bins[i].from = static_cast<double>(i);
    bins[i].to = static_cast<double>(i + 1);
  }
  return bins;
}

struct Tally {
  std::vector<double> ends;
  std::vector<double> heights;
  std::size_t drawn = 0;
  std::size_t dropped = 0;
};

bool has_place(const Axis& x, const Bin& bin) {
  return drawable(x, bin.from) && drawable(x, bin.to) && bin.from < bin.to;
}

Tally tally(const Histogram& histogram, const Axis& x, const std::vector<Bin>& bins) {
  Tally out;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const bool placed = has_place(x, bins[i]);
    if (placed) out.ends.insert(out.ends.end(), {bins[i].from, bins[i].to});
    for (const Bars& bars : histogram.series) {
      if (i >= bars.heights.size()) continue;
      // An empty bin has no bar on a logarithmic axis either, but nothing is missing.
      const bool usable = placed && (drawable(histogram.y, bars.heights[i]) || bars.heights[i] == 0);
      ++(usable ? out.drawn : out.dropped);
      if (usable) out.heights.push_back(bars.heights[i]);
    }
  }
  return out;
}

Axis x_axis(const Histogram& histogram, const std::vector<Bin>& bins) {
  Axis x = histogram.x;
  if (is_named(histogram)) {
    return {.label = x.label, .from = 0, .to = static_cast<double>(bins.size())};
  }
  return x;
}

// No rounding outwards: bars fill the axis from the first bin to the last.
Axis tight(Axis x, const Tally& tally) {
  if (tally.ends.empty()) return x;
  const auto [least, most] = std::ranges::minmax(tally.ends);
  // One bin alone gets room beside it, to look like a bar.
  const double room = tally.ends.size() == 2 && x.scale == Axis::Scale::linear ? most - least : 0;
  if (!x.from) x.from = least - room;
  if (!x.to) x.to = most + room;
  return x;
}

FittedAxis y_axis(const Histogram& histogram, const Tally& tally) {
  std::vector<double> values = tally.heights;
  Axis y = histogram.y;
  if (y.scale == Axis::Scale::linear) values.push_back(0);
  for (const ReferenceLine& line : histogram.lines) {
    if (line.across == ReferenceLine::Across::horizontal) values.push_back(line.at);
  }
  if (y.scale == Axis::Scale::logarithmic && !y.from) {
    // The smallest bar must have a height.
    double least = 1;
    bool any = false;
    for (const double value : values) {
      if (!drawable(y, value)) continue;
      least = any ? std::min(least, value) : value;
      any = true;
    }
    values.push_back(least / 2);
  }
  return {y, values};
}

std::string bin_text(const Bin& bin) {
  return bin.name.empty() ? fmt::format("{} to {}", number(bin.from), number(bin.to)) : bin.name;
}

FrameParts histogram_parts(const Histogram& histogram, const Axis& x, const Tally& tally) {
  FrameParts parts = {.title = histogram.title,
                      .caption = histogram.caption,
                      .kind = "bars",
                      .x_label = histogram.x.label,
                      .y_label = histogram.y.label,
                      .x = FittedAxis(x, tally.ends),
                      .y = y_axis(histogram, tally),
                      .notes = histogram.notes,
                      .size = histogram.size};
  if (is_named(histogram)) {
    for (const Bin& bin : histogram.bins) parts.categories.push_back(bin_text(bin));
  }
  for (std::size_t i = 0; i < histogram.series.size(); ++i) {
    const std::string& name = histogram.series[i].name;
    if (!name.empty()) parts.legend.push_back({name, bar_look(i), FrameParts::Entry::Sample::box});
  }
  const bool empty = std::ranges::all_of(tally.heights, [](double height) { return height == 0; });
  if (tally.drawn == 0) {
    parts.instead = tally.dropped == 0 ? "no data" : "no values that can be drawn";
  } else if (empty) {
    parts.instead = "all bars are 0";
  }
  if (histogram.bins.size() == 1 && tally.drawn > 0) parts.notes.push_back("There is one bin only.");
  if (tally.dropped > 0) {
    parts.notes.push_back(fmt::format("Not drawn: {} {} without a finite value{}.", count(tally.dropped),
                                      tally.dropped == 1 ? "bar" : "bars",
                                      histogram.y.scale == Axis::Scale::logarithmic ? " above 0" : ""));
  }
  return parts;
}

class HistogramDrawing {
 public:
  HistogramDrawing(const Histogram& histogram, const Frame& frame, std::vector<Bin> bins, const Axis& x)
      : histogram_(histogram), frame_(frame), bins_(std::move(bins)), x_(x), labels_(frame.area()) {}

  std::string draw() {
    std::string bars;
    for (std::size_t s = 0; s < histogram_.series.size(); ++s) {
      bars += fmt::format("<g fill=\"{}\" stroke=\"#fff\" stroke-width=\"0.6\">\n", bar_look(s).colour);
      for (std::size_t i = 0; i < bins_.size(); ++i) bars += bar(s, i);
      bars += "</g>\n";
    }
    const std::string strokes = frame_.reference_strokes(histogram_.lines, labels_);
    return frame_.cut_to_area(bars) + strokes + frame_.reference_texts(histogram_.lines, labels_);
  }

 private:
  std::string bar(std::size_t series, std::size_t i) {
    const Bars& bars = histogram_.series[series];
    if (i >= bars.heights.size() || !has_place(x_, bins_[i])) return "";
    const double height = bars.heights[i];
    if (height == 0 || !drawable(histogram_.y, height)) return "";
    const double number_of_series = static_cast<double>(histogram_.series.size());
    const double margin = is_named(histogram_) ? kNamedGap : 0;
    const double start = frame_.x(bins_[i].from);
    const double whole = frame_.x(bins_[i].to) - start;
    const double breadth = whole * (1 - 2 * margin) / number_of_series;
    const double ground = histogram_.y.scale == Axis::Scale::linear ? frame_.y(0) : frame_.area().bottom();
    const double tip = frame_.y(height);
    const double tall = std::max(kLeastBar, std::abs(ground - tip));
    const Box box = {start + whole * margin + breadth * static_cast<double>(series),
                     height > 0 ? ground - tall : ground, std::max(breadth, 0.3), tall};
    labels_.avoid(box);
    return rectangle(box, "",
                     fmt::format("{}{}{}: {}", bars.name, bars.name.empty() ? "" : ", ",
                                 bin_text(histogram_.bins[i]), number(height)));
  }

  const Histogram& histogram_;
  const Frame& frame_;
  std::vector<Bin> bins_;
  const Axis& x_;
  Labels labels_;
};

}  // namespace

std::string svg(const Histogram& histogram) {
  const std::vector<Bin> bins = places(histogram);
  Axis x = x_axis(histogram, bins);
  const Tally counted = tally(histogram, x, bins);
  x = tight(std::move(x), counted);
  const Frame frame(histogram_parts(histogram, x, counted));
  return frame.svg(HistogramDrawing(histogram, frame, bins, x).draw());
}

}  // namespace sotto::html
