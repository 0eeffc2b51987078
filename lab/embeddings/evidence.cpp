#include <algorithm>
#include <cmath>

#include "lab/embeddings/adaptation.h"
#include "lab/statistics.h"
#include "sotto/space.h"

namespace sotto::lab::embeddings {

namespace {

// A distance counts as changed if it moved by more than any rounding of a float32 vector explains.
constexpr double kSame = 1e-6;

std::vector<std::uint32_t> document_counts(const Bags& bags, std::span<const std::uint32_t> documents,
                                           std::size_t words) {
  std::vector<std::uint32_t> counts(words);
  for (const std::uint32_t document : documents) {
    for (const Bags::Entry& entry : bags.document(document)) ++counts[index_of(entry.word)];
  }
  return counts;
}

}  // namespace

Evidence document_counts(const Bags& released, std::size_t words) {
  const std::vector<std::uint32_t> counts = document_counts(released, all_of(released), words);
  return {counts.begin(), counts.end()};
}

Evidence moved_words(const std::shared_ptr<const Model>& public_model,
                     const std::shared_ptr<const Model>& adapted, std::size_t probes) {
  const auto before = Space::make(public_model, Metric::euclidean);
  const auto after = Space::make(adapted, Metric::euclidean);
  const std::size_t words = public_model->size();
  Evidence out(words);
  for (std::size_t w = 0; w < words; ++w) {
    bool has_moved = true;
    for (std::size_t i = words - std::min(probes, words); has_moved && i < words; ++i) {
      if (i == w) continue;
      const double public_distance = before->distance(word_id(w), word_id(i));
      has_moved =
          std::abs(after->distance(word_id(w), word_id(i)) - public_distance) > kSame * (1 + public_distance);
    }
    out[w] = has_moved ? 1 : 0;
  }
  return out;
}

RareWords rare_words(const Bags& bags, const Halves& halves, std::size_t words) {
  const std::vector<std::uint32_t> first = document_counts(bags, halves.first, words);
  const std::vector<std::uint32_t> second = document_counts(bags, halves.second, words);
  RareWords out;
  for (std::size_t w = 0; w < words; ++w) {
    if (first[w] == 1 && second[w] == 0) out.in.push_back(word_id(w));
    if (first[w] == 0 && second[w] == 1) out.out.push_back(word_id(w));
  }
  return out;
}

double word_attack(const Evidence& evidence, const RareWords& words) {
  const auto scores = [&](const std::vector<WordId>& own) {
    std::vector<float> out;
    for (const WordId word : own) out.push_back(evidence[index_of(word)]);
    return out;
  };
  const std::vector<float> in = scores(words.in);
  const std::vector<float> out = scores(words.out);
  return area_under_curve({.positive = in, .negative = out});
}

double document_attack(const Evidence& evidence, const Bags& bags, const Halves& halves) {
  const auto scores = [&](const std::vector<std::uint32_t>& documents) {
    std::vector<float> out;
    for (const std::uint32_t document : documents) {
      const auto words = bags.document(document);
      const auto seen = std::ranges::count_if(
          words, [&](const Bags::Entry& entry) { return evidence[index_of(entry.word)] > 0; });
      out.push_back(words.empty() ? 1.0F : static_cast<float>(seen) / static_cast<float>(words.size()));
    }
    return out;
  };
  const std::vector<float> in = scores(halves.first);
  const std::vector<float> out = scores(halves.second);
  return area_under_curve({.positive = in, .negative = out});
}

}  // namespace sotto::lab::embeddings
