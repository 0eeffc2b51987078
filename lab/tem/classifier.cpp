#include "lab/tem/classifier.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/shuffle.h"

namespace sotto::lab {

namespace {

constexpr std::uint32_t kNoSlot = std::numeric_limits<std::uint32_t>::max();

float logistic(float x) {
  return 1 / (1 + std::exp(-x));
}

}  // namespace

void Bags::add(std::span<const WordId> words, std::uint8_t label) {
  thread_local std::vector<WordId> sorted;
  sorted.assign(words.begin(), words.end());
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t next = i + 1;
    while (next < sorted.size() && sorted[next] == sorted[i]) ++next;
    entries.push_back(
        {.word = sorted[i], .share = static_cast<float>(next - i) / static_cast<float>(sorted.size())});
    i = next;
  }
  ends.push_back(entries.size());
  labels.push_back(label);
}

struct Classifier::Parts {
  std::size_t dim;
  std::size_t row_size;           // one place more than dim, for the bias
  std::vector<float> embeddings;  // a row per word; 0 in the place of the bias
  std::vector<float> outputs;     // a row per class, its bias at `dim`
  RowAdam embedding_adam;
  RowAdam output_adam;

  // Of the batch under way.
  std::vector<std::uint32_t> slots;  // by word: its place in `words`, or kNoSlot
  std::vector<WordId> words;         // the distinct ones
  std::vector<float> word_scores;
  std::vector<float> word_slopes;  // of the loss, by the word's score
  std::vector<float> difference;   // W1 - W0, with 0 in the place of the bias
  std::vector<float> output_slope;

  explicit Parts(const Model& model)
      : dim(model.dim()),
        row_size(padded_row(dim + 1)),
        embeddings(model.size() * row_size),
        outputs(2 * row_size),
        embedding_adam(embeddings, row_size),
        output_adam(outputs, row_size),
        slots(model.size(), kNoSlot),
        difference(row_size),
        output_slope(row_size) {
    for (std::size_t i = 0; i < model.size(); ++i) {
      std::ranges::copy(model.vector(word_id(i)), row(word_id(i)));
    }
  }

  [[nodiscard]] float* row(WordId word) { return embeddings.data() + index_of(word) * row_size; }
  [[nodiscard]] const float* row(WordId word) const { return embeddings.data() + index_of(word) * row_size; }
  [[nodiscard]] float bias_difference() const { return outputs[row_size + dim] - outputs[dim]; }
  void find_difference() {
    for (std::size_t i = 0; i < dim; ++i) difference[i] = outputs[row_size + i] - outputs[i];
  }

  // In the order of the table: most rows of a noisy batch are touched, and memory likes to be read in order.
  void collect_words(const Bags& bags, std::span<const std::uint32_t> batch) {
    for (const std::uint32_t document : batch) {
      for (const Bags::Entry& entry : bags.document(document)) slots[index_of(entry.word)] = 0;
    }
    words.clear();
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (slots[i] == kNoSlot) continue;
      slots[i] = static_cast<std::uint32_t>(words.size());
      words.push_back(word_id(i));
    }
  }

  void score_words() {
    word_scores.resize(words.size());
    word_slopes.assign(words.size(), 0);
    for (std::size_t i = 0; i < words.size(); ++i) {
      embedding_adam.catch_up(index_of(words[i]));
      word_scores[i] = dot(row(words[i]), difference.data(), row_size);
    }
  }

  // Fills word_slopes; returns the slope by the difference of the biases.
  float follow_documents(const Bags& bags, std::span<const std::uint32_t> batch) {
    const float bias = bias_difference();
    float bias_slope = 0;
    for (const std::uint32_t document : batch) {
      float score = bias;
      for (const Bags::Entry& entry : bags.document(document)) {
        score += entry.share * word_scores[slots[index_of(entry.word)]];
      }
      const float slope =
          (logistic(score) - static_cast<float>(bags.labels[document])) / static_cast<float>(batch.size());
      for (const Bags::Entry& entry : bags.document(document)) {
        word_slopes[slots[index_of(entry.word)]] += entry.share * slope;
      }
      bias_slope += slope;
    }
    return bias_slope;
  }

  void move(float bias_slope) {
    std::ranges::fill(output_slope, 0.0F);
    for (std::size_t i = 0; i < words.size(); ++i) {
      add_scaled(output_slope.data(), row(words[i]), word_slopes[i], row_size);
      embedding_adam.update(index_of(words[i]), difference.data(), word_slopes[i]);
      slots[index_of(words[i])] = kNoSlot;
    }
    output_slope[dim] = bias_slope;
    output_adam.update(0, output_slope.data(), -1);
    output_adam.update(1, output_slope.data(), 1);
  }
};

Classifier::Classifier(const Model& model, std::uint64_t seed) : parts_(std::make_unique<Parts>(model)) {
  Rng rng = Rng::seeded_not_private(seed);
  const double bound = 1 / std::sqrt(static_cast<double>(parts_->dim));
  for (std::size_t label = 0; label < 2; ++label) {
    for (std::size_t i = 0; i <= parts_->dim; ++i) {
      const double uniform = static_cast<double>(rng.bits() >> 11) * 0x1p-53;
      parts_->outputs[label * parts_->row_size + i] = static_cast<float>(bound * (2 * uniform - 1));
    }
  }
}
Classifier::~Classifier() = default;
Classifier::Classifier(Classifier&&) noexcept = default;

void Classifier::step(const Bags& bags, std::span<const std::uint32_t> batch) {
  Parts& parts = *parts_;
  parts.embedding_adam.begin_step();
  parts.output_adam.begin_step();
  parts.find_difference();
  parts.collect_words(bags, batch);
  parts.score_words();
  parts.move(parts.follow_documents(bags, batch));
}

void Classifier::settle() {
  parts_->embedding_adam.settle();
}

void Classifier::train(const Bags& bags, std::span<const std::uint32_t> documents, const TrainingPlan& plan) {
  std::vector<std::uint32_t> order(documents.begin(), documents.end());
  Rng rng = Rng::seeded_not_private(plan.seed);
  for (std::size_t epoch = 0; epoch < plan.epochs; ++epoch) {
    shuffle(order, rng);
    for (std::size_t at = 0; at < order.size(); at += plan.batch) {
      step(bags, std::span(order).subspan(at, std::min(plan.batch, order.size() - at)));
    }
  }
  settle();
}

std::vector<float> Classifier::scores(const Bags& bags, std::span<const std::uint32_t> documents) const {
  Parts& parts = *parts_;
  std::vector<float> difference(parts.row_size);
  for (std::size_t i = 0; i < parts.dim; ++i) {
    difference[i] = parts.outputs[parts.row_size + i] - parts.outputs[i];
  }
  std::vector<float> words(parts.slots.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = dot(parts.row(word_id(i)), difference.data(), parts.row_size);
  }
  std::vector<float> out;
  out.reserve(documents.size());
  for (const std::uint32_t document : documents) {
    float score = parts.bias_difference();
    for (const Bags::Entry& entry : bags.document(document)) {
      score += entry.share * words[index_of(entry.word)];
    }
    out.push_back(score);
  }
  return out;
}

std::span<const float> Classifier::embedding(WordId word) const {
  return {parts_->row(word), parts_->dim};
}

Classifier::Output Classifier::output(std::size_t label) const {
  const float* row = parts_->outputs.data() + label * parts_->row_size;
  return {.weights = {row, parts_->dim}, .bias = row[parts_->dim]};
}

}  // namespace sotto::lab
