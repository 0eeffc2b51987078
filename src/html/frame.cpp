#include "html/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "html/text.h"

namespace sotto::html {
namespace {

constexpr double kTickSize = 12;
constexpr double kTitleSize = 15;
constexpr double kLegendSize = 12;
constexpr double kLegendLine = 19;
constexpr double kSampleWidth = 34;
constexpr double kNoteSize = 11;
constexpr double kNoteLine = 15;
constexpr double kMargin = 8;
constexpr double kLongestCategory = 140;
constexpr double kLeastArea = 80;    // pixels each way, however small the size asked for
constexpr double kSlantSine = 0.57;  // of 35 degrees
constexpr double kSlantCosine = 0.82;
constexpr std::string_view kFonts =
    "system-ui, -apple-system, &quot;Segoe UI&quot;, Roboto, &quot;Helvetica Neue&quot;, Arial, sans-serif";

double widest(const std::vector<Tick>& ticks) {
  double width = 0;
  for (const Tick& tick : ticks) width = std::max(width, text_width(tick.text, kTickSize));
  return width;
}

// Half of the last tick's text stands beyond the axis.
double right_overhang(const std::vector<Tick>& ticks) {
  return std::max(8.0, ticks.empty() ? 0 : text_width(ticks.back().text, kTickSize) / 2 - kMargin + 2);
}

std::string dash_attribute(const Look& look) {
  return look.dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", look.dash);
}

std::string sample(const FrameParts::Entry& entry, Spot left) {
  using Sample = FrameParts::Entry::Sample;
  const double middle = left.y - 4;
  if (entry.sample == Sample::box) {
    return rectangle({left.x + 8, middle - 5, 14, 10}, fmt::format("fill=\"{}\"", entry.look.colour));
  }
  std::string out;
  if (entry.sample != Sample::marker) {
    out += line(
        {{left.x, middle}, {left.x + 28, middle}},
        fmt::format("stroke=\"{}\" stroke-width=\"2\"{}", entry.look.colour, dash_attribute(entry.look)));
  }
  if (entry.sample != Sample::line) out += marker(entry.look, {left.x + 14, middle}, "");
  return out;
}

}  // namespace

Frame::Frame(FrameParts parts) : parts_(std::move(parts)) {
  lay_out();
}

// Entries side by side, in as many lines as they need. Returns where the legend ends.
double Frame::lay_out_legend(double top) {
  if (parts_.legend.empty()) return top;
  const double right = parts_.size.width - kMargin;
  Spot at = {kMargin, top + kLegendLine - 4};
  for (const FrameParts::Entry& entry : parts_.legend) {
    const std::string name = shortened(entry.name, {right - kMargin - kSampleWidth, kLegendSize});
    const double width = kSampleWidth + text_width(name, kLegendSize);
    if (at.x > kMargin && at.x + width > right) at = {kMargin, at.y + kLegendLine};
    slots_.push_back({at, name});
    at.x += width + 18;
  }
  return at.y + 6;
}

double Frame::category_width() const {
  return area_.width / static_cast<double>(std::max<std::size_t>(1, parts_.categories.size()));
}

// The first name must not reach out of the drawing on the left.
double Frame::longest_category() const {
  return slanted_ ? std::min(kLongestCategory, (area_.left + category_width() / 2) / kSlantCosine)
                  : kLongestCategory;
}

// How far the names reach below the axis.
double Frame::category_depth() const {
  double longest = 0;
  for (const std::string& name : parts_.categories) longest = std::max(longest, text_width(name, kTickSize));
  return slanted_ ? 10 + std::min(longest, longest_category()) * kSlantSine + 12 : 20;
}

void Frame::lay_out() {
  double top = kMargin;
  if (!parts_.title.empty()) top += kTitleSize + 6;
  top = lay_out_legend(top) + 10;
  const double left = kMargin + (parts_.y_label.empty() ? 0 : 20) + widest(parts_.y.ticks()) + 9;
  area_ = {left, top,
           std::max(kLeastArea, parts_.size.width - left - kMargin - right_overhang(parts_.x.ticks())), 0};
  slanted_ = std::ranges::any_of(parts_.categories, [&](const std::string& name) {
    return text_width(name, kTickSize) + 6 > category_width();
  });
  const double below = category_depth() + (parts_.x_label.empty() ? 0 : 20) + kMargin;
  area_.height = std::max(kLeastArea, parts_.size.height - kMargin - kTitleSize - 16 - below);
  height_ = area_.bottom() + below;
  if (!parts_.notes.empty()) height_ += 6 + kNoteLine * static_cast<double>(parts_.notes.size());
}

std::string Frame::description() const {
  std::string out = parts_.kind;
  if (!parts_.title.empty()) out += ": " + parts_.title;
  if (!parts_.x_label.empty()) out += "; across: " + parts_.x_label;
  if (!parts_.y_label.empty()) out += "; upwards: " + parts_.y_label;
  for (std::size_t i = 0; i < parts_.legend.size(); ++i) {
    out += (i == 0 ? "; series: " : ", ") + parts_.legend[i].name;
  }
  return out;
}

std::string Frame::head() const {
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\" "
      "aria-label=\"{2}\" font-family=\"{3}\">\n",
      coordinate(parts_.size.width), coordinate(height_), escaped(description()), kFonts);
  if (!parts_.caption.empty()) out += fmt::format("<desc>{}</desc>\n", escaped(parts_.caption));
  out += rectangle({0, 0, parts_.size.width, height_}, "fill=\"#fff\"");
  if (!parts_.title.empty()) {
    const std::string title = shortened(parts_.title, {parts_.size.width - 2 * kMargin, kTitleSize});
    out +=
        words({.at = {kMargin, kMargin + kTitleSize - 2}, .size = kTitleSize, .more = "font-weight=\"600\""},
              title);
  }
  return out;
}

