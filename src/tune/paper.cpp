// Algorithm 2 of vickrey-2021.
#include <fmt/format.h>

#include "mechanisms/build.h"
#include "sotto/error.h"
#include "tune/run.h"
#include "tune/tune.h"

namespace sotto {
namespace {

constexpr int kSteps = 20;  // of t, 0.05 each

Candidate vickrey_at(const PaperSearch& search, double epsilon, int step) {
  Candidate out{.mechanism = "vickrey", .parameters = search.parameters};
  out.parameters["epsilon"] = number_text(epsilon);
  out.parameters["t"] = number_text(step / static_cast<double>(kSteps));
  return out;
}

}  // namespace

std::optional<PrintedTradeoff> printed_tradeoff(const TunePoint& point, UtilityLoss loss) {
  const Quantity* error = point.find("e_post");
  const auto lost = point.middle(loss_quantity(loss));
  if (error == nullptr || !lost || (!error->value && !error->bracket)) return std::nullopt;
  return PrintedTradeoff{.error = error->value ? *error->value : error->bracket->low, .loss = *lost};
}

TuneResult tune_as_printed(TuneBench& bench, const PaperSearch& search, TuneStore* store, const Work& work) {
  TuneRun run(bench, store, work);
  std::size_t expected = kSteps + 8;
  // Empty: it was not measured, because the loss needs a copy of the text that would hide too little.
  const auto measured = [&](double epsilon, int step) -> std::optional<PrintedTradeoff> {
    const Candidate candidate = vickrey_at(search, epsilon, step);
    run.measure(std::span(&candidate, 1), TuneRun::Stopping::never, expected);
    const TunePoint* point = run.find(candidate);
    if (point != nullptr) return printed_tradeoff(*point, run.loss());
    if (run.is_too_weak(candidate)) return std::nullopt;
    // The model cannot have vickrey at all: this says why.
    (void)build_uncertified(candidate.mechanism, bench.model(), candidate.parameters);
    throw Error(ErrorCode::internal, "a setting of vickrey was skipped without a reason");
  };
  double epsilon = search.first_epsilon;
  std::optional<Candidate> chosen;
  double largest = 0;  // E_max
  for (int doubling = 0; doubling <= kMostDoublings; ++doubling, epsilon *= 2) {
    const auto start = measured(epsilon, 0);
    if (!start) break;                             // larger epsilons hide even less
    if (start->loss >= search.max_loss) continue;  // lines 3 and 4
    largest = start->error;
    chosen = vickrey_at(search, epsilon, 0);
    for (int step = 1; step <= kSteps; ++step) {
      const auto own = measured(epsilon, step);
      if (own && own->loss <= search.max_loss && own->error > largest) {  // lines 7 and 8
        largest = own->error;
        chosen = vickrey_at(search, epsilon, step);
      }
    }
    break;
  }
  TuneResult answer = std::move(run).answer({.max_loss = search.max_loss}, {});
  answer.choice.recommended.reset();
  for (std::size_t i = 0; chosen && i < answer.points.size(); ++i) {
    if (answer.points[i].candidate == *chosen) answer.choice.recommended = i;
  }
  return answer;
}

}  // namespace sotto
