#include "lab/vickrey/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "api/evaluate.h"
#include "lab/data_files.h"
#include "lab/shuffle.h"
#include "lab/tem/imdb.h"
#include "neighbours/nearest.h"
#include "sotto/error.h"

namespace sotto::lab::vickrey {

namespace {

constexpr std::size_t kTestedPart = 10;  // one in so many texts is to test on

LabelledTexts read_texts(const Run& run, const std::string& name) {
  if (name == "imdb") {
    LabelledTexts all = ImdbPart(run.data(), "train").read();
    LabelledTexts more = ImdbPart(run.data(), "test").read();
    std::ranges::move(more.texts, std::back_inserter(all.texts));
    all.labels.insert(all.labels.end(), more.labels.begin(), more.labels.end());
    return all;
  }
  const api::LabelledTexts tweets =
      api::read_labelled(run.data().path(data_files::kTweets), {{"column", {"text"}}}, "target");
  LabelledTexts out{.texts = tweets.texts, .labels = {}};
  for (const std::string& label : tweets.labels) out.labels.push_back(label == "1" ? 1 : 0);
  return out;
}

std::vector<WordId> redacted_words(const Run& run, const TaskSettings& settings,
                                   const std::shared_ptr<const Model>& embedding) {
  if (settings.domain_words == 0) return counterfitted_words(run.data(), embedding).words;
  std::vector<WordId> words(std::min(settings.domain_words, embedding->size()));
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = word_id(i);
  return words;
}

Prior prior_of(const Task& task) {
  std::vector<double> counts(task.domain.model->size(), 0);
  for (const Texts* texts : {&task.train, &task.test}) {
    for (const WordId word : redactable(*texts, task.domain).words) counts[index_of(word)] += 1;
  }
  std::vector<WordWeight> weights;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) {
      weights.push_back({.word = std::string(task.domain.model->word(word_id(i))), .weight = counts[i]});
    }
  }
  if (weights.empty()) throw Error(ErrorCode::bad_data, "the texts have no word that is redacted");
  return weighted_prior(task.domain.model, weights);
}

}  // namespace

Task load_task(const Run& run, const TaskSettings& settings, const std::string& vectors,
               const std::shared_ptr<const Model>& embedding) {
  Task task{.domain = make_domain(run, fmt::format("{}-{}", settings.name, vectors), *embedding,
                                  redacted_words(run, settings, embedding)),
            .train = {},
            .test = {},
            .prior = {}};
  const LabelledTexts all = read_texts(run, settings.name);
  std::vector<std::uint32_t> order(all.texts.size());
  std::iota(order.begin(), order.end(), 0U);
  Rng rng = Rng::seeded_not_private(run.seed_of({"split", settings.name}));
  shuffle(order, rng);
  const std::size_t tested = order.size() / kTestedPart;
  TextReader reader(embedding, settings.words);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool is_test = i < tested;
    Texts& part = is_test ? task.test : task.train;
    if (part.size() == (is_test ? settings.test : settings.train)) continue;
    reader.add(all.texts[order[i]], all.labels[order[i]], part);
  }
  task.prior = prior_of(task);
  return task;
}

Points::Layout coverage_layout() {
  return {.keys = {"data", "vectors"},
          .values = {"domain_words", "words_that_occur", "train_texts", "test_texts", "tokens",
                     "tokens_with_vector", "tokens_redacted", "median_nearest_distance"}};
}

}  // namespace sotto::lab::vickrey
