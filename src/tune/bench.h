#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sotto/certificate.h"
#include "sotto/labels.h"
#include "sotto/prior.h"
#include "sotto/work.h"
#include "tune/point.h"

namespace sotto {

// A downstream task that says what a setting costs (UtilityLoss::task).
struct TuneTask {
  // Why no copy of the text may be made with this mechanism; empty: one may.
  std::function<std::string(const CertifiedMechanism&, const Work&)> refuses;
  // L: makes one copy of the text, hands it to the task and returns its number, from 0 to 1.
  std::function<double(const CertifiedMechanism&, const Work&)> loss;
  std::string identity = {};  // differs if the task or the text does; part of the question of a TuneStore
};

// What settings are judged by. Numbers are estimates about a public model, not releases, so a fixed seed
// is fine; every candidate gets the same one (common random numbers).
struct TuneQuestion {
  Prior prior;
  std::optional<Labels> labels = {};
  UtilityLoss loss = UtilityLoss::changed;
  std::size_t draws = 0;  // where only samples exist; 0: 32,768
  std::uint64_t seed = 1;
  bool certify = false;               // compute the certificate of every setting, where that is possible
  std::optional<TuneTask> task = {};  // of UtilityLoss::task
};

struct SkippedCandidate {
  Candidate candidate;
  std::string reason;
  bool too_weak = false;  // TuneTask::refuses gave the reason
};

// Measures settings. Candidates with a cheap closed law are followed exactly, several in one pass; others are
// drawn from.
class TuneBench {
 public:
  TuneBench(std::shared_ptr<const Model> model, TuneQuestion question);

  // Whether further draws of a point would be a waste.
  using Hopeless = std::function<bool(const TunePoint&)>;
  // Called with every point as soon as it is there.
  using Take = std::function<void(TunePoint)>;
  // What cannot be built is reported in `skipped`, with the mechanism's own reason.
  void measure(std::span<const Candidate> candidates, const Hopeless& hopeless, const Take& take,
               std::vector<SkippedCandidate>& skipped, const Work& work);

  // From the law, exactly; else it is drawn from.
  [[nodiscard]] bool is_followed(const Mechanism& mechanism) const;
  static constexpr std::size_t kDeniabilityWords = 10;
  static constexpr std::size_t kDrawBlock = 4096;  // of draw_joint: stages end where its blocks do

  [[nodiscard]] const TuneQuestion& question() const noexcept { return question_; }
  [[nodiscard]] const std::shared_ptr<const Model>& model() const noexcept { return model_; }

 private:
  [[nodiscard]] CertifiedMechanism build(const Candidate& candidate, const Work& work) const;
  void sweep(std::span<const CertifiedMechanism> built, std::span<const Candidate> candidates,
             const Take& take, const Work& work);
  TunePoint draw(const CertifiedMechanism& built, const Candidate& candidate, const Hopeless& hopeless,
                 const Work& work);
  // The quantity loss_task; empty if there is no task.
  [[nodiscard]] std::optional<Quantity> task_loss(const CertifiedMechanism& built, const Work& work) const;
  void add_deniability(const Mechanism& mechanism, TunePoint& point, const Work& work) const;
  // The bound from who sees the noisy vector; empty if the output does not follow from it.
  std::optional<Quantity> vector_bound(const Mechanism& mechanism, const Work& work);

  std::shared_ptr<const Model> model_;
  TuneQuestion question_;
  std::map<double, Quantity> vector_bounds_;  // by epsilon
};

}  // namespace sotto