std::string Frame::legend() const {
  std::string out;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    out += sample(parts_.legend[i], slots_[i].at);
    out +=
        words({.at = {slots_[i].at.x + kSampleWidth, slots_[i].at.y}, .size = kLegendSize}, slots_[i].name);
  }
  return out;
}

std::string Frame::grid() const {
  std::string lines;
  std::string ticks;
  const auto add = [](std::string& path, const Stroke& stroke) {
    path += fmt::format("M{} {}L{} {}", coordinate(stroke.start.x), coordinate(stroke.start.y),
                        coordinate(stroke.end.x), coordinate(stroke.end.y));
  };
  for (const Tick& tick : parts_.y.ticks()) {
    const double at = y(tick.value);
    if (!tick.text.empty()) add(lines, {{area_.left, at}, {area_.right(), at}});
    add(ticks, {{area_.left, at}, {area_.left - (tick.text.empty() ? 3 : 5), at}});
  }
  if (parts_.categories.empty()) {
    for (const Tick& tick : parts_.x.ticks()) {
      const double at = x(tick.value);
      if (!tick.text.empty()) add(lines, {{at, area_.top}, {at, area_.bottom()}});
      add(ticks, {{at, area_.bottom()}, {at, area_.bottom() + (tick.text.empty() ? 3 : 5)}});
    }
  }
  add(ticks, {{area_.left, area_.top}, {area_.left, area_.bottom()}});
  add(ticks, {{area_.left, area_.bottom()}, {area_.right(), area_.bottom()}});
  const std::string grid = lines.empty() ? "" : fmt::format("<path d=\"{}\" stroke=\"#e2e2e2\"/>\n", lines);
  return grid + fmt::format("<path d=\"{}\" stroke=\"#555\" fill=\"none\"/>\n", ticks);
}

std::string Frame::category_texts() const {
  std::string out;
  // Names that stand closer than their own height are left out, evenly.
  const auto stride = static_cast<std::size_t>(std::max(1.0, std::ceil(15 / category_width())));
  for (std::size_t i = 0; i < parts_.categories.size(); i += stride) {
    const double middle = area_.left + category_width() * (static_cast<double>(i) + 0.5);
    const std::string name = shortened(parts_.categories[i], {longest_category(), kTickSize});
    if (!slanted_) {
      out += words({.at = {middle, area_.bottom() + 18}, .anchor = Words::Anchor::middle, .size = kTickSize},
                   name);
      continue;
    }
    const Spot at = {middle + 4, area_.bottom() + 14};
    const std::string turn =
        fmt::format("transform=\"rotate(-35 {} {})\"", coordinate(at.x), coordinate(at.y));
    out += words({.at = at, .anchor = Words::Anchor::end, .size = kTickSize, .more = turn}, name);
  }
  return out;
}

std::string Frame::axis_texts() const {
  std::string out = category_texts();
  for (const Tick& tick : parts_.y.ticks()) {
    if (tick.text.empty()) continue;
    out += words({.at = {area_.left - 8, y(tick.value) + 4}, .anchor = Words::Anchor::end, .size = kTickSize},
                 tick.text);
  }
  if (parts_.categories.empty()) {
    for (const Tick& tick : parts_.x.ticks()) {
      if (tick.text.empty()) continue;
      const Spot at = {x(tick.value), area_.bottom() + 18};
      out += words({.at = at, .anchor = Words::Anchor::middle, .size = kTickSize}, tick.text);
    }
  }
  if (!parts_.x_label.empty()) {
    const Spot at = {area_.left + area_.width / 2, area_.bottom() + category_depth() + 19};
    const std::string label = shortened(parts_.x_label, {area_.width, kTickSize + 1});
    out += words({.at = at, .anchor = Words::Anchor::middle, .size = kTickSize + 1}, label);
  }
  if (!parts_.y_label.empty()) {
    const Spot at = {kMargin + 12, area_.top + area_.height / 2};
    const std::string turn =
        fmt::format("transform=\"rotate(-90 {} {})\"", coordinate(at.x), coordinate(at.y));
    const std::string label = shortened(parts_.y_label, {area_.height, kTickSize + 1});
    out += words({.at = at, .anchor = Words::Anchor::middle, .size = kTickSize + 1, .more = turn}, label);
  }
  return out;
}

std::string Frame::foot() const {
  std::string out;
  if (!parts_.instead.empty()) {
    out += words({.at = {area_.left + area_.width / 2, area_.top + area_.height / 2},
                  .anchor = Words::Anchor::middle,
                  .size = 14,
                  .colour = "#555"},
                 parts_.instead);
  }
  double at = height_ + kNoteSize - 3 - kNoteLine * static_cast<double>(parts_.notes.size());
  for (const std::string& note : parts_.notes) {
    const std::string text = shortened(note, {parts_.size.width - 2 * kMargin, kNoteSize});
    out += words({.at = {kMargin, at}, .size = kNoteSize, .colour = "#555"}, text);
    at += kNoteLine;
  }
  return out;
}

std::string Frame::cut_to_area(const std::string& drawing) const {
  if (drawing.empty()) return "";
  return fmt::format(
      "<svg x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" viewBox=\"{0} {1} {2} {3}\">\n{4}</svg>\n",
      coordinate(area_.left), coordinate(area_.top), coordinate(area_.width), coordinate(area_.height),
      drawing);
}

std::string Frame::svg(const std::string& drawing) const {
  return head() + grid() + drawing + axis_texts() + legend() + foot() + "</svg>\n";
}

}  // namespace sotto::html
