// Algorithm 2 of vickrey-2021.
#include <fmt/format.h>

#include "mechanisms/build.h"
#include "sotto/error.h"
#include "tune/run.h"
#include "tune/tune.h"

namespace sotto {
namespace {

constexpr int kMostDoublings = 30;
constexpr int kSteps = 20;  // of t, 0.05 each

Candidate vickrey_at(const PaperSearch& search, double epsilon, int step) {
  Candidate out{.mechanism = "vickrey", .parameters = search.parameters};
  out.parameters["epsilon"] = number_text(epsilon);
  out.parameters["t"] = number_text(step / static_cast<double>(kSteps));
  return out;
}

}  // namespace

TuneResult tune_as_printed(TuneBench& bench, const PaperSearch& search, TuneStore* store, const Work& work) {
  TuneRun run(bench, store, work);
  std::size_t expected = kSteps + 8;
  const auto measured = [&](double epsilon, int step) -> std::optional<Tradeoff> {
    const Candidate candidate = vickrey_at(search, epsilon, step);
    run.measure(std::span(&candidate, 1), TuneRun::Stopping::never, expected);
    const TunePoint* point = run.find(candidate);
    if (point == nullptr) {  // the model cannot have vickrey at all
      (void)build_uncertified(candidate.mechanism, bench.model(), candidate.parameters);
      throw Error(ErrorCode::internal, "a setting of vickrey was skipped without a reason");
    }
    return tradeoff_of(*point, run.loss());
  };
  double epsilon = search.first_epsilon;
  std::optional<Candidate> chosen;
  double largest = 0;
  for (int doubling = 0; doubling <= kMostDoublings; ++doubling, epsilon *= 2) {
    const auto start = measured(epsilon, 0);
    if (!start || !(start->loss.high < search.max_loss)) continue;
    largest = start->error.low;
    chosen = vickrey_at(search, epsilon, 0);
    for (int step = 1; step <= kSteps; ++step) {
      const auto own = measured(epsilon, step);
      if (own && own->loss.high <= search.max_loss && own->error.low > largest) {
        largest = own->error.low;
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
