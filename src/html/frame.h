#pragma once
#include <optional>
#include <string>
#include <vector>

#include "html/axis.h"
#include "html/labels.h"
#include "html/marks.h"

namespace sotto::html {

// In pixels of the screen; on a page it shrinks with the column. The area of the data is smaller by the
// axes, the height grows with a legend of several lines and with notes.
struct Size {
  double width = 720;
  double height = 380;
};

// A value worth a line across the whole plot, such as a ceiling or a quantile.
struct ReferenceLine {
  enum class Across { horizontal, vertical };

  Across across = Across::horizontal;
  double at = 0;
  std::string label = {};
};

// What every drawing has around its data: title, legend, axes, reference lines and notes below.
struct FrameParts {
  struct Entry {
    enum class Sample { line, marker, both, box };

    std::string name;
    Look look = {};
    Sample sample = Sample::both;
  };

  std::string title = {};
  std::string caption = {};
  std::string kind = {};  // "line plot": for readers who cannot see it
  std::string x_label = {};
  std::string y_label = {};
  FittedAxis x;
  FittedAxis y;
  std::vector<std::string> categories = {};  // instead of ticks: x runs from 0 to their number
  std::vector<Entry> legend = {};
  std::vector<std::string> notes = {};
  std::string instead = {};  // said in the middle where there is nothing to draw
  Size size = {};
};

class Frame {
 public:
  explicit Frame(FrameParts parts);

  const Box& area() const { return area_; }
  double x(double value) const { return area_.left + area_.width * parts_.x.place(value); }
  double y(double value) const { return area_.bottom() - area_.height * parts_.y.place(value); }
  Spot spot(Spot value) const { return {x(value.x), y(value.y)}; }
  bool shows(Spot value) const { return parts_.x.shows(value.x) && parts_.y.shows(value.y); }

  // The lines that fall into the area, to be drawn below the data, and what they say, to be drawn above.
  std::string reference_strokes(const std::vector<ReferenceLine>& lines, Labels& labels) const;
  std::string reference_texts(const std::vector<ReferenceLine>& lines, Labels& labels) const;
  // What may reach out of the area is cut at its edge. No clip path: those need names, which would have to
  // differ between the drawings of a page.
  std::string cut_to_area(const std::string& drawing) const;
  std::string svg(const std::string& drawing) const;

 private:
  struct Slot {
    Spot at;
    std::string name;
  };
  std::vector<const ReferenceLine*> shown(const std::vector<ReferenceLine>& lines) const;
  void lay_out();
  double lay_out_legend(double top);
  double category_depth() const;
  double category_width() const;
  double longest_category() const;
  std::string head() const;
  std::string legend() const;
  std::string grid() const;
  std::string axis_texts() const;
  std::string category_texts() const;
  std::string foot() const;
  std::string description() const;

  FrameParts parts_;
  Box area_;
  double height_ = 0;
  bool slanted_ = false;  // the categories' names, which are too long to lie side by side
  std::vector<Slot> slots_;
};

// Halo of labels, so that they read on top of lines.
inline constexpr std::string_view kHalo =
    "stroke=\"#fff\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"";
inline constexpr double kLabelSize = 11;
inline constexpr double kLabelHeight = 12;

}  // namespace sotto::html
