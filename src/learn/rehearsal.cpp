#include "learn/rehearsal.h"

#include <algorithm>

namespace sotto {
namespace {

// Every second text, so that an order by class or date does no harm.
struct Halves {
  std::vector<std::size_t> train;
  std::vector<std::size_t> test;
};
Halves halves_of(std::size_t count) {
  Halves out;
  for (std::size_t i = 0; i < count; ++i) (i % 2 == 0 ? out.train : out.test).push_back(i);
  return out;
}

std::vector<std::uint32_t> picked(std::span<const std::uint32_t> all, std::span<const std::size_t> numbers) {
  std::vector<std::uint32_t> out;
  out.reserve(numbers.size());
  for (const std::size_t number : numbers) out.push_back(all[number]);
  return out;
}

double majority_of(std::span<const std::uint32_t> labels, std::size_t classes) {
  std::vector<std::size_t> counts(classes, 0);
  for (const std::uint32_t label : labels) ++counts[label];
  return labels.empty()
             ? 0
             : static_cast<double>(*std::ranges::max_element(counts)) / static_cast<double>(labels.size());
}

}  // namespace

Rehearsal rehearse(const Mechanism& mechanism, const PublicTexts& texts, WordId anchor,
                   const TextLabels& labels, std::span<const LearnSettings> settings,
                   const LiftQuestion& lift, const Work& work) {
  const Halves halves = halves_of(texts.clean.size());
  const TokenLists train = chosen_texts(texts.released, halves.train);
  const TokenLists clean_test = chosen_texts(texts.clean, halves.test);
  const TokenLists released_test = chosen_texts(texts.released, halves.test);
  const std::vector<std::uint32_t> train_labels = picked(labels.of, halves.train);
  const std::vector<std::uint32_t> test_labels = picked(labels.of, halves.test);
  const TextLabels own{.of = train_labels, .classes = labels.classes};

  Rehearsal out{.rows = {},
                .majority = majority_of(test_labels, labels.classes),
                .trained = halves.train.size(),
                .tested = halves.test.size()};
  for (const LearnSettings& one : settings) out.rows.push_back({.settings = one});
  std::vector<bool> is_done(settings.size(), false);
  for (std::size_t first = 0; first < settings.size(); ++first) {
    if (is_done[first]) continue;
    LearnSettings widest = settings[first];
    for (const LearnSettings& one : settings) {
      if (one.smoothing == widest.smoothing) widest.features = std::max(widest.features, one.features);
    }
    const LiftedWords words = lifted_words(mechanism, texts.clean, anchor, widest, lift, work);
    for (std::size_t i = first; i < settings.size(); ++i) {
      if (is_done[i] || settings[i].smoothing != widest.smoothing) continue;
      const TextSpace space = calibrated(words, texts, settings[i].features, work.threads);
      for (std::size_t k = i; k < settings.size(); ++k) {
        if (is_done[k] || settings[k].smoothing != widest.smoothing ||
            settings[k].features != settings[i].features) {
          continue;
        }
        const TextModel model = fit_text_model(space, train, own, settings[k].penalty, work.threads);
        const auto right = [&](const TokenLists& test, TextKind kind) {
          return accuracy(best_classes(scores_of(model, test, kind, work.threads)), test_labels);
        };
        out.rows[k].clean = right(clean_test, TextKind::clean);
        out.rows[k].released = right(released_test, TextKind::released);
        is_done[k] = true;
      }
    }
  }
  const DirectModel direct = fit_direct(train, mechanism.space->size(), own, work.threads);
  out.direct.clean = accuracy(best_classes(scores_of(direct, clean_test, work.threads)), test_labels);
  out.direct.released = accuracy(best_classes(scores_of(direct, released_test, work.threads)), test_labels);
  for (std::size_t i = 1; i < out.rows.size(); ++i) {
    if (out.rows[i].clean > out.rows[out.best].clean) out.best = i;
  }
  return out;
}

std::vector<LearnSettings> usual_settings() {
  std::vector<LearnSettings> out = {{}};
  for (const std::size_t features : {50UL, 100UL, 200UL}) {
    for (const double penalty : {1e-4, 1e-3, 1e-2}) {
      const LearnSettings one{.features = features, .penalty = penalty};
      if (one.features != out[0].features || one.penalty != out[0].penalty) out.push_back(one);
    }
  }
  return out;
}

}  // namespace sotto
