#include "lab/learn/task_metric.h"

#include <fmt/format.h>

#include "api/extend.h"
#include "lab/points.h"
#include "lab/statistics.h"
#include "learn/word_scores.h"

namespace sotto::lab::learning {

namespace {

struct Coordinate {
  std::string name;
  std::vector<double> scores;  // by word
  double weight;
};

std::vector<Coordinate> coordinates_of(const Task& task, const PublicCorpus& corpus, Scores scores,
                                       unsigned threads) {
  std::vector<Coordinate> out = {{.name = "lexicon", .scores = task.polarity, .weight = 6}};
  if (scores == Scores::lexicon) return out;
  const auto learnt = [&](const TokenLists& texts, std::span<const std::uint32_t> labels) {
    return word_scores(texts, labels, *task.domain, task.anchor, threads).of;
  };
  out.push_back(
      {.name = "sentences", .scores = learnt(task.sentences.texts, task.sentences.labels), .weight = 8});
  out.push_back({.name = "reviews", .scores = learnt(corpus.texts(), corpus.pseudo_labels()), .weight = 6});
  return out;
}

std::string score_lines(const Model& model, const std::vector<double>& scores) {
  std::string out;
  for (std::size_t w = 0; w < scores.size(); ++w) {
    if (scores[w] != 0) out += fmt::format("{}\t{}\n", model.word(word_id(w)), scores[w]);
  }
  return out;
}

}  // namespace

TaskMetric task_metric(const Run& run, const Task& task, const PublicCorpus& corpus, Scores scores,
                       std::optional<double> epsilon) {
  const std::string name = scores == Scores::lexicon ? "lexicon" : "task";
  const std::vector<Coordinate> coordinates = coordinates_of(task, corpus, scores, run.threads());
  api::ExtendRequest request{.model = task.domain,
                             .coordinates = {},
                             .output = run.request().output / fmt::format("domain-reviews-{}.sotto", name),
                             .existing = Model::Existing::replace,
                             .epsilon = epsilon};
  for (const Coordinate& one : coordinates) {
    const std::string file = fmt::format("scores-{}.tsv", one.name);
    run.save_text(file, score_lines(*task.domain, one.scores));
    request.coordinates.push_back({.scores = run.request().output / file, .weight = one.weight});
  }
  const api::ExtendAnswer answer = api::extend_model(request, {.threads = run.threads()});
  TaskMetric out{.model = Model::open(request.output, run.request().cache), .given_away = {}};
  if (!answer.disclosure) return out;
  const api::Disclosure& found = *answer.disclosure;
  for (std::size_t i = 0; i < found.properties.size(); ++i) {
    const auto& [words, errors] = found.properties[i];
    if (!errors) continue;
    out.given_away.push_back({.keys = {fmt::format("sign of {}", coordinates[i].name)},
                              .values = {static_cast<double>(words), middle(errors->before),
                                         middle(errors->after), errors->without_output}});
  }
  if (found.others) {
    out.given_away.push_back({.keys = {"other words"},
                              .values = {static_cast<double>(found.others->words),
                                         middle(found.others->before), middle(found.others->after), kNone}});
  }
  return out;
}

}  // namespace sotto::lab::learning
