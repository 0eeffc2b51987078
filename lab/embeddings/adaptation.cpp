#include "lab/embeddings/adaptation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "lab/embeddings/levels.h"
#include "lab/subset.h"

namespace sotto::lab::embeddings {

namespace {

constexpr std::size_t kProbes = 500;

std::shared_ptr<const Model> most_frequent(const Run& run, std::size_t words) {
  std::vector<WordId> ids;
  for (std::size_t i = 0; i < std::min(words, run.model()->size()); ++i) ids.push_back(word_id(i));
  return subset_of(*run.model(), ids, fmt::format(", its {} most frequent words", words),
                   {.path = run.request().output / "adaptation.sotto", .cache = run.request().cache});
}

// The model with the vectors to which the classifier has moved its own. A word that is not in the documents
// keeps its vector.
std::shared_ptr<const Model> fine_tuned(const ReviewTask& task, std::span<const std::uint32_t> documents,
                                        std::uint64_t seed) {
  Classifier classifier = task.trained(task.train_bags(), documents, seed);
  classifier.settle();
  const Model& model = *task.model();
  std::vector<std::string> words;
  std::vector<float> vectors;
  for (std::size_t i = 0; i < model.size(); ++i) {
    words.emplace_back(model.word(word_id(i)));
    const std::span<const float> vector = classifier.embedding(word_id(i));
    vectors.insert(vectors.end(), vector.begin(), vector.end());
  }
  ModelOrigin origin = model.origin();
  origin.name += ", fine-tuned";
  return Model::from_words(words, vectors, model.dim(), origin);
}

// Releases documents through a domain of their own words only, with the public vectors; the answer is in
// words of the public domain.
Bags released_in_own_words(const ReviewTask& task, std::span<const std::uint32_t> documents, double epsilon,
                           std::uint64_t seed) {
  const Corpus& corpus = task.train();
  std::vector<std::uint32_t> place(task.model()->size());
  for (const std::uint32_t document : documents) {
    for (const WordId word : corpus.document(document)) place[index_of(word)] = 1;
  }
  std::vector<WordId> own;
  for (std::size_t w = 0; w < place.size(); ++w) {
    if (place[w] == 0) continue;
    place[w] = static_cast<std::uint32_t>(own.size());
    own.push_back(word_id(w));
  }
  Corpus renamed;
  for (const std::uint32_t document : documents) {
    for (const WordId word : corpus.document(document))
      renamed.words.push_back(word_id(place[index_of(word)]));
    renamed.ends.push_back(renamed.words.size());
    renamed.labels.push_back(corpus.labels[document]);
  }
  const Mechanism mechanism = build_mechanism("tem", subset_of(*task.model(), own, ", the text's own words"),
                                              {{"epsilon", number_text(epsilon)}})
                                  .mechanism;
  std::vector<std::uint32_t> all(renamed.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
  Bags bags = release(renamed, all, *mechanism.words, seed).bags;
  for (Bags::Entry& entry : bags.entries) entry.word = own[index_of(entry.word)];
  return bags;
}

// One trial: halves, vectors, releases.
class Trial {
 public:
  Trial(const Run& run, const Settings& settings, const ReviewTask& task, TemLevels& public_levels,
        std::size_t trial)
      : run_(run),
        settings_(settings),
        task_(task),
        public_levels_(public_levels),
        number_(fmt::format("{}", trial)),
        split_(task.split(trial)),
        rare_(rare_words(task.train_bags(), split_.train, task.model()->size())) {}

  void measure(Points& adaptation, Points& betrayal) {
    for (const std::string_view vectors : {kPublicVectors, kPrivateVectors, kOtherVectors}) {
      for (const double level : settings_.errors) {
        const std::vector<std::string> keys = {std::string(vectors), number_text(level), number_};
        if (!adaptation.find(keys)) release_at(keys, level, adaptation, betrayal);
      }
    }
    if (has(betrayal, kSeesLaw, "none")) return;
    add(betrayal, kSeesLaw, "none", moved_words(task_.model(), fine_tuned_on(kPrivateVectors), kProbes));
  }

 private:
  const std::shared_ptr<const Model>& fine_tuned_on(std::string_view vectors) {
    auto& made = models_[std::string(vectors)];
    if (!made) {
      const Halves& halves = split_.train;
      made = fine_tuned(task_, vectors == kPrivateVectors ? halves.first : halves.second,
                        run_.seed_of({"fine-tuning", vectors, number_}));
    }
    return made;
  }
  TemLevels& levels_of(std::string_view vectors) {
    if (vectors == kPublicVectors) return public_levels_;
    auto& made = levels_[std::string(vectors)];
    if (!made) {
      made = std::make_unique<TemLevels>(NamedSpace{.group = "adaptation",
                                                    .embedding = std::string(vectors),
                                                    .metric = "euclidean",
                                                    .model = fine_tuned_on(vectors)},
                                         kByError, run_.threads());
    }
    return *made;
  }

  // The row of adaptation.csv comes last, so that an interrupted place is measured again as a whole.
  void release_at(const std::vector<std::string>& keys, double level, Points& adaptation, Points& betrayal) {
    TemLevels& levels = levels_of(keys[0]);
    const std::optional<LevelPoint> found = levels.find(level);
    if (!found) return;
    const std::uint64_t seed = run_.seed_of({"adaptation", keys[0], keys[1], keys[2]});
    const Released released =
        release(task_.train(), split_.train.first, *levels.mechanism_at(*found).words, seed);
    if (keys[0] == kPublicVectors) {
      add(betrayal, kSeesOutput, keys[1], document_counts(released.bags, task_.model()->size()));
      const Bags own = released_in_own_words(task_, split_.train.first, found->epsilon, seed);
      add(betrayal, kSeesPrivateWords, keys[1], document_counts(own, task_.model()->size()));
    }
    const Sentiment sentiment = task_.learnt_from(released.bags, split_, seed);
    tell(fmt::format("adaptation, vectors {}, trial {}: E_opt {:.3f} at epsilon {}, accuracy {:.3f}", keys[0],
                     number_, found->e_opt, found->epsilon, sentiment.accuracy_median));
    adaptation.add({.keys = keys,
                    .values = {found->epsilon, found->certified_loss, found->e_opt, sentiment.accuracy,
                               sentiment.accuracy_median, sentiment.auc, released.unchanged}});
  }

  [[nodiscard]] std::vector<std::string> betrayal_keys(std::string_view observer, std::string_view level,
                                                       std::string_view about) const {
    return {std::string(observer), std::string(level), std::string(about), number_};
  }
  [[nodiscard]] bool has(const Points& betrayal, std::string_view observer, std::string_view level) const {
    return betrayal.find(betrayal_keys(observer, level, "document")).has_value();
  }
  void add(Points& betrayal, std::string_view observer, std::string_view level,
           const Evidence& evidence) const {
    const auto row = [&](std::string_view about, double area, std::size_t in, std::size_t out) {
      tell(fmt::format("{}, level {}, trial {}: {} attack has AUC {:.3f}", observer, level, number_, about,
                       area));
      Points::Row own{.keys = betrayal_keys(observer, level, about),
                      .values = {area, static_cast<double>(in), static_cast<double>(out)}};
      if (!betrayal.find(own.keys)) betrayal.add(std::move(own));
    };
    row("word", word_attack(evidence, rare_), rare_.in.size(), rare_.out.size());
    row("document", document_attack(evidence, task_.train_bags(), split_.train), split_.train.first.size(),
        split_.train.second.size());
  }

  const Run& run_;
  const Settings& settings_;
  const ReviewTask& task_;
  TemLevels& public_levels_;
  std::string number_;
  ReviewTask::Split split_;
  RareWords rare_;
  std::map<std::string, std::shared_ptr<const Model>> models_ = {};
  std::map<std::string, std::unique_ptr<TemLevels>> levels_ = {};
};

}  // namespace

void measure_adaptation(const Run& run, const Settings& settings, Points& adaptation, Points& betrayal) {
  const std::shared_ptr<const Model> model = most_frequent(run, settings.adaptation_words);
  const ReviewTask task(run, settings, model);
  TemLevels public_levels(
      {.group = "adaptation", .embedding = "public", .metric = "euclidean", .model = model}, kByError,
      run.threads());
  for (std::size_t trial = 1; trial <= settings.trials; ++trial) {
    Trial(run, settings, task, public_levels, trial).measure(adaptation, betrayal);
  }
}

}  // namespace sotto::lab::embeddings
