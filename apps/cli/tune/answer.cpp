// The answer of `sotto tune` for a program and for a table.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/tune/text.h"

namespace sotto::cli {

namespace {

constexpr std::array kColumns = {"constant_guess",
                                 "e_opt",
                                 "e_post",
                                 "loss_changed",
                                 "loss_distance",
                                 "label_not_kept",
                                 "loss_label",
                                 "label_lost",
                                 "e_opt_label",
                                 "n_w",
                                 "s_w"};

Json number_json(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

bool on_frontier(const TuneSubject& subject, std::size_t index) {
  return std::ranges::find(subject.answer.frontier, index) != subject.answer.frontier.end();
}

Json point_json(const TuneSubject& subject, std::size_t index) {
  const TunePoint& point = subject.answer.points[index];
  Json out = {
      {"mechanism", point.candidate.mechanism},
      {"parameters", point.candidate.parameters},
      {"family", point.candidate.family()},
      {"status", status_name(point.status)},
      {"strength", strength_name(point.strength())},
      {"nominal_epsilon", number_json(point.nominal_epsilon)},
      {"certified_epsilon", point.certified_epsilon ? number_json(*point.certified_epsilon) : Json(nullptr)},
      {"certified_by", point.certified_by},
      {"metric", point.metric},
      {"closed_law", point.draws == 0},
      {"draws", point.draws},
      {"stopped_early", point.stopped_early},
      {"on_frontier", on_frontier(subject, index)},
      {"command", privatize_line(subject, point)},
      {"figures", Json::object()}};
  for (const Figure& figure : point.figures) {
    Json row = {{"kind", figure_kind_name(figure.kind)}};
    if (figure.kind != FigureKind::unavailable) {
      row["value"] = figure.value ? Json(*figure.value) : Json(nullptr);
      row["interval"] = Json::array({figure.interval.low, figure.interval.high});
      if (figure.bracket) row["bracket"] = Json::array({figure.bracket->low, figure.bracket->high});
    }
    out["figures"][figure.name] = std::move(row);
  }
  return out;
}

}  // namespace

Json tune_json(const TuneSubject& subject) {
  const TuneQuestion& question = subject.bench.question();
  const TuneAnswer& tuned = subject.answer;
  const Model& model = *subject.bench.model();
  Json answer = start_answer("sotto.tune/1");
  answer["algorithm"] = subject.algorithm;
  answer["model"] = {{"name", model.origin().name}, {"identity", model.identity()}};
  answer["prior"] = {{"description", question.prior.description},
                     {"words", question.prior.support.size()},
                     {"entries", question.prior.entries},
                     {"unknown", question.prior.unknown}};
  if (question.labels) {
    answer["labels"] = {{"names", question.labels->names}, {"words", question.labels->labelled}};
  }
  answer["loss"] = {{"name", loss_name(question.loss)},
                    {"figure", loss_figure(question.loss)},
                    {"meaning", loss_meaning(question.loss)}};
  answer["constant_guess"] = question.prior.constant_guess();
  answer["draws"] = question.draws;
  answer["seed"] = question.seed;
  Json constraints = Json::object();
  if (subject.constraints.max_loss) constraints["max_loss"] = *subject.constraints.max_loss;
  if (subject.constraints.min_inference_error) {
    constraints["min_inference_error"] = *subject.constraints.min_inference_error;
  }
  if (subject.constraints.max_certified_epsilon) {
    constraints["max_certified_epsilon"] = *subject.constraints.max_certified_epsilon;
  }
  answer["constraints"] = std::move(constraints);
  const auto chosen = [&](const std::optional<std::size_t>& index) {
    return index ? point_json(subject, *index) : Json(nullptr);
  };
  answer["recommended"] = chosen(tuned.choice.recommended);
  answer["nearest"] = chosen(tuned.choice.nearest);
  answer["may_be_better"] = Json::array();
  if (tuned.choice.recommended && subject.algorithm != "paper") {
    for (const std::size_t index :
         undecided(tuned.points, *tuned.choice.recommended, question.loss, subject.constraints)) {
      answer["may_be_better"].push_back(point_json(subject, index));
    }
  }
  answer["skipped"] = Json::array();
  for (const SkippedCandidate& skipped : tuned.skipped) {
    answer["skipped"].push_back({{"mechanism", skipped.candidate.mechanism},
                                 {"parameters", skipped.candidate.parameters},
                                 {"reason", skipped.reason}});
  }
  answer["points"] = Json::array();
  for (std::size_t i = 0; i < tuned.points.size(); ++i) answer["points"].push_back(point_json(subject, i));
  return answer;
}

std::string tune_csv(const TuneSubject& subject) {
  std::string out =
      "family,mechanism,epsilon,nominal_epsilon,certified_epsilon,certified_by,status,metric,draws,stopped_"
      "early,"
      "on_frontier,recommended";
  for (const char* name : kColumns) out += fmt::format(",{0},{0}_low,{0}_high", name);
  out += "\n";
  const auto number = [](const std::optional<double>& value) {
    return value ? number_text(*value) : std::string();
  };
  for (std::size_t i = 0; i < subject.answer.points.size(); ++i) {
    const TunePoint& point = subject.answer.points[i];
    out +=
        fmt::format("\"{}\",{},{},{},{},{},{},{},{},{},{},{}", point.candidate.family(),
                    point.candidate.mechanism, number(point.candidate.epsilon()),
                    number_text(point.nominal_epsilon), number(point.certified_epsilon), point.certified_by,
                    status_name(point.status), point.metric, point.draws, point.stopped_early ? 1 : 0,
                    on_frontier(subject, i) ? 1 : 0, subject.answer.choice.recommended == i ? 1 : 0);
    for (const char* name : kColumns) {
      const auto bounds = point.bounds(name);
      out += fmt::format(",{},{},{}", number(point.middle(name)), bounds ? number_text(bounds->low) : "",
                         bounds ? number_text(bounds->high) : "");
    }
    out += "\n";
  }
  return out;
}

}  // namespace sotto::cli
