#include "lab/learn/tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "api/evaluate.h"
#include "lab/gumbel/data.h"
#include "lab/privemb/lexicon.h"
#include "lab/privemb/senteval.h"
#include "lab/shuffle.h"
#include "lab/tem/imdb.h"
#include "text/lookup.h"

namespace sotto::lab::learning {

namespace {

namespace fs = std::filesystem;

// Kept as a file, since what is derived from a model belongs to a model that was opened.
std::shared_ptr<const Model> kept_domain(const Run& run, const std::string& task,
                                         const std::vector<WordId>& chosen) {
  const Model& model = *run.model();
  std::vector<std::string> words;
  std::vector<float> vectors;
  for (const WordId word : chosen) {
    words.emplace_back(model.word(word));
    const std::span<const float> vector = model.vector(word);
    vectors.insert(vectors.end(), vector.begin(), vector.end());
  }
  ModelOrigin origin = model.origin();
  origin.name += fmt::format(", {} words for {}", words.size(), task);
  origin.dropped_by_request += model.size() - words.size();
  const fs::path path = run.request().output / fmt::format("domain-{}.sotto", task);
  Model::from_words(words, vectors, model.dim(), origin)->save(path, Model::Existing::replace);
  return Model::open(path, run.request().cache);
}

std::shared_ptr<const Model> review_domain(const Run& run, std::span<const std::string_view> reviews,
                                           std::size_t most) {
  const std::shared_ptr<const Model>& model = run.model();
  const WordId anchor = default_anchor(*model);
  const TokenLists tokens =
      read_tokens(reviews, model, {.anchor = anchor, .strip_html = true}, {.threads = run.threads()});
  std::vector<std::uint64_t> counts(model->size(), 0);
  for (const WordId word : tokens.words) ++counts[index_of(word)];
  // Its own occurrences cannot be told from the unknown words that it stands for; it is in the domain anyway.
  counts[index_of(anchor)] = tokens.words.size();
  std::vector<WordId> order(model->size());
  for (std::size_t w = 0; w < order.size(); ++w) order[w] = word_id(w);
  std::ranges::stable_sort(order, std::greater{}, [&](WordId word) { return counts[index_of(word)]; });
  order.resize(std::min(most, order.size()));
  return kept_domain(run, "reviews", order);
}

// A random half of the texts, at most `most` of them, with as many of each class.
std::vector<std::size_t> balanced(const std::vector<std::uint8_t>& labels, std::size_t most,
                                  std::uint64_t seed) {
  std::vector<std::uint32_t> order(labels.size());
  std::iota(order.begin(), order.end(), 0U);
  Rng rng = Rng::seeded_not_private(seed);
  shuffle(order, rng);
  const std::size_t each = std::min(most / 2, labels.size() / 4);
  std::array<std::size_t, 2> taken{};
  std::vector<std::size_t> out;
  for (const std::uint32_t i : order) {
    if (taken[labels[i] != 0 ? 1 : 0]++ < each) out.push_back(i);
  }
  return out;
}

LabelledTokens review_half(const Run& run, std::string_view part, const Task& task, std::size_t most) {
  const LabelledTexts all = ImdbPart(run.data(), part).read();
  LabelledTokens out;
  std::vector<std::string_view> texts;
  for (const std::size_t i : balanced(all.labels, most, run.seed_of({"half", part}))) {
    texts.emplace_back(all.texts[i]);
    out.labels.push_back(all.labels[i]);
  }
  out.texts = read_tokens(texts, task.domain, {.anchor = task.anchor, .strip_html = true},
                          {.threads = run.threads()});
  return out;
}

void add_sentences(const Run& run, Task& task) {
  const SentenceTask sentences = load_sentence_task(run.data(), "MR");
  std::vector<std::string_view> texts;
  for (const Sentence& sentence : sentences.train) {
    texts.emplace_back(sentence.text);
    task.sentences.labels.push_back(static_cast<std::uint32_t>(sentence.label));
  }
  task.sentences.texts = read_tokens(texts, task.domain, {.anchor = task.anchor}, {.threads = run.threads()});
  task.polarity.assign(task.domain->size(), 0);
  const Lexicon lexicon = load_lexicon(run.data(), task.domain);
  for (const WordId word : lexicon.positive) task.polarity[index_of(word)] = 1;
  for (const WordId word : lexicon.negative) task.polarity[index_of(word)] = -1;
}

fs::path tweets_file(const Run& run, const std::string& name) {
  const DataFile file{.set = "disaster tweets",
                      .names = {"disaster_tweets/" + name, "nlp-getting-started/" + name},
                      .published = "the competition `nlp-getting-started` at Kaggle"};
  if (const auto found = run.data().find(file)) return *found;
  static_cast<void>(run.data().read(file));  // throws what is missing
  return {};
}

}  // namespace

TokenLists first_texts(const TokenLists& texts, std::size_t most) {
  std::vector<std::size_t> numbers(std::min(most, texts.size()));
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return chosen_texts(texts, numbers);
}

Task review_task(const Run& run, const Settings& settings) {
  const std::string all = gumbel::read_unlabelled_reviews(run.data());
  std::vector<std::string_view> reviews = lines_of(all);
  std::erase(reviews, std::string_view());
  Task task{.name = "reviews", .domain = review_domain(run, reviews, settings.review_words)};
  task.anchor = default_anchor(*task.domain);
  task.train = review_half(run, "train", task, settings.half);
  task.test = review_half(run, "test", task, settings.half);
  task.public_texts = read_tokens(reviews, task.domain, {.anchor = task.anchor, .strip_html = true},
                                  {.threads = run.threads()});
  add_sentences(run, task);
  return task;
}

Task tweet_task(const Run& run, const Settings& settings) {
  std::vector<WordId> frequent(std::min(settings.tweet_words, run.model()->size()));
  for (std::size_t w = 0; w < frequent.size(); ++w) frequent[w] = word_id(w);
  Task task{.name = "tweets", .domain = kept_domain(run, "tweets", frequent)};
  task.anchor = default_anchor(*task.domain);
  const ReadingTexts columns = {{"column", {"text"}}};
  const api::LabelledTexts all = api::read_labelled(tweets_file(run, "train.csv"), columns, "target");
  std::vector<std::uint32_t> order(all.texts.size());
  std::iota(order.begin(), order.end(), 0U);
  Rng rng = Rng::seeded_not_private(run.seed_of({"split of the tweets"}));
  shuffle(order, rng);
  const Work work{.threads = run.threads()};
  const auto part = [&](std::span<const std::uint32_t> numbers) {
    LabelledTokens out;
    std::vector<std::string_view> texts;
    for (const std::uint32_t i : numbers) {
      texts.emplace_back(all.texts[i]);
      out.labels.push_back(all.labels[i] == "1" ? 1 : 0);
    }
    out.texts = read_tokens(texts, task.domain, {.anchor = task.anchor}, work);
    return out;
  };
  const std::size_t tested = order.size() / 4;
  task.test = part(std::span(order).first(tested));
  task.train = part(std::span(order).subspan(tested));
  const std::vector<std::string> unlabelled = api::read_public(tweets_file(run, "test.csv"), columns);
  const std::vector<std::string_view> views(unlabelled.begin(), unlabelled.end());
  task.public_texts = read_tokens(views, task.domain, {.anchor = task.anchor}, work);
  return task;
}

}  // namespace sotto::lab::learning
