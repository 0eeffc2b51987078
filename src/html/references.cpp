// The reference lines of a frame.
#include <fmt/format.h>

#include "html/frame.h"
#include "html/text.h"

namespace sotto::html {
namespace {

constexpr double kGap = 4;

// Above or below the line, at either end or in the middle of it.
std::vector<Box> beside_horizontal(const Box& area, double at, double width) {
  std::vector<Box> boxes;
  for (const double left :
       {area.right() - width - kGap, area.left + kGap, area.left + (area.width - width) / 2}) {
    boxes.push_back({left, at - kLabelHeight - 3, width, kLabelHeight});
    boxes.push_back({left, at + 3, width, kLabelHeight});
  }
  return boxes;
}

// Right or left of the line, from the top downwards: lines that stand close get labels one below another.
std::vector<Box> beside_vertical(const Box& area, double at, double width) {
  std::vector<Box> boxes;
  for (double top = area.top + 2; top + kLabelHeight < area.bottom(); top += kLabelHeight + 3) {
    boxes.push_back({at + kGap, top, width, kLabelHeight});
    boxes.push_back({at - kGap - width, top, width, kLabelHeight});
  }
  return boxes;
}

}  // namespace

std::vector<const ReferenceLine*> Frame::shown(const std::vector<ReferenceLine>& lines) const {
  std::vector<const ReferenceLine*> shown;
  for (const ReferenceLine& reference : lines) {
    const bool level = reference.across == ReferenceLine::Across::horizontal;
    if ((level ? parts_.y : parts_.x).shows(reference.at)) shown.push_back(&reference);
  }
  return shown;
}

std::string Frame::reference_strokes(const std::vector<ReferenceLine>& lines, Labels& labels) const {
  std::string strokes;
  for (const ReferenceLine* reference : shown(lines)) {
    const Stroke stroke = reference->across == ReferenceLine::Across::horizontal
                              ? Stroke{{area_.left, y(reference->at)}, {area_.right(), y(reference->at)}}
                              : Stroke{{x(reference->at), area_.top}, {x(reference->at), area_.bottom()}};
    labels.avoid(stroke);
    // Light below dark: to be seen on bars too.
    strokes += line(stroke, "stroke=\"#fff\" stroke-width=\"3\" stroke-opacity=\"0.6\"");
    strokes += line(stroke, "stroke=\"#444\" stroke-width=\"1.3\" stroke-dasharray=\"6 4\"");
  }
  return strokes;
}

std::string Frame::reference_texts(const std::vector<ReferenceLine>& lines, Labels& labels) const {
  std::string texts;
  for (const ReferenceLine* reference : shown(lines)) {
    if (reference->label.empty()) continue;
    const std::string text = shortened(reference->label, {area_.width * 0.6, kLabelSize});
    const double width = text_width(text, kLabelSize);
    const auto boxes = reference->across == ReferenceLine::Across::horizontal
                           ? beside_horizontal(area_, y(reference->at), width)
                           : beside_vertical(area_, x(reference->at), width);
    const Box box = labels.place_always(boxes);
    texts += words({.at = {box.left, box.bottom() - 3}, .size = kLabelSize, .colour = "#222", .more = kHalo},
                   text);
  }
  return texts;
}

}  // namespace sotto::html
