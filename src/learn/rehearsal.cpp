#include "learn/rehearsal.h"

#include <algorithm>

namespace sotto {
namespace {

constexpr std::uint64_t kLabelSeed = 1;

// Every second text, so that an order by class or date does no harm; for training, evenly spread texts of
// these if they are too many.
struct Halves {
  std::vector<std::size_t> train;
  std::vector<std::size_t> test;
};
Halves halves_of(std::size_t count, std::size_t most_trained) {
  Halves out;
  for (std::size_t i = 1; i < count; i += 2) out.test.push_back(i);
  const std::size_t half = (count + 1) / 2;
  const std::size_t trained = most_trained == 0 ? half : std::min(half, most_trained);
  for (std::size_t i = 0; i < trained; ++i) out.train.push_back(2 * (i * half / trained));
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

// The public texts as a rehearsal uses them.
struct Stage {
  Stage(const PublicTexts& texts, const RehearsalQuestion& question)
      : halves(halves_of(texts.clean.size(), question.most_trained)),
        train(chosen_texts(texts.released, halves.train)),
        clean_test(chosen_texts(texts.clean, halves.test)),
        released_test(chosen_texts(texts.released, halves.test)),
        train_labels(picked(question.labels.of, halves.train)),
        test_labels(picked(question.labels.of, halves.test)),
        classes(question.labels.classes) {}

  [[nodiscard]] TextLabels own() const { return {.of = train_labels, .classes = classes}; }
  [[nodiscard]] double right(const DenseMatrix& scores) const {
    return accuracy(best_classes(scores), test_labels);
  }

  Halves halves;
  TokenLists train;
  TokenLists clean_test;
  TokenLists released_test;
  std::vector<std::uint32_t> train_labels;
  std::vector<std::uint32_t> test_labels;
  std::size_t classes;
};

void rehearse_row(const Stage& stage, const TextSpace& space, RehearsalRow& row, unsigned threads) {
  const TextModel model =
      fit_text_model(space, stage.train, TextKind::released, stage.own(), row.settings.penalty, threads);
  row.clean = stage.right(scores_of(model, stage.clean_test, TextKind::clean, threads));
  row.released = stage.right(scores_of(model, stage.released_test, TextKind::released, threads));
}

// The rows are there, without the rest.
void finish(const Stage& stage, std::size_t words, Rehearsal& out, unsigned threads) {
  out.majority = majority_of(stage.test_labels, stage.classes);
  out.trained = stage.halves.train.size();
  out.tested = stage.halves.test.size();
  const DirectModel direct = fit_direct(stage.train, words, stage.own(), threads);
  out.direct.clean = stage.right(scores_of(direct, stage.clean_test, threads));
  out.direct.released = stage.right(scores_of(direct, stage.released_test, threads));
  for (std::size_t i = 1; i < out.rows.size(); ++i) {
    if (out.rows[i].clean > out.rows[out.best].clean) out.best = i;
  }
}

Rehearsal unanswered(std::span<const LearnSettings> settings) {
  Rehearsal out;
  for (const LearnSettings& one : settings) out.rows.push_back({.settings = one});
  return out;
}

}  // namespace

Rehearsal rehearse(const Mechanism& mechanism, const PublicTexts& texts, WordId anchor,
                   const RehearsalQuestion& question, const LiftQuestion& lift, const Work& work) {
  const Stage stage(texts, question);
  const std::span<const LearnSettings> settings = question.settings;
  Rehearsal out = unanswered(settings);
  std::map<double, std::map<std::size_t, std::vector<std::size_t>>> plan;  // smoothing, features, rows
  for (std::size_t i = 0; i < settings.size(); ++i) {
    plan[settings[i].smoothing][settings[i].features].push_back(i);
  }
  for (const auto& [smoothing, by_features] : plan) {
    const LearnSettings widest{.features = by_features.rbegin()->first, .smoothing = smoothing};
    const LiftedWords words = lifted_words(mechanism, texts.clean, anchor, widest, lift, work);
    for (const auto& [features, rows] : by_features) {
      const TextSpace space = calibrated(words, texts, features, work.threads);
      for (const std::size_t i : rows) rehearse_row(stage, space, out.rows[i], work.threads);
    }
  }
  finish(stage, mechanism.space->size(), out, work.threads);
  return out;
}

Rehearsal rehearse(const SpacesByFeatures& spaces, const PublicTexts& texts,
                   const RehearsalQuestion& question, unsigned threads) {
  const Stage stage(texts, question);
  Rehearsal out = unanswered(question.settings);
  for (RehearsalRow& row : out.rows) rehearse_row(stage, spaces.at(row.settings.features), row, threads);
  finish(stage, spaces.begin()->second.clean.rows, out, threads);
  return out;
}

std::vector<std::uint32_t> drawn_labels(const DenseMatrix& scores) {
  const DenseMatrix chances = probabilities(scores);
  Rng rng = Rng::seeded_not_private(kLabelSeed);  // of labels of public texts
  std::vector<std::uint32_t> out;
  out.reserve(chances.rows);
  for (std::size_t i = 0; i < chances.rows; ++i) {
    double left = static_cast<double>(rng.bits() >> 11) * 0x1p-53;
    std::uint32_t label = 0;
    while (label + 1 < chances.columns && left >= chances.row(i)[label]) left -= chances.row(i)[label++];
    out.push_back(label);
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
