#include "lab/attack/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "api/language.h"
#include "attack/documents.h"
#include "lab/data_files.h"
#include "lab/letter_words.h"
#include "lab/shuffle.h"
#include "lab/tem/imdb.h"
#include "sotto/rng.h"

namespace sotto::lab::attack {

namespace {

// Numbers of texts in an order by chance that only the run's seed decides.
std::vector<std::uint32_t> shuffled(const Run& run, std::string_view name, std::size_t count) {
  std::vector<std::uint32_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(i);
  Rng rng = Rng::seeded_not_private(run.seed_of({"sample", name}));
  shuffle(order, rng);
  return order;
}

void train(Corpus& corpus, const Run& run, std::vector<std::string> texts) {
  corpus.lm =
      api::train_language_model({.model = run.model(), .text = std::move(texts)}, {.threads = run.threads()})
          .file;
  corpus.lm_path = run.request().output / fmt::format("{}.lm", corpus.name);
  corpus.lm->save(corpus.lm_path, Overwrite::replace);
}

std::vector<std::string> tweets_of(const DataFolder& data, const DataFile& file) {
  std::vector<std::string> out;
  for_each_document(data.path(file), ReadingOptions::parse({{"column", {"text"}}}),
                    [&](std::string_view text) { out.push_back(letter_words(text, 0)); });
  return out;
}

}  // namespace

Corpus reviews(const Run& run, const Settings& settings) {
  Corpus out{.name = "reviews"};
  const std::vector<std::string> all = ImdbPart(run.data(), "test").read().texts;
  const std::vector<std::uint32_t> order = shuffled(run, out.name, all.size());
  for (std::size_t i = 0; i < std::min(settings.reviews, all.size()); ++i) {
    out.sample.push_back(letter_words(all[order[i]], settings.review_words));
  }
  const std::string bytes = run.data().read(data_files::kUnlabelledReviews);
  std::vector<std::string> texts;
  for (const std::string_view line : lines_of(bytes)) {
    if (texts.size() == settings.public_reviews) break;
    texts.push_back(letter_words(line, 0));
  }
  train(out, run, std::move(texts));
  return out;
}

Corpus tweets(const Run& run, const Settings& settings) {
  Corpus out{.name = "tweets"};
  const std::vector<std::string> all = tweets_of(run.data(), data_files::kTweets);
  const std::vector<std::uint32_t> order = shuffled(run, out.name, all.size());
  std::unordered_set<std::string> attacked;
  std::size_t next = 0;
  for (; next < all.size() && out.sample.size() < settings.tweets; ++next) {
    const std::string& text = all[order[next]];
    if (!text.empty() && attacked.insert(text).second) out.sample.push_back(text);
  }
  std::vector<std::string> texts = tweets_of(run.data(), data_files::kUnlabelledTweets);
  for (; next < all.size(); ++next) texts.push_back(all[order[next]]);
  std::erase_if(texts, [&](const std::string& text) { return text.empty() || attacked.contains(text); });
  train(out, run, std::move(texts));
  return out;
}

}  // namespace sotto::lab::attack
