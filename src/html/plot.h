#pragma once
#include <limits>
#include <string>
#include <vector>

#include "html/axis.h"
#include "html/frame.h"

namespace sotto::html {

struct Point {
  double x = 0;
  double y = 0;
  // Ends of an interval for y; NaN where there is none, infinity where there is no bound.
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
  std::string label = {};  // left out of the drawing where there is no room
};

struct Series {
  enum class Mark { line, points, both, step };
  enum class Interval { bars, band };

  std::string name = {};
  std::vector<Point> points = {};  // a line joins them in this order
  Mark mark = Mark::both;
  Interval interval = Interval::bars;
};

// Lines and points of several series on two axes. A point that cannot be drawn (NaN, infinite, not above 0 on
// a logarithmic axis, outside fixed ends) is left out, interrupts its line, and is counted in a note.
struct Plot {
  std::string title = {};
  std::string caption = {};  // for the page; a description in the SVG itself
  Axis x = {};
  Axis y = {};
  std::vector<Series> series = {};
  std::vector<ReferenceLine> lines = {};
  Size size = {};
};

// A whole SVG document: it can be a file of its own, or stand in a page. The same plot gives the same bytes.
std::string svg(const Plot& plot);

}  // namespace sotto::html
