// The answer of tune() for a program and for a table.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "api/tune.h"

namespace sotto::api {
namespace {

constexpr std::array kCsvColumns = {"constant_guess", "e_opt",          "e_post",     "loss_changed",
                                    "loss_distance",  "label_not_kept", "loss_label", "label_lost",
                                    "loss_task",      "e_opt_label",    "n_w",        "s_w"};

Json point_json(const TuneAnswer& answer, std::size_t index, const CommandOf& command_of) {
  const TunePoint& point = answer.found.points[index];
  Json out = {{"mechanism", point.candidate.mechanism},
              {"parameters", point.candidate.parameters},
              {"family", point.candidate.family()},
              {"status", status_name(point.status)},
              {"strength", strength_name(point.strength())},
              {"nominal_epsilon", finite_or_null(point.nominal_epsilon)},
              {"certified_epsilon", finite_or_null(point.certified_epsilon)},
              {"certified_by", point.certified_by},
              {"metric", point.metric},
              {"closed_law", point.draws == 0},
              {"draws", point.draws},
              {"stopped_early", point.stopped_early},
              {"on_frontier", answer.is_on_frontier(index)}};
  if (command_of) out["command"] = command_of(point);
  out["figures"] = Json::object();
  for (const Quantity& quantity : point.quantities) out["figures"][quantity.name] = to_json(quantity);
  return out;
}

Json constraints_json(const Constraints& constraints) {
  Json out = Json::object();
  const auto add = [&](const char* name, const std::optional<double>& bound) {
    if (bound) out[name] = *bound;
  };
  add("max_loss", constraints.max_loss);
  add("min_inference_error", constraints.min_inference_error);
  add("max_certified_epsilon", constraints.max_certified_epsilon);
  return out;
}

}  // namespace

Json to_json(const TuneAnswer& answer, const CommandOf& command_of) {
  const auto point = [&](std::size_t index) { return point_json(answer, index, command_of); };
  const auto chosen = [&](const std::optional<std::size_t>& index) {
    return index ? point(*index) : Json(nullptr);
  };
  Json out = start_answer("sotto.tune/1");
  out["algorithm"] = algorithm_name(answer.algorithm);
  out["algorithm_notes"] = answer.algorithm_notes();
  out["model"] = model_json(*answer.model);
  out["prior"] = to_json(answer.prior);
  if (answer.labels) out["labels"] = to_json(*answer.labels);
  out["loss"] = {{"name", loss_name(answer.loss)},
                 {"figure", loss_quantity(answer.loss)},
                 {"meaning", loss_meaning(answer.loss)},
                 {"note", answer.loss_note().empty() ? Json(nullptr) : Json(answer.loss_note())}};
  out["constant_guess"] = answer.prior.constant_guess;
  out["draws"] = answer.draws;
  out["seed"] = answer.seed;
  if (answer.loss == UtilityLoss::task) out["seeded_copies"] = answer.seeded_copies;
  out["constraints"] = constraints_json(answer.constraints);
  out["recommended"] = chosen(answer.found.choice.recommended);
  out["expected_unchanged"] = finite_or_null(answer.expected_unchanged);
  out["needs_allow_weak"] = answer.is_refused();
  out["nearest"] = chosen(answer.found.choice.nearest);
  out["may_be_better"] = Json::array();
  for (const std::size_t index : answer.may_be_better()) out["may_be_better"].push_back(point(index));
  out["skipped"] = Json::array();
  for (const SkippedCandidate& skipped : answer.found.skipped) {
    out["skipped"].push_back({{"mechanism", skipped.candidate.mechanism},
                              {"parameters", skipped.candidate.parameters},
                              {"reason", skipped.reason}});
  }
  out["points"] = Json::array();
  for (std::size_t i = 0; i < answer.found.points.size(); ++i) out["points"].push_back(point(i));
  return out;
}

std::string to_csv(const TuneAnswer& answer) {
  std::string out =
      "family,mechanism,epsilon,nominal_epsilon,certified_epsilon,certified_by,status,metric,draws,"
      "stopped_early,on_frontier,recommended";
  for (const char* name : kCsvColumns) out += fmt::format(",{0},{0}_low,{0}_high", name);
  out += '\n';
  const auto number = [](const std::optional<double>& value) {
    return value ? number_text(*value) : std::string();
  };
  for (std::size_t i = 0; i < answer.found.points.size(); ++i) {
    const TunePoint& point = answer.found.points[i];
    out +=
        fmt::format("\"{}\",{},{},{},{},{},{},{},{},{},{},{}", point.candidate.family(),
                    point.candidate.mechanism, number(point.candidate.epsilon()),
                    number_text(point.nominal_epsilon), number(point.certified_epsilon), point.certified_by,
                    status_name(point.status), point.metric, point.draws, point.stopped_early ? 1 : 0,
                    answer.is_on_frontier(i) ? 1 : 0, answer.found.choice.recommended == i ? 1 : 0);
    for (const char* name : kCsvColumns) {
      const auto bounds = point.bounds(name);
      out += fmt::format(",{},{},{}", number(point.middle(name)), bounds ? number_text(bounds->low) : "",
                         bounds ? number_text(bounds->high) : "");
    }
    out += '\n';
  }
  return out;
}

}  // namespace sotto::api
