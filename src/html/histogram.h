#pragma once
#include <string>
#include <vector>

#include "html/axis.h"
#include "html/frame.h"

namespace sotto::html {

struct Bin {
  double from = 0;
  double to = 0;
  std::string name = {};  // named bins stand side by side, equally broad, whatever their ends
};

struct Bars {
  std::string name = {};
  std::vector<double> heights = {};  // one for each bin; not finite: no bar, and a note
};

// Bars over bins. Several series (two read well, more do not) share the breadth of a bin. Quantiles and other
// marks are vertical reference lines; on named bins they are counted in bins from the left (1.5: the middle
// of the second).
struct Histogram {
  std::string title = {};
  std::string caption = {};
  Axis x = {};  // the scale is ignored for named bins
  Axis y = {};
  std::vector<Bin> bins = {};
  std::vector<Bars> series = {};
  std::vector<ReferenceLine> lines = {};
  std::vector<std::string> notes = {};  // said below
  Size size = {.width = 720, .height = 300};
};

// A whole SVG document, as for Plot.
std::string svg(const Histogram& histogram);

}  // namespace sotto::html
