#include "html/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "html/runs.h"
#include "html/text.h"

namespace sotto::html {
namespace {

constexpr std::size_t kMostMarkers = 150;  // of a series; beyond, markers would hide each other: dots
constexpr std::size_t kMostLabels = 300;   // tried, of a plot: the search for room is quadratic
constexpr double kCap = 3.5;

struct Values {
  std::vector<double> x;
  std::vector<double> y;
  std::size_t points = 0;
  std::size_t dropped = 0;
};

Values values_of(const Plot& plot) {
  Values values;
  for (const Series& series : plot.series) {
    for (const Point& point : series.points) {
      const bool drawn = drawable(plot.x, point.x) && drawable(plot.y, point.y);
      ++(drawn ? values.points : values.dropped);
      if (!drawn) continue;
      values.x.push_back(point.x);
      values.y.insert(values.y.end(), {point.y, point.low, point.high});
    }
  }
  for (const ReferenceLine& line : plot.lines) {
    (line.across == ReferenceLine::Across::horizontal ? values.y : values.x).push_back(line.at);
  }
  return values;
}

bool has_line(const Series& series) {
  return series.mark != Series::Mark::points;
}
bool has_points(const Series& series) {
  return series.mark == Series::Mark::points || series.mark == Series::Mark::both;
}

FrameParts::Entry::Sample sample_of(const Series& series) {
  using Sample = FrameParts::Entry::Sample;
  if (!has_line(series)) return Sample::marker;
  return has_points(series) ? Sample::both : Sample::line;
}

std::string plural(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", count(number), noun, number == 1 ? "" : "s");
}

bool is_thinned(const Plot& plot) {
  return std::ranges::any_of(plot.series, [](const Series& series) {
    return has_points(series) && series.points.size() > kMostPoints;
  });
}

FrameParts plot_parts(const Plot& plot, const Values& values) {
  FrameParts parts = {.title = plot.title,
                      .caption = plot.caption,
                      .kind = "plot",
                      .x_label = plot.x.label,
                      .y_label = plot.y.label,
                      .x = FittedAxis(plot.x, values.x),
                      .y = FittedAxis(plot.y, values.y),
                      .size = plot.size};
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    if (!series.name.empty()) parts.legend.push_back({series.name, look(i), sample_of(series)});
  }
  if (values.points == 0) parts.instead = values.dropped == 0 ? "no data" : "no values that can be drawn";
  if (values.points == 1) parts.notes.push_back("There is one point only.");
  if (is_thinned(plot)) parts.notes.push_back("Of points that lie close together one is drawn.");
  if (values.points > 1 && !parts.y.has_range()) {
    parts.notes.push_back(fmt::format("All values are equal: {}.", number(values.y.front())));
  }
  if (values.dropped > 0) {
    const bool logarithmic =
        plot.x.scale == Axis::Scale::logarithmic || plot.y.scale == Axis::Scale::logarithmic;
    parts.notes.push_back(fmt::format("Not drawn: {} without a finite value{}.",
                                      plural(values.dropped, "point"),
                                      logarithmic ? " above 0 on a logarithmic axis" : ""));
  }
  std::size_t outside = 0;
  for (const Series& series : plot.series) {
    for (const Point& point : series.points) {
      const bool drawn = drawable(plot.x, point.x) && drawable(plot.y, point.y);
      if (drawn && !(parts.x.shows(point.x) && parts.y.shows(point.y))) ++outside;
    }
  }
  if (outside > 0) parts.notes.push_back(fmt::format("{} outside the axes.", plural(outside, "point")));
  return parts;
}

struct Ends {
  double low = 0;
  double high = 0;
};
// The interval of a point in pixels, with the point itself for an end that it has not.
Ends ends(const Placed& placed, const Frame& frame) {
  const auto end = [&](double value) { return std::isnan(value) ? placed.at.y : frame.y(value); };
  return {end(placed.point->low), end(placed.point->high)};
}

std::string joined(const std::vector<Spot>& spots) {
  std::string out;
  for (const Spot& spot : spots) {
    fmt::format_to(std::back_inserter(out), "{}{},{}", out.empty() ? "" : " ", coordinate(spot.x),
                   coordinate(spot.y));
  }
  return out;
}

class PlotDrawing {
 public:
  explicit PlotDrawing(const Plot& plot, const Frame& frame)
      : plot_(plot), frame_(frame), labels_(frame.area()) {}

  std::string draw() {
    const std::string strokes = frame_.reference_strokes(plot_.lines, labels_);
    for (std::size_t i = 0; i < plot_.series.size(); ++i) series(plot_.series[i], look(i));
    const std::string texts = frame_.reference_texts(plot_.lines, labels_);
    std::string names;
    for (const Wanted& wanted : wanted_) names += label(wanted);
    return strokes + frame_.cut_to_area(bands_ + lines_) + markers_ + texts + names;
  }

 private:
  struct Wanted {
    Spot at;
    std::string_view ink;
    const std::string* text;
  };

  void series(const Series& series, const Look& look) {
    const std::vector<Run> runs = runs_of(plot_, series, frame_);
    for (const Run& run : runs) {
      const Run thin = thinned_line(run);
      if (series.interval == Series::Interval::band) band(series, thin, look);
      if (has_line(series)) line_through(series, thin, look);
    }
    const Run points = thinned_points(runs);
    if (series.interval == Series::Interval::bars) bars(points, look);
    if (has_points(series)) points.size() > kMostMarkers ? dots(points, look) : markers(series, points, look);
    // A line needs two points to be seen.
    if (!has_points(series)) markers(series, lone(runs), look);
    wish(points, look);
  }

