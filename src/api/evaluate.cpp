#include "api/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "api/learn.h"
#include "sotto/adversary.h"
#include "sotto/certificate.h"
#include "sotto/error.h"
#include "text/all_documents.h"
#include "text/format.h"
#include "text/lookup.h"

namespace sotto::api {
namespace {

void check(const EvaluateRequest& request) {
  if (request.settings.empty()) throw Error(ErrorCode::usage, "`epsilon`: give at least one value");
  if (request.draws < 1 || request.draws > kMostEvaluationDraws) {
    throw Error(ErrorCode::usage,
                fmt::format("`draws` {}: it must be from 1 to {}", request.draws, kMostEvaluationDraws));
  }
  if (!(request.test_share > 0 && request.test_share < 1)) {
    throw Error(ErrorCode::usage, "`test-share`: it must be above 0 and below 1");
  }
  if (request.data.texts.size() < kLeastLabelledTexts) {
    throw Error(ErrorCode::bad_data, fmt::format("there are {} labelled texts; at least {} are needed",
                                                 request.data.texts.size(), kLeastLabelledTexts));
  }
}

Json range_json(const AccuracyRange& range) {
  return {{"mean", range.mean}, {"deviation", range.deviation}};
}

std::vector<std::string_view> views_of(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace

LabelledTexts read_labelled(const std::filesystem::path& file, const ReadingTexts& reading,
                            const std::string& label) {
  const ReadingOptions texts = ReadingOptions::parse(reading);
  const FormatInfo& format = texts.format_of(file);
  if (format.chosen_by == nullptr) {
    throw Error(
        ErrorCode::usage,
        "labelled texts must be a table or JSON lines: give a .csv, .tsv or .jsonl file, or `format`");
  }
  if (label.empty()) throw Error(ErrorCode::usage, "`label`: name the column or field that holds the labels");
  ReadingTexts other = reading;
  other[std::string(format.chosen_by->name)] = {label};
  AllDocuments own = read_all_documents(*open_source(file), texts, file);
  AllDocuments labels = read_all_documents(*open_source(file), ReadingOptions::parse(other), file);
  if (own.records != labels.records) {
    throw Error(
        ErrorCode::bad_data,
        fmt::format(
            "{} texts and {} labels were read, and each text needs one label: choose one column of texts, "
            "and remove rows without a text or a label",
            own.texts.size(), labels.texts.size()));
  }
  const auto missing = std::ranges::find(labels.texts, "");
  if (missing != labels.texts.end()) {
    throw Error(ErrorCode::bad_data,
                fmt::format("{} labels are empty, the first in row {} (counted from 1, without the header): "
                            "remove rows without a label",
                            std::ranges::count(labels.texts, ""), missing - labels.texts.begin() + 1));
  }
  return {.texts = std::move(own.texts), .labels = std::move(labels.texts)};
}

std::vector<std::string> read_public(const std::filesystem::path& file, const ReadingTexts& reading) {
  const bool is_plain = &format_of_name(file) == &default_format();
  const ReadingOptions options = ReadingOptions::parse(is_plain ? ReadingTexts{} : reading);
  return read_all_documents(*open_source(file), options, file).texts;
}

std::optional<std::size_t> EvaluateAnswer::chosen() const {
  std::optional<std::size_t> best;
  const auto hidden = [&](std::size_t row) { return evaluation.rows[row].e_opt.interval.low; };
  for (std::size_t i = 0; i < evaluation.rows.size(); ++i) {
    const EvaluationRow& row = evaluation.rows[i];
    const double best_mean = std::max(row.direct_on_clear.mean, row.lifted_on_clear.mean);
    if (best_mean < evaluation.clear - max_drop) continue;
    if (!best || hidden(i) > hidden(*best)) best = i;
  }
  return best;
}

std::string_view better_learner(const EvaluationRow& row) {
  return row.direct_on_clear.mean > row.lifted_on_clear.mean ? "direct" : "lifted";
}

EvaluateAnswer evaluate(const EvaluateRequest& request, const Work& work) {
  check(request);
  const NumberedLabels labels = number_labels(request.data.labels);
  const TextLabels own{.of = labels.of, .classes = labels.classes};
  check_labels(request.data.texts.size(), own);
  EvaluateAnswer answer{.classes = labels.classes,
                        .public_texts = request.public_texts.size(),
                        .max_drop = request.max_drop,
                        .seeded = request.seed_not_private.has_value()};
  for (const Setting& setting : request.settings) {
    answer.mechanisms.push_back(build_mechanism(setting, request.model, work.at("calibrating")).mechanism);
  }
  const LearnRequest reading{.mechanism = answer.mechanisms.front(), .texts = request.texts};
  const TokenLists texts = tokens_of(reading, views_of(request.data.texts), work.at("reading"));
  answer.known_share = texts.known_share();
  TokenLists known;
  if (!request.public_texts.empty()) {
    known = tokens_of(reading, views_of(request.public_texts), work);
    check_public_texts(known, request.learn.features, answer.warnings);
  }
  const EvaluationQuestion question{.texts = texts,
                                    .labels = own,
                                    .public_texts = request.public_texts.empty() ? nullptr : &known,
                                    .anchor = Lookup(request.model).anchor(request.texts.anchor),
                                    .settings = request.learn,
                                    .draws = request.draws,
                                    .test_share = request.test_share,
                                    .lift = {.seed_not_private = request.seed_not_private},
                                    .seed_not_private = request.seed_not_private};
  answer.evaluation = sotto::evaluate(answer.mechanisms, question, work);
  return answer;
}

Json to_json(const EvaluateAnswer& answer) {
  const Evaluation& found = answer.evaluation;
  Json out = start_answer("sotto.evaluate/1");
  out["note"] = kEvaluateNote;
  out["model"] = model_json(answer.mechanisms.front().space->model());
  out["trained"] = found.trained;
  out["tested"] = found.tested;
  out["classes"] = answer.classes;
  out["known_share"] = answer.known_share;
  out["public_texts"] = answer.public_texts;
  out["clear_accuracy"] = found.clear;
  out["majority"] = found.majority;
  if (answer.seeded) out["seeded"] = true;
  out["rows"] = Json::array();
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const EvaluationRow& row = found.rows[i];
    const Mechanism& mechanism = answer.mechanisms[i];
    out["rows"].push_back(
        {{"mechanism", mechanism.info->name},
         {"parameters", mechanism.parameters.texts()},
         {"nominal_epsilon", finite_or_null(mechanism.claim.epsilon)},
         {"expected_unchanged", row.unchanged},
         {"e_opt", to_json(row.e_opt)},
         {"direct",
          {{"clear", range_json(row.direct_on_clear)}, {"private", range_json(row.direct_on_private)}}},
         {"lifted",
          {{"clear", range_json(row.lifted_on_clear)}, {"private", range_json(row.lifted_on_private)}}}});
  }
  const std::optional<std::size_t> chosen = answer.chosen();
  out["max_drop"] = answer.max_drop;
  out["chosen"] = chosen ? Json(*chosen) : Json(nullptr);
  out["warnings"] = answer.warnings;
  return out;
}

}  // namespace sotto::api
