#include "html/marks.h"

#include <fmt/format.h>

#include <array>

#include "html/text.h"

namespace sotto::html {
namespace {

struct Colour {
  std::string_view plain;
  std::string_view ink;
};
constexpr std::array<Colour, 7> kColours = {{{"#0072b2", "#005a8c"},
                                             {"#d55e00", "#a34700"},
                                             {"#009e73", "#00694d"},
                                             {"#cc79a7", "#94456f"},
                                             {"#e69f00", "#805800"},
                                             {"#56b4e9", "#1b6a9c"},
                                             {"#222222", "#222222"}}};
constexpr std::array<std::string_view, 6> kDashes = {"",    "7 3", "2 2.5", "10 3 2 3", "5 2 1.5 2 1.5 2",
                                                     "14 4"};

struct Shape {
  Spot start;  // from the centre
  std::string_view path;
};
// Circle, square, triangle, diamond, triangle downwards, plus.
constexpr std::array<Shape, 6> kShapes = {{{{-4, 0}, "a4 4 0 1 0 8 0a4 4 0 1 0-8 0z"},
                                           {{-3.5, -3.5}, "h7v7h-7z"},
                                           {{0, -5}, "l4.5 8h-9z"},
                                           {{0, -5}, "l5 5-5 5-5-5z"},
                                           {{0, 5}, "l4.5-8h-9z"},
                                           {{-1.5, -4.5}, "h3v3h3v3h-3v3h-3v-3h-3v-3h3z"}}};

std::string_view anchor_attribute(Words::Anchor anchor) {
  switch (anchor) {
    case Words::Anchor::middle:
      return " text-anchor=\"middle\"";
    case Words::Anchor::end:
      return " text-anchor=\"end\"";
    case Words::Anchor::start:
      break;
  }
  return "";
}

std::string with_title(std::string_view tag, std::string element, std::string_view title) {
  if (title.empty()) return element + "/>\n";
  return fmt::format("{}><title>{}</title></{}>\n", element, escaped(title), tag);
}

}  // namespace

Look look(std::size_t series) {
  const Colour& colour = kColours[series % kColours.size()];
  return {colour.plain, colour.ink, kDashes[series % kDashes.size()], series % kShapes.size()};
}

std::string marker(const Look& look, Spot centre, std::string_view title) {
  const Shape& shape = kShapes[look.shape];
  return with_title("path",
                    fmt::format("<path d=\"M{} {}{}\" fill=\"{}\"", coordinate(centre.x + shape.start.x),
                                coordinate(centre.y + shape.start.y), shape.path, look.colour),
                    title);
}

std::string words(const Words& how, std::string_view text) {
  return fmt::format("<text x=\"{}\" y=\"{}\"{} font-size=\"{}\" fill=\"{}\"{}{}>{}</text>\n",
                     coordinate(how.at.x), coordinate(how.at.y), anchor_attribute(how.anchor),
                     coordinate(how.size), how.colour, how.more.empty() ? "" : " ", how.more, escaped(text));
}

std::string line(const Stroke& stroke, std::string_view attributes) {
  return fmt::format("<path d=\"M{} {}L{} {}\" {}/>\n", coordinate(stroke.start.x),
                     coordinate(stroke.start.y), coordinate(stroke.end.x), coordinate(stroke.end.y),
                     attributes);
}

std::string rectangle(const Box& box, std::string_view attributes, std::string_view title) {
  return with_title(
      "rect",
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}", coordinate(box.left),
                  coordinate(box.top), coordinate(box.width), coordinate(box.height), attributes),
      title);
}

}  // namespace sotto::html
