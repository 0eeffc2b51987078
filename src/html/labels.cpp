#include "html/labels.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace sotto::html {
namespace {

// Square pixels of a label that each thing is worth; a later candidate pays a little for being later.
constexpr double kLabelWeight = 20;
constexpr double kStrokeCost = 12;
constexpr double kLater = 1.5;

double overlap(const Box& a, const Box& b) {
  const double width = std::min(a.right(), b.right()) - std::max(a.left, b.left);
  const double height = std::min(a.bottom(), b.bottom()) - std::max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}

// Liang and Barsky's clipping: whether anything of the stroke lies in the box.
bool crosses(const Stroke& stroke, const Box& box) {
  const double dx = stroke.end.x - stroke.start.x;
  const double dy = stroke.end.y - stroke.start.y;
  const std::array<double, 4> along = {-dx, dx, -dy, dy};
  const std::array<double, 4> room = {stroke.start.x - box.left, box.right() - stroke.start.x,
                                      stroke.start.y - box.top, box.bottom() - stroke.start.y};
  double enters = 0;
  double leaves = 1;
  for (std::size_t side = 0; side < along.size(); ++side) {
    if (along[side] == 0) {
      if (room[side] < 0) return false;
      continue;
    }
    const double at = room[side] / along[side];
    along[side] < 0 ? enters = std::max(enters, at) : leaves = std::min(leaves, at);
  }
  return enters <= leaves;
}

}  // namespace

double Labels::conflict(const Box& box) const {
  double area = box.width * box.height - overlap(box, area_);
  for (const Box& label : labels_) area += overlap(box, label);
  return area;
}

double Labels::cost(const Box& box) const {
  double cost = kLabelWeight * conflict(box);
  for (const Box& mark : marks_) cost += overlap(box, mark);
  for (const Stroke& stroke : strokes_) cost += crosses(stroke, box) ? kStrokeCost : 0;
  return cost;
}

Box Labels::place_always(std::span<const Box> candidates) {
  assert(!candidates.empty());
  std::size_t best = 0;
  double best_cost = cost(candidates[0]);
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    const double its_cost = cost(candidates[i]) + kLater * static_cast<double>(i);
    if (its_cost < best_cost) {
      best = i;
      best_cost = its_cost;
    }
  }
  labels_.push_back(candidates[best]);
  return candidates[best];
}

std::optional<Box> Labels::place(std::span<const Box> candidates) {
  const Box best = place_always(candidates);
  labels_.pop_back();
  // Widths are guesses: a pixel or two is no conflict.
  if (conflict(best) > 0.05 * best.width * best.height) return std::nullopt;
  labels_.push_back(best);
  return best;
}

}  // namespace sotto::html
