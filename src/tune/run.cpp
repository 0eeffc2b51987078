#include "tune/run.h"

#include <fmt/format.h>

#include <algorithm>

namespace sotto {

void TuneRun::take(TunePoint point, std::size_t expected) {
  points_.push_back(std::move(point));
  if (work_.progress) {
    work_.progress({.done = points_.size(), .total = std::max(expected, points_.size()), .unit = "settings"});
  }
}

// Progress inside a setting, under the name of the setting and its place in the search.
Work TuneRun::work_within(std::size_t expected) const {
  return {.threads = work_.threads,
          .progress = work_.progress,
          .on_stage = [this, expected](std::string_view what) {
            const std::size_t number = points_.size() + 1;
            (void)work_.at(
                fmt::format("tuning, setting {} of about {} ({})", number, std::max(expected, number), what));
          }};
}

void TuneRun::measure(std::span<const Candidate> candidates, Stopping stopping, std::size_t expected) {
  std::vector<Candidate> missing;
  for (const Candidate& candidate : candidates) {
    if (!seen_.insert(candidate).second) continue;
    const TunePoint* kept = store_ == nullptr ? nullptr : store_->find(candidate);
    const bool is_certified =
        !bench_.question().certify || (kept != nullptr && kept->certified_by == "certificate");
    if (kept != nullptr && is_certified && (stopping == Stopping::early || !kept->stopped_early)) {
      take(*kept, expected);
    } else {
      missing.push_back(candidate);
    }
  }
  const TuneBench::Hopeless hopeless = [&](const TunePoint& point) {
    const auto tradeoff = tradeoff_of(point, loss());
    return stopping == Stopping::early && tradeoff && clearly_beaten(*tradeoff, points_, loss());
  };
  bench_.measure(
      missing, hopeless,
      [&](TunePoint point) {
        if (store_ != nullptr) store_->keep(point);
        take(std::move(point), expected);
      },
      skipped_, work_within(expected));
}

const TunePoint* TuneRun::find(const Candidate& candidate) const {
  const auto found = std::ranges::find(points_, candidate, &TunePoint::candidate);
  return found == points_.end() ? nullptr : &*found;
}

bool TuneRun::is_too_weak(const Candidate& candidate) const {
  return std::ranges::any_of(skipped_, [&](const SkippedCandidate& skipped) {
    return skipped.too_weak && skipped.candidate == candidate;
  });
}

Curve TuneRun::curve(const Family& family) const {
  Curve out;
  const std::string name = family.base.family();
  for (const TunePoint& point : points_) {
    if (point.candidate.family() == name) out.push_back(&point);
  }
  std::ranges::stable_sort(out, {}, [](const TunePoint* point) { return point->candidate.epsilon(); });
  return out;
}

TuneResult TuneRun::answer(const Constraints& constraints, std::vector<SkippedCandidate> skipped) && {
  TuneResult answer{.points = std::move(points_), .skipped = std::move(skipped)};
  answer.skipped.insert(answer.skipped.end(), skipped_.begin(), skipped_.end());
  // Families in the order of their first point, each by epsilon.
  std::vector<std::string> order;
  for (const TunePoint& point : answer.points) {
    if (std::ranges::find(order, point.candidate.family()) == order.end()) {
      order.push_back(point.candidate.family());
    }
  }
  std::ranges::stable_sort(answer.points, {}, [&](const TunePoint& point) {
    return std::pair(std::ranges::find(order, point.candidate.family()) - order.begin(),
                     point.candidate.epsilon());
  });
  answer.frontier = frontier(answer.points, loss());
  answer.choice = choose(answer.points, loss(), constraints);
  return answer;
}

}  // namespace sotto
