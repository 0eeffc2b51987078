#include "api/extend.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "api/evaluate.h"
#include "learn/word_scores.h"
#include "measure/word_lines.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"
#include "text/lookup.h"

namespace sotto::api {
namespace {

struct Scores {
  std::vector<double> of;
  ExtendAnswer::Coordinate counts = {};
};

void check_weight(double weight) {
  if (weight > 0 && std::isfinite(weight)) return;
  throw Error(ErrorCode::usage,
              fmt::format("`weight` {}: it must be above 0 and finite", number_text(weight)));
}

void check_space(const Model& model) {
  for (std::size_t w = 0; w < model.size(); ++w) {
    double squares = 0;
    for (const float value : model.vector(word_id(w))) squares += static_cast<double>(value) * value;
    if (squares >= 1) return;
  }
  throw Error(
      ErrorCode::usage,
      "all vectors of this model lie inside the unit ball, as those of a Poincare model do: it cannot be "
      "extended, because another coordinate would leave the ball");
}

double score_of(std::string_view text, std::uint64_t line) {
  double score = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), score);
  if (fault == std::errc() && end == text.data() + text.size() && std::isfinite(score)) return score;
  throw Error(ErrorCode::bad_data, fmt::format("line {} of the scores must be a word, a tab and a number; if "
                                               "the file has a header line, remove it",
                                               line));
}

Scores read_scores(const std::shared_ptr<const Model>& model, const std::filesystem::path& file) {
  Scores out{.of = std::vector<double>(model->size(), 0.0)};
  const Lookup lookup(model);
  const std::unique_ptr<ByteSource> source = open_source(file);
  WordLines lines(*source);
  std::vector<bool> is_scored(model->size(), false);
  std::string line;
  while (lines.next(line)) {
    const TwoColumns columns = two_columns(line);
    const double score =
        score_of(columns.first.empty() ? std::string_view() : columns.second, lines.number());
    ++out.counts.entries;
    if (const auto word = lookup.find(columns.first)) {
      out.of[index_of(*word)] = score;  // the last of several forms of a word
      is_scored[index_of(*word)] = true;
    } else {
      ++out.counts.unknown;
    }
  }
  out.counts.scored = static_cast<std::size_t>(std::ranges::count(is_scored, true));
  if (out.counts.scored == 0) {
    throw Error(ErrorCode::bad_data,
                fmt::format("none of the {} scored words is a word of the model", out.counts.entries));
  }
  return out;
}

Scores learn_scores(const std::shared_ptr<const Model>& model, const ExtendLearnt& learnt, const Work& work) {
  const LabelledTexts data = read_labelled(learnt.texts, learnt.reading, learnt.label);
  std::vector<std::string> names = data.labels;
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.size() != 2) {
    throw Error(
        ErrorCode::bad_data,
        fmt::format(
            "the labels have {} classes, and a score needs exactly two, such as positive and negative",
            names.size()));
  }
  std::vector<std::uint32_t> labels;
  for (const std::string& label : data.labels) labels.push_back(label == names.back() ? 1 : 0);
  const std::vector<std::string_view> views(data.texts.begin(), data.texts.end());
  const WordId anchor = default_anchor(*model);
  const TokenLists tokens = read_tokens(views, model, {.anchor = anchor}, work.at("reading"));
  WordScores learnt_scores = word_scores(tokens, labels, *model, anchor, work.at("learning").threads);
  Scores out{.of = std::move(learnt_scores.of)};
  out.counts.scored = learnt_scores.scored;
  out.counts.entries = out.counts.scored;
  out.counts.is_learnt = true;
  return out;
}

}  // namespace

ExtendAnswer extend_model(const ExtendRequest& request, const Work& work) {
  if (request.coordinates.empty() && request.learnt.empty()) {
    throw Error(ErrorCode::usage, "`scores`: give at least one file of word scores with its `weight`");
  }
  for (const ExtendCoordinate& one : request.coordinates) check_weight(one.weight);
  for (const ExtendLearnt& one : request.learnt) check_weight(one.weight);
  const std::shared_ptr<const Model>& model = request.model;
  check_space(*model);
  std::vector<Scores> added;
  const auto add = [&](Scores scores, double weight) {
    scores.counts.weight = weight;
    for (double& score : scores.of) {
      if (std::abs(score) > kLargestScore) ++scores.counts.clipped;
      score = std::clamp(score, -kLargestScore, kLargestScore);
    }
    added.push_back(std::move(scores));
  };
  for (const ExtendCoordinate& one : request.coordinates) add(read_scores(model, one.scores), one.weight);
  for (const ExtendLearnt& one : request.learnt) add(learn_scores(model, one, work), one.weight);

  std::vector<std::string> words;
  std::vector<float> vectors;
  for (std::size_t w = 0; w < model->size(); ++w) {
    words.emplace_back(model->word(word_id(w)));
    const auto vector = model->vector(word_id(w));
    vectors.insert(vectors.end(), vector.begin(), vector.end());
    for (const Scores& scores : added)
      vectors.push_back(static_cast<float>(scores.counts.weight * scores.of[w]));
  }
  ModelOrigin origin = model->origin();
  origin.name = request.name.empty() ? request.output.stem().string() : request.name;
  origin.source +=
      fmt::format(", extended by {} of word scores",
                  added.size() == 1 ? "1 coordinate" : fmt::format("{} coordinates", added.size()));
  ExtendAnswer answer{.model = Model::from_words(words, vectors, model->dim() + added.size(), origin),
                      .coordinates = {}};
  for (const Scores& scores : added) answer.coordinates.push_back(scores.counts);
  if (request.epsilon) {
    std::vector<std::vector<double>> clipped;
    for (Scores& scores : added) clipped.push_back(std::move(scores.of));
    answer.disclosure = disclosure_of(
        {.before = model, .after = answer.model, .scores = clipped, .epsilon = *request.epsilon}, work);
  }
  answer.model->save(request.output, request.existing);
  return answer;
}

Json to_json(const ExtendAnswer& answer) {
  Json out = start_answer("sotto.model-extend/1");
  out["model"] = model_json(*answer.model);
  out["words"] = answer.model->size();
  out["dimensions"] = answer.model->dim();
  out["largest_score"] = kLargestScore;
  out["coordinates"] = Json::array();
  for (const ExtendAnswer::Coordinate& one : answer.coordinates) {
    out["coordinates"].push_back({{"weight", one.weight},
                                  {"learnt", one.is_learnt},
                                  {"entries", one.entries},
                                  {"unknown", one.unknown},
                                  {"scored_words", one.scored},
                                  {"clipped", one.clipped}});
  }
  if (answer.disclosure) out["given_away"] = to_json(*answer.disclosure);
  return out;
}

}  // namespace sotto::api
