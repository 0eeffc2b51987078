#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "html/labels.h"

namespace sotto::html {

// How one series looks: colour, shape and dashes all differ, so that it reads in greyscale and for the colour
// blind (palette of Okabe and Ito 2008, without its yellow).
struct Look {
  std::string_view colour;
  std::string_view ink;   // the colour, dark enough for text on white
  std::string_view dash;  // empty for a solid line
  std::size_t shape = 0;
};
Look look(std::size_t series);

// A marker of about eight pixels. `title` (not escaped, may be empty) shows when one points at it.
std::string marker(const Look& look, Spot centre, std::string_view title);

struct Words {
  enum class Anchor { start, middle, end };

  Spot at;  // on the base line
  Anchor anchor = Anchor::start;
  double size = 12;
  std::string_view colour = "#222";
  std::string_view more = {};  // further attributes, trusted
};
// Text is escaped here.
std::string words(const Words& how, std::string_view text);
std::string line(const Stroke& stroke, std::string_view attributes);
std::string rectangle(const Box& box, std::string_view attributes, std::string_view title = {});

}  // namespace sotto::html
