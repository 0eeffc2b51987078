#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lab/embeddings/report.h"

namespace sotto::lab::embeddings {

// laws.csv arranged as curves: one mechanism on one space, from weak to strong.
class LawResults {
 public:
  struct Curve {
    std::string group;
    std::string embedding;
    std::string metric;
    std::string mechanism;
    std::vector<const Points::Row*> rows = {};  // by epsilon
    // "glove-100", "glove-100 angular"
    [[nodiscard]] std::string space() const {
      return metric == "euclidean" ? embedding : embedding + " " + metric;
    }
  };
  explicit LawResults(const Points& laws);
  LawResults(const LawResults&) = delete;
  LawResults& operator=(const LawResults&) = delete;

  [[nodiscard]] const std::vector<Curve>& curves() const { return curves_; }
  // Null: not measured.
  [[nodiscard]] const Curve* find(std::string_view group, std::string_view space,
                                  std::string_view mechanism) const;
  // In the order of the file.
  [[nodiscard]] std::vector<std::string> spaces_of(std::string_view group) const;
  [[nodiscard]] std::vector<std::string> mechanisms_of(std::string_view group) const;
  [[nodiscard]] double value(const Points::Row& row, std::string_view column) const;
  [[nodiscard]] std::vector<CurvePoint> line(const Curve& curve, std::string_view x_column,
                                             std::string_view y_column) const;

 private:
  const Points& laws_;
  std::vector<Points::Row> rows_;
  std::vector<Curve> curves_;
};

}  // namespace sotto::lab::embeddings