  static Run lone(const std::vector<Run>& runs) {
    Run out;
    for (const Run& run : runs) {
      if (run.size() == 1 && run.front().inside && out.size() < kMostMarkers) out.push_back(run.front());
    }
    return out;
  }

  void band(const Series& series, const Run& run, const Look& look) {
    const bool any = std::ranges::any_of(run, [](const Placed& placed) {
      return !std::isnan(placed.point->low) || !std::isnan(placed.point->high);
    });
    if (!any || run.size() < 2) return;
    std::vector<Spot> edge;
    std::vector<Spot> back;
    for (const Placed& placed : run) {
      const Ends its = ends(placed, frame_);
      if (series.mark == Series::Mark::step && !edge.empty()) {
        edge.push_back({placed.at.x, edge.back().y});
        back.push_back({placed.at.x, back.back().y});
      }
      edge.push_back({placed.at.x, its.high});
      back.push_back({placed.at.x, its.low});
    }
    edge.insert(edge.end(), back.rbegin(), back.rend());
    bands_ += fmt::format("<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"0.18\"/>\n", joined(edge),
                          look.colour);
  }

  void bars(const Run& points, const Look& look) {
    std::string path;
    for (const Placed& placed : points) {
      const Ends its = ends(placed, frame_);
      if (its.low == its.high) continue;
      labels_.avoid(Stroke{{placed.at.x, its.low}, {placed.at.x, its.high}});
      labels_.avoid(Box{placed.at.x - kCap, its.high - 1, 2 * kCap, 2});
      labels_.avoid(Box{placed.at.x - kCap, its.low - 1, 2 * kCap, 2});
      const std::string left = coordinate(placed.at.x - kCap);
      path += fmt::format("M{0} {1}h{2}M{0} {3}h{2}M{4} {1}V{3}", left, coordinate(its.low),
                          coordinate(2 * kCap), coordinate(its.high), coordinate(placed.at.x));
    }
    if (path.empty()) return;
    lines_ +=
        fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.2\"/>\n", path, look.colour);
  }

  void line_through(const Series& series, const Run& run, const Look& look) {
    if (run.size() < 2) return;
    std::vector<Spot> spots;
    for (const Placed& placed : run) {
      if (series.mark == Series::Mark::step && !spots.empty()) spots.push_back({placed.at.x, spots.back().y});
      spots.push_back(placed.at);
    }
    for (std::size_t i = 1; i < spots.size(); ++i) labels_.avoid(Stroke{spots[i - 1], spots[i]});
    const std::string dash = look.dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", look.dash);
    lines_ += fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" "
        "stroke-linejoin=\"round\"{}/>\n",
        joined(spots), look.colour, dash);
  }

  void markers(const Series& series, const Run& points, const Look& look) {
    if (points.empty()) return;
    markers_ += "<g stroke=\"#fff\" stroke-width=\"0.8\">\n";
    for (const Placed& placed : points) {
      labels_.avoid(Box{placed.at.x - 5, placed.at.y - 5, 10, 10});
      markers_ += marker(look, placed.at, title(series, *placed.point));
    }
    markers_ += "</g>\n";
  }

  void dots(const Run& points, const Look& look) {
    std::string path;
    for (const Placed& placed : points) {
      path += fmt::format("M{} {}h0", coordinate(placed.at.x), coordinate(placed.at.y));
    }
    markers_ += fmt::format("<path d=\"{}\" stroke=\"{}\" stroke-width=\"3\" stroke-linecap=\"round\"/>\n",
                            path, look.colour);
  }

  static std::string title(const Series& series, const Point& point) {
    std::string out = series.name;
    if (!point.label.empty()) out += (out.empty() ? "" : ", ") + point.label;
    return fmt::format("{}{}{}, {}", out, out.empty() ? "" : ": ", number(point.x), number(point.y));
  }

  void wish(const Run& points, const Look& look) {
    for (const Placed& placed : points) {
      if (placed.point->label.empty() || wanted_.size() >= kMostLabels) continue;
      wanted_.push_back({placed.at, look.ink, &placed.point->label});
    }
  }

  std::string label(const Wanted& wanted) {
    const std::string text = shortened(*wanted.text, {frame_.area().width / 4, kLabelSize});
    const double width = text_width(text, kLabelSize);
    std::vector<Box> boxes;
    for (const double away : {7.0, 14.0}) {
      const Spot at = wanted.at;
      const double above = at.y - away - kLabelHeight + 1;
      const double level = at.y - kLabelHeight / 2;
      const double right = at.x + away;
      const double left = at.x - away - width;
      const double middle = at.x - width / 2;
      const double near = at.y + away - 1;
      for (const Spot corner : {Spot{middle, above}, Spot{right, level}, Spot{middle, near},
                                Spot{left, level}, Spot{right - 3, above + 3}, Spot{left + 3, above + 3},
                                Spot{right - 3, near - 3}, Spot{left + 3, near - 3}}) {
        boxes.push_back({corner.x, corner.y, width, kLabelHeight});
      }
    }
    const auto box = labels_.place(boxes);
    if (!box) return "";
    const Spot base = {box->left, box->bottom() - 2.5};
    return words({.at = base, .size = kLabelSize, .colour = wanted.ink, .more = kHalo}, text);
  }

  const Plot& plot_;
  const Frame& frame_;
  Labels labels_;
  std::vector<Wanted> wanted_;
  std::string bands_;
  std::string lines_;
  std::string markers_;
};

}  // namespace

std::string svg(const Plot& plot) {
  const Frame frame(plot_parts(plot, values_of(plot)));
  return frame.svg(PlotDrawing(plot, frame).draw());
}

}  // namespace sotto::html
