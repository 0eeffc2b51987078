#include "lab/learn/tasks.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "api/evaluate.h"
#include "lab/data_files.h"
#include "lab/learn/domains.h"
#include "lab/privemb/lexicon.h"
#include "lab/privemb/senteval.h"
#include "lab/shuffle.h"
#include "lab/tem/imdb.h"
#include "sotto/error.h"
#include "text/lookup.h"

namespace sotto::lab::learning {

namespace {

constexpr std::size_t kAttacked = 50;  // reviews that are kept as text

Task in_domain(std::string name, std::shared_ptr<const Model> domain) {
  Task task{.name = std::move(name), .domain = std::move(domain)};
  task.anchor = default_anchor(*task.domain);
  return task;
}

enum class Html { none, stripped };
TokenLists tokens_of(const Run& run, const Task& task, std::span<const std::string_view> texts, Html html) {
  return read_tokens(texts, task.domain, {.anchor = task.anchor, .strip_html = html == Html::stripped},
                     {.threads = run.threads()});
}

// Labelled texts, read one after the other.
class Labelled {
 public:
  void add(std::string_view text, std::uint32_t label) {
    texts_.push_back(text);
    labels_.push_back(label);
  }
  void add(const std::vector<Sentence>& sentences) {
    for (const Sentence& one : sentences) add(one.text, static_cast<std::uint32_t>(one.label));
  }
  [[nodiscard]] std::size_t size() const noexcept { return texts_.size(); }
  [[nodiscard]] LabelledTokens tokens(const Run& run, const Task& task, Html html = Html::none) const {
    return {.texts = tokens_of(run, task, texts_, html), .labels = labels_};
  }
  // A quarter by chance for `test`, the rest for `train`.
  void split(const Run& run, std::string_view name, Task& task) const {
    std::vector<std::uint32_t> order(size());
    std::iota(order.begin(), order.end(), 0U);
    Rng rng = Rng::seeded_not_private(run.seed_of({name}));
    shuffle(order, rng);
    const auto part = [&](std::span<const std::uint32_t> numbers) {
      Labelled out;
      for (const std::uint32_t i : numbers) out.add(texts_[i], labels_[i]);
      return out.tokens(run, task);
    };
    const std::size_t tested = order.size() / 4;
    task.test = part(std::span(order).first(tested));
    task.train = part(std::span(order).subspan(tested));
  }

 private:
  std::vector<std::string_view> texts_;
  std::vector<std::uint32_t> labels_;
};

// The public reviews, and their domain.
Task beside_reviews(const Run& run, const Settings& settings, std::string name) {
  const std::string all = run.data().read(data_files::kUnlabelledReviews);
  std::vector<std::string_view> reviews = lines_of(all);
  std::erase(reviews, std::string_view());
  Task task = in_domain(std::move(name), domain_of_reviews(run, reviews, settings.review_words));
  task.public_texts = tokens_of(run, task, reviews, Html::stripped);
  return task;
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

Task review_task(const Run& run, const Settings& settings, const std::string& name) {
  Task task = beside_reviews(run, settings, name);
  for (const std::string_view part : {"train", "test"}) {
    const LabelledTexts all = ImdbPart(run.data(), part).read();
    Labelled half;
    for (const std::size_t i : balanced(all.labels, settings.half, run.seed_of({"half", part}))) {
      half.add(all.texts[i], all.labels[i]);
      if (part == "train" && task.attacked.size() < kAttacked) task.attacked.push_back(all.texts[i]);
    }
    (part == "train" ? task.train : task.test) = half.tokens(run, task, Html::stripped);
  }
  const SentenceTask sentences = load_sentence_task(run.data(), "MR");
  Labelled labelled;
  labelled.add(sentences.train);
  task.sentences = labelled.tokens(run, task);
  task.polarity.assign(task.domain->size(), 0);
  const Lexicon lexicon = load_lexicon(run.data(), task.domain);
  for (const WordId word : lexicon.positive) task.polarity[index_of(word)] = 1;
  for (const WordId word : lexicon.negative) task.polarity[index_of(word)] = -1;
  return task;
}

Task tweet_task(const Run& run, const Settings& settings, const std::string& name) {
  Task task = in_domain(name, domain_of_frequent_words(run, name, settings.tweet_words));
  const ReadingTexts columns = {{"column", {"text"}}};
  const api::LabelledTexts all = api::read_labelled(run.data().path(data_files::kTweets), columns, "target");
  Labelled labelled;
  for (std::size_t i = 0; i < all.texts.size(); ++i) labelled.add(all.texts[i], all.labels[i] == "1" ? 1 : 0);
  labelled.split(run, "split of the tweets", task);
  const std::vector<std::string> unlabelled =
      api::read_public(run.data().path(data_files::kUnlabelledTweets), columns);
  const std::vector<std::string_view> views(unlabelled.begin(), unlabelled.end());
  task.public_texts = tokens_of(run, task, views, Html::none);
  return task;
}

Task mr_task(const Run& run, const Settings& settings, const std::string& name) {
  Task task = beside_reviews(run, settings, name);
  const SentenceTask sentences = load_sentence_task(run.data(), "MR");
  Labelled labelled;
  labelled.add(sentences.train);
  labelled.split(run, "split of MR", task);
  return task;
}

// Two classes of the five, as SST's authors make them: 0 and 1 are negative, 3 and 4 positive.
Task sst_task(const Run& run, const Settings& settings, const std::string& name) {
  Task task = beside_reviews(run, settings, name);
  const SentenceTask sentences = load_sentence_task(run.data(), "SST-5");
  const auto two_classes = [&](const std::vector<Sentence>& all) {
    Labelled out;
    for (const Sentence& one : all) {
      if (one.label != 2) out.add(one.text, one.label > 2 ? 1 : 0);
    }
    return out.tokens(run, task);
  };
  task.train = two_classes(sentences.train);
  task.test = two_classes(sentences.test);
  return task;
}

Task trec_task(const Run& run, const Settings& settings, const std::string& name) {
  Task task = in_domain(name, domain_of_frequent_words(run, name, settings.question_words));
  const SentenceTask questions = load_sentence_task(run.data(), "TREC-6");
  task.classes = static_cast<std::size_t>(questions.classes);
  Labelled train;
  train.add(questions.train);
  Labelled test;
  test.add(questions.test);
  task.train = train.tokens(run, task);
  task.test = test.tokens(run, task);
  return task;
}

struct Maker {
  std::string_view name;
  Task (*make)(const Run&, const Settings&, const std::string& name);
};
constexpr Maker kMakers[] = {{"reviews", review_task},
                             {"tweets", tweet_task},
                             {"mr", mr_task},
                             {"sst", sst_task},
                             {"trec", trec_task}};

}  // namespace

TokenLists first_texts(const TokenLists& texts, std::size_t most) {
  std::vector<std::size_t> numbers(std::min(most, texts.size()));
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return chosen_texts(texts, numbers);
}

Task make_task(const Run& run, const Settings& settings, const std::string& name) {
  for (const Maker& maker : kMakers) {
    if (maker.name == name) return maker.make(run, settings, name);
  }
  throw Error(ErrorCode::internal, "no such task of the learning experiment");
}

}  // namespace sotto::lab::learning
