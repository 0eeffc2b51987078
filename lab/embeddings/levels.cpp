#include "lab/embeddings/levels.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "lab/statistics.h"
#include "learn/evaluate.h"
#include "neighbours/kept_extremes.h"

namespace sotto::lab::embeddings {

namespace {

constexpr double kErrorTolerance = 0.001;
constexpr double kLossTolerance = 0.01;

}  // namespace

TemLevels::TemLevels(NamedSpace space, std::string_view by, unsigned threads)
    : space_(std::move(space)),
      is_by_loss_(by == kByLoss),
      work_{.threads = threads},
      prior_(frequency_rank_prior(*space_.model)),
      extremes_(kept_extremes(*Space::make(space_.model, parse_metric(space_.metric)), threads)) {}

std::optional<LevelPoint> TemLevels::find(double level) {
  if (!search_) {
    search_.emplace(
        [this](double x) { return measured(x); },
        LevelSearch<LevelPoint>::Range{.from = std::log(kSmallest),
                                       .to = std::log(kLargest),
                                       .tolerance = is_by_loss_ ? kLossTolerance : kErrorTolerance});
  }
  std::optional<LevelPoint> found = search_->find(is_by_loss_ ? -level : level);
  if (found && is_by_loss_) {
    found->e_opt = middle(best_attacker(mechanism_at(*found), prior_, work_));
  }
  return found;
}

Mechanism TemLevels::mechanism_at(const LevelPoint& point) const {
  return certified("tem", space_, {{"epsilon", number_text(point.epsilon)}}, extremes_, work_).mechanism;
}

// E_opt falls as epsilon grows, and so does minus the loss. Only what the search needs is computed.
LevelPoint TemLevels::measured(double log_epsilon) const {
  // Rounded, so that the epsilon in the tables is the one that was used.
  const std::string epsilon = fmt::format("{:.6g}", std::exp(log_epsilon));
  const Certified built = certified("tem", space_, {{"epsilon", epsilon}}, extremes_, work_);
  LevelPoint out{.epsilon = parse_number("epsilon", epsilon, Infinity::refused),
                 .certified_epsilon = built.epsilon,
                 .certified_loss = built.loss};
  if (!is_by_loss_) out.e_opt = middle(best_attacker(built.mechanism, prior_, work_));
  out.error = is_by_loss_ ? -built.loss : out.e_opt;
  return out;
}

}  // namespace sotto::lab::embeddings
