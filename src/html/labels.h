#pragma once
#include <optional>
#include <span>
#include <vector>

namespace sotto::html {

// Pixels of a drawing; y grows downwards.
struct Spot {
  double x = 0;
  double y = 0;
};
struct Box {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;

  double right() const { return left + width; }
  double bottom() const { return top + height; }
};
struct Stroke {
  Spot start;
  Spot end;
};

// Finds room for labels, greedily and in the order asked for: good enough for some dozens of them.
class Labels {
 public:
  explicit Labels(Box area) : area_(area) {}

  // Things drawn that a label should rather not hide; each bar or marker, each piece of a line.
  void avoid(const Box& mark) { marks_.push_back(mark); }
  void avoid(const Stroke& stroke) { strokes_.push_back(stroke); }

  // The best of the candidates, earlier ones preferred; empty if each one leaves the area or hides a label.
  std::optional<Box> place(std::span<const Box> candidates);
  // The best even then.
  Box place_always(std::span<const Box> candidates);

 private:
  double cost(const Box& box) const;
  double conflict(const Box& box) const;

  Box area_;
  std::vector<Box> labels_;
  std::vector<Box> marks_;
  std::vector<Stroke> strokes_;
};

}  // namespace sotto::html
