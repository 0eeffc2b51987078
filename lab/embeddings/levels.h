#pragma once
#include <optional>

#include "lab/embeddings/laws.h"
#include "lab/level_search.h"

namespace sotto::lab::embeddings {

// tem (calibration paper) on one space, at an epsilon that was searched.
struct LevelPoint {
  double error = 0;  // the height of the curve that is searched
  double epsilon = 0;
  double certified_epsilon = 0;
  double certified_loss = 0;
  double e_opt = 0;
};

// Searches the epsilon at which tem has a given E_opt (kByError: exact, under the rank prior) or a given
// certified loss Lmax (kByLoss).
class TemLevels {
 public:
  TemLevels(NamedSpace space, std::string_view by, unsigned threads);
  // Empty: no epsilon between kSmallest and kLargest has that level.
  std::optional<LevelPoint> find(double level);
  [[nodiscard]] Mechanism mechanism_at(const LevelPoint& point) const;

  static constexpr double kSmallest = 0.2;
  static constexpr double kLargest = 80;

 private:
  [[nodiscard]] LevelPoint measured(double log_epsilon) const;

  NamedSpace space_;
  bool is_by_loss_;
  Work work_;
  Prior prior_;
  Extremes extremes_;
  std::optional<LevelSearch<LevelPoint>> search_ = {};
};

}  // namespace sotto::lab::embeddings
