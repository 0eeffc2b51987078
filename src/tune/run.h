#pragma once
#include <set>

#include "tune/tune.h"

// What the three ways to search share. Not for use elsewhere.
namespace sotto {

// Points of one search, measured once each.
class TuneRun {
 public:
  enum class Stopping { early, never };
  TuneRun(TuneBench& bench, TuneStore* store, const Work& work) : bench_(bench), store_(store), work_(work) {}

  // `expected`: how many settings the whole search may come to, for the progress.
  void measure(std::span<const Candidate> candidates, Stopping stopping, std::size_t expected);
  [[nodiscard]] const std::vector<TunePoint>& points() const noexcept { return points_; }
  // Null: it was skipped.
  [[nodiscard]] const TunePoint* find(const Candidate& candidate) const;
  // It was skipped because of TuneTask::refuses.
  [[nodiscard]] bool is_too_weak(const Candidate& candidate) const;
  [[nodiscard]] Curve curve(const Family& family) const;
  // Adds the points of the search in order, and the frontier.
  [[nodiscard]] TuneResult answer(const Constraints& constraints, std::vector<SkippedCandidate> skipped) &&;
  [[nodiscard]] UtilityLoss loss() const { return bench_.question().loss; }

 private:
  void take(TunePoint point, std::size_t expected);
  [[nodiscard]] Work work_within(std::size_t expected) const;

  TuneBench& bench_;
  TuneStore* store_;
  const Work& work_;
  std::vector<TunePoint> points_;
  std::set<Candidate> seen_;
  std::vector<SkippedCandidate> skipped_;
};

}  // namespace sotto
