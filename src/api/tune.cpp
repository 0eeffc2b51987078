#include "api/tune.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/bound_text.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"

namespace sotto::api {
namespace {

constexpr std::array<std::string_view, 3> kAlgorithms = {"frontier", "candidates", "paper"};

enum class Limit { none, share };
void check_bound(std::string_view name, const std::optional<double>& value, Limit limit) {
  if (!value || (std::isfinite(*value) && *value >= 0 && (limit == Limit::none || *value <= 1))) return;
  throw Error(ErrorCode::usage,
              fmt::format("`{}` {}: it must be {}", name, number_text(*value),
                          limit == Limit::share ? "from 0 to 1, as a probability" : "at least 0"));
}

void check_paper(const TuneRequest& request) {
  if (!std::isfinite(request.first_epsilon) || request.first_epsilon <= 0) {
    throw Error(ErrorCode::usage, fmt::format("`first-epsilon` {}: it must be a finite number above 0",
                                              number_text(request.first_epsilon)));
  }
  if (!request.constraints.max_loss) {
    throw Error(ErrorCode::usage, "`algorithm` paper needs `max-loss`, the C of the paper's Algorithm 2");
  }
  if (request.constraints.min_inference_error || request.constraints.max_certified_epsilon ||
      !request.scope.mechanisms.empty() || request.has_candidates()) {
    throw Error(ErrorCode::usage,
                "`algorithm` paper searches vickrey, by `max-loss` only: leave out `min-inference-error`, "
                "`max-certified-epsilon`, `mechanisms` and `candidates`");
  }
}

std::optional<TuneTask> task_of(const TuneRequest& request) {
  if (!request.task) return std::nullopt;
  return make_task(*request.task, request.seed);
}

TuneResult search(const TuneRequest& request, TuneBench& bench, TuneStore* store, const Work& work) {
  if (request.algorithm == TuneAlgorithm::paper) {
    PaperSearch paper{.max_loss = *request.constraints.max_loss, .first_epsilon = request.first_epsilon};
    if (request.exclude_input) paper.parameters["exclude-input"] = "true";
    return tune_as_printed(bench, paper, store, work);
  }
  if (request.has_candidates()) {
    const auto* file = std::get_if<std::filesystem::path>(&request.candidates);
    const std::vector<Candidate> listed = file != nullptr
                                              ? read_candidates(*open_source(*file))
                                              : std::get<std::vector<Candidate>>(request.candidates);
    if (request.on_estimate) request.on_estimate(estimate_candidates(bench, listed, work));
    return tune_candidates(bench, listed, request.constraints, store, work);
  }
  if (request.on_estimate) request.on_estimate(estimate_search(bench, request.scope, work));
  return sotto::tune(bench, request.scope, request.constraints, store, work);
}

}  // namespace

std::string_view algorithm_name(TuneAlgorithm algorithm) {
  return kAlgorithms[static_cast<std::size_t>(algorithm)];
}

TuneAlgorithm parse_algorithm(std::string_view name) {
  for (const TuneAlgorithm algorithm : {TuneAlgorithm::frontier, TuneAlgorithm::paper}) {
    if (algorithm_name(algorithm) == name) return algorithm;
  }
  throw Error(ErrorCode::usage, fmt::format("`algorithm` {}: it must be frontier or paper", name));
}

bool TuneRequest::has_candidates() const {
  return std::visit([](const auto& given) { return !given.empty(); }, candidates);
}

UtilityLoss TuneRequest::chosen_loss() const {
  if (task) return UtilityLoss::task;
  return loss.value_or(adversary.has_labels() ? UtilityLoss::label : UtilityLoss::changed);
}

void choose_loss(TuneRequest& request, const std::string& loss, TaskRequest task) {
  constexpr std::string_view kCommand = "command:";
  if (loss.starts_with(kCommand)) {
    const std::string command = loss.substr(kCommand.size());
    if (command.find_first_not_of(" \t") == std::string::npos) {
      throw Error(ErrorCode::usage,
                  "`loss` command: needs a program behind the colon, such as command:./my-task");
    }
    std::get<OutsideProgram>(task.judge).command = command;
    request.task = std::move(task);
    return;
  }
  if (!loss.empty()) request.loss = parse_loss(loss);
  if (!task.has_program()) {
    request.task = std::move(task);
  } else if (task.is_asked_for()) {
    throw Error(ErrorCode::usage,
                "`input`, how to read it, `loss-timeout` and `allow-weak` belong to `loss` command:PROGRAM: "
                "add it, or leave them out");
  }
}

void check(const TuneRequest& request) {
  if (request.task) {
    check(*request.task);
    if (request.loss && *request.loss != UtilityLoss::task) {
      throw Error(ErrorCode::usage, "a downstream task is the loss already: leave the other `loss` out");
    }
    if (!request.resume.empty() && !request.task->has_program()) {
      throw Error(
          ErrorCode::usage,
          "`resume` cannot tell one function of `loss` from another: leave it out, or give a program");
    }
  } else if (request.loss == UtilityLoss::task) {
    throw Error(ErrorCode::usage, "`loss` command:PROGRAM needs `input`, the text whose copies it judges");
  }
  const UtilityLoss loss = request.chosen_loss();
  if (!request.adversary.has_labels() && (loss == UtilityLoss::label || loss == UtilityLoss::flip)) {
    throw Error(ErrorCode::usage, fmt::format("`loss` {} needs `labels`", loss_name(loss)));
  }
  check_bound("max-loss", request.constraints.max_loss,
              loss == UtilityLoss::distance ? Limit::none : Limit::share);
  check_bound("min-inference-error", request.constraints.min_inference_error, Limit::share);
  check_bound("max-certified-epsilon", request.constraints.max_certified_epsilon, Limit::none);
  refuse_above("draws", request.draws, kMostDraws);
  if (request.algorithm == TuneAlgorithm::paper) {
    check_paper(request);
  } else if (request.exclude_input) {
    throw Error(
        ErrorCode::usage,
        "`exclude-input` needs `algorithm` paper; in a file of `candidates`, write it on a line of vickrey");
  }
  if (request.has_candidates() && !request.scope.mechanisms.empty()) {
    throw Error(ErrorCode::usage, "`candidates` names the settings already: leave `mechanisms` out");
  }
}

TuneAnswer tune(const TuneRequest& request, const Work& work) {
  check(request);
  Adversary adversary = resolve(request.adversary, request.model);
  TuneAnswer answer{.model = request.model,
                    .algorithm = request.has_candidates() ? TuneAlgorithm::candidates : request.algorithm,
                    .prior = summary_of(adversary.prior),
                    .labels = summary_of(adversary.labels),
                    .loss = request.chosen_loss(),
                    .constraints = request.constraints,
                    .seed = request.seed.value_or(1),
                    .seeded_copies = request.task && request.seed};
  std::optional<TuneTask> task = task_of(request);
  TuneBench bench(request.model, {.prior = std::move(adversary.prior),
                                  .labels = std::move(adversary.labels),
                                  .loss = answer.loss,
                                  .draws = request.draws,
                                  .seed = answer.seed,
                                  .certify = request.certify,
                                  .task = std::move(task)});
  answer.draws = bench.question().draws;
  std::optional<TuneStore> store;
  if (!request.resume.empty()) store.emplace(request.resume, bench);
  answer.found = search(request, bench, store ? &*store : nullptr, work.at("tuning"));
  if (const TunePoint* point = answer.recommended()) {
    const Candidate& chosen = point->candidate;
    answer.expected_unchanged =
        forecast(build_mechanism(chosen.mechanism, request.model, chosen.parameters, work).mechanism,
                 {.threads = work.threads})
            .unchanged;
  }
  return answer;
}

const TunePoint* TuneAnswer::recommended() const {
  return found.choice.recommended ? &found.points[*found.choice.recommended] : nullptr;
}
const TunePoint* TuneAnswer::nearest() const {
  return found.choice.nearest ? &found.points[*found.choice.nearest] : nullptr;
}

bool TuneAnswer::is_on_frontier(std::size_t index) const {
  return std::ranges::find(found.frontier, index) != found.frontier.end();
}

std::vector<std::size_t> TuneAnswer::may_be_better() const {
  // The paper's search does not claim the best point.
  if (!found.choice.recommended || algorithm == TuneAlgorithm::paper) return {};
  return undecided(found.points, *found.choice.recommended, loss, constraints);
}

std::vector<Beside> TuneAnswer::beside() const {
  if (algorithm == TuneAlgorithm::paper) return {};  // one mechanism, whose settings are all in the table
  const TunePoint* chosen = recommended();
  const auto own = chosen == nullptr ? std::nullopt : tradeoff_of(*chosen, loss);
  std::vector<Beside> out;
  for (std::size_t i = 0; own && i < found.points.size(); ++i) {
    const TunePoint& point = found.points[i];
    const auto other = tradeoff_of(point, loss);
    if (point.status != Status::proven || !other || !point.candidate.epsilon()) continue;
    const std::string family = point.candidate.family();
    if (out.empty() || out.back().family != family) out.push_back({.family = family});
    Beside& row = out.back();
    if (point.certified_epsilon && chosen->certified_epsilon &&
        *point.certified_epsilon <= *chosen->certified_epsilon &&
        (!row.same_epsilon ||
         *point.certified_epsilon > *found.points[*row.same_epsilon].certified_epsilon)) {
      row.same_epsilon = i;
    }
    if (other->error.low >= own->error.low &&
        (!row.same_error || other->loss.high < tradeoff_of(found.points[*row.same_error], loss)->loss.high)) {
      row.same_error = i;
    }
  }
  return out;
}

std::string TuneAnswer::tradeoff_text(const TunePoint& point) const {
  std::string out = point.candidate.family();
  if (const auto epsilon = point.candidate.epsilon()) out += ", epsilon " + number_text(*epsilon);
  const auto tradeoff = tradeoff_of(point, loss);
  if (!tradeoff) return out;
  const auto exact = [](const Bounds& bounds) { return bounds.low == bounds.high; };
  out += fmt::format(": E_opt {}{} (ceiling {}), L {}{}", exact(tradeoff->error) ? "" : "at least ",
                     quantity_number(tradeoff->error.low), quantity_number(prior.constant_guess),
                     exact(tradeoff->loss) ? "" : "at most ", quantity_number(tradeoff->loss.high));
  if (point.certified_epsilon) {
    const std::string bound = rounded_up(*point.certified_epsilon, 4);
    out += point.certified_by == "certificate" ? ", certified epsilon " + bound
                                               : ", epsilon by theorem " + bound;
  }
  return out;
}

std::string TuneAnswer::constraints_text() const {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view what, const std::optional<double>& bound) {
    if (bound) parts.push_back(fmt::format("{} {}", what, number_text(*bound)));
  };
  add("L at most", constraints.max_loss);
  add("E_opt at least", constraints.min_inference_error);
  add("certified epsilon at most", constraints.max_certified_epsilon);
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string TuneAnswer::failure_text() const {
  std::string out = "keeps " + constraints_text();
  std::vector<std::string> families;
  for (const std::size_t index : within_unproven(found.points, loss, constraints)) {
    const std::string family = found.points[index].candidate.family();
    if (std::ranges::find(families, family) == families.end()) families.push_back(family);
  }
  if (families.empty()) return out;
  return fmt::format("{} with a proven guarantee; without one, and so never recommended: {}", out,
                     fmt::join(families, "; "));
}

}  // namespace sotto::api
