#include "lab/embeddings/results.h"

#include <algorithm>
#include <cmath>

namespace sotto::lab::embeddings {

namespace {

void add_new(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

}  // namespace

std::optional<double> read_off(std::vector<CurvePoint> curve, double x) {
  std::erase_if(curve, [](const CurvePoint& point) { return std::isnan(point.x) || std::isnan(point.y); });
  std::ranges::sort(curve, {}, &CurvePoint::x);
  for (std::size_t i = 0; i + 1 < curve.size(); ++i) {
    const auto& [from, to] = std::pair(curve[i], curve[i + 1]);
    if (!(from.x <= x && x <= to.x)) continue;
    return from.x == to.x ? from.y : std::lerp(from.y, to.y, (x - from.x) / (to.x - from.x));
  }
  return std::nullopt;
}

LawResults::LawResults(const Points& laws) : laws_(laws), rows_(laws.rows()) {
  for (const Points::Row& row : rows_) {
    auto found = std::ranges::find_if(curves_, [&](const Curve& curve) {
      return curve.group == row.keys[0] && curve.embedding == row.keys[1] && curve.metric == row.keys[2] &&
             curve.mechanism == row.keys[3];
    });
    if (found == curves_.end()) {
      curves_.push_back(
          {.group = row.keys[0], .embedding = row.keys[1], .metric = row.keys[2], .mechanism = row.keys[3]});
      found = std::prev(curves_.end());
    }
    found->rows.push_back(&row);
  }
  for (Curve& curve : curves_) {
    std::ranges::sort(curve.rows, {}, [&](const Points::Row* row) { return value(*row, "epsilon"); });
  }
}

const LawResults::Curve* LawResults::find(std::string_view group, std::string_view space,
                                          std::string_view mechanism) const {
  const auto found = std::ranges::find_if(curves_, [&](const Curve& curve) {
    return curve.group == group && curve.space() == space && curve.mechanism == mechanism;
  });
  return found == curves_.end() ? nullptr : &*found;
}

std::vector<std::string> LawResults::spaces_of(std::string_view group) const {
  std::vector<std::string> out;
  for (const Curve& curve : curves_) {
    if (curve.group == group) add_new(out, curve.space());
  }
  return out;
}

std::vector<std::string> LawResults::mechanisms_of(std::string_view group) const {
  std::vector<std::string> out;
  for (const Curve& curve : curves_) {
    if (curve.group == group) add_new(out, curve.mechanism);
  }
  return out;
}

double LawResults::value(const Points::Row& row, std::string_view column) const {
  return row.values[laws_.value(column)];
}

std::vector<CurvePoint> LawResults::line(const Curve& curve, std::string_view x_column,
                                         std::string_view y_column) const {
  std::vector<CurvePoint> out;
  for (const Points::Row* row : curve.rows) {
    out.push_back({.x = value(*row, x_column), .y = value(*row, y_column)});
  }
  return out;
}

}  // namespace sotto::lab::embeddings
