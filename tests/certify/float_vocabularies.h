#pragma once
// Vocabularies that are hard for float32: each has something that a rounding error could hide.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "certify/float_pairs.h"
#include "support/models.h"

namespace sotto::test {

// Takes any vocabulary, however small.
inline constexpr FloatPairs::Options kAny{.least_rows = 2, .most_near = 1};

struct FloatVocabulary {
  std::string name;
  std::shared_ptr<const Model> model;
  bool has_ties = false;  // several pairs are the worst but for rounding
};

class VocabularyMaker {
 public:
  explicit VocabularyMaker(std::size_t dim) : dim_(dim) {}
  std::vector<float> noise(double scale) {
    std::vector<float> x(dim_);
    for (float& value : x) value = static_cast<float>(scale * gaussian(rng_));
    return x;
  }
  void add(const std::vector<float>& x) { values_.insert(values_.end(), x.begin(), x.end()); }
  [[nodiscard]] std::vector<float> word(std::size_t i) const {
    const auto first = values_.begin() + static_cast<std::ptrdiff_t>(i * dim_);
    return {first, first + static_cast<std::ptrdiff_t>(dim_)};
  }
  [[nodiscard]] FloatVocabulary take(std::string name, bool has_ties = false) const {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < values_.size() / dim_; ++i) words.push_back("w" + std::to_string(i));
    return {.name = std::move(name), .model = Model::from_words(words, values_, dim_), .has_ties = has_ties};
  }

 private:
  std::size_t dim_;
  Rng rng_ = Rng::seeded_not_private(7);
  std::vector<float> values_;
};

inline FloatVocabulary gaussian_words(std::size_t words, std::size_t dim) {
  VocabularyMaker make(dim);
  for (std::size_t i = 0; i < words; ++i) make.add(make.noise(1));
  return make.take("gaussian, " + std::to_string(dim) + " dimensions");
}

inline std::vector<FloatVocabulary> float_vocabularies() {
  std::vector<FloatVocabulary> out = {gaussian_words(600, 3), gaussian_words(513, 64),
                                      gaussian_words(300, 333)};
  {
    // Tight clusters at different lengths, and words by themselves.
    VocabularyMaker make(20);
    for (std::size_t c = 0; c < 40; ++c) {
      const std::vector<float> centre = make.noise(0.2 + 0.05 * static_cast<double>(c));
      for (std::size_t i = 0; i < 12; ++i) {
        std::vector<float> x = make.noise(i % 3 == 0 ? 0.3 : 0.01);
        std::transform(x.begin(), x.end(), centre.begin(), x.begin(), std::plus<>());
        make.add(x);
      }
    }
    for (std::size_t i = 0; i < 100; ++i) make.add(make.noise(2));
    out.push_back(make.take("clusters"));
  }
  {
    // Copies, which share a row, and companions that differ in the last places of one coordinate.
    VocabularyMaker make(10);
    for (std::size_t i = 0; i < 400; ++i) make.add(make.noise(1));
    for (std::size_t i = 0; i < 400; i += 5) make.add(make.word(i));
    for (std::size_t i = 1; i < 400; i += 5) {
      std::vector<float> x = make.word(i);
      x[i % 10] = std::nextafter(x[i % 10], 9.0F);
      make.add(x);
      x[0] += 1e-4F;
      make.add(x);
    }
    out.push_back(make.take("copies and near-duplicates"));
  }
  {
    VocabularyMaker make(8);
    for (std::size_t i = 0; i < 500; ++i) make.add(make.noise(1));
    for (const float length : {2e6F, 1e4F, 1e-6F}) {
      std::vector<float> x(8, 0.0F);
      x[3] = length;
      make.add(x);
      x[2] = length / 1000;
      make.add(x);
    }
    out.push_back(make.take("outliers"));
  }
  {
    // Points of a lattice: all nearest distances are 1, and many pairs are alike.
    VocabularyMaker make(3);
    for (int i = 0; i < 700; ++i) {
      make.add(
          {static_cast<float>(i % 9), static_cast<float>(i / 9 % 9), std::floor(static_cast<float>(i) / 81)});
    }
    out.push_back(make.take("lattice", true));
  }
  {
    // Two pairs close together whose words have crowds of different sizes: the worst pairs are near ones.
    VocabularyMaker make(16);
    for (std::size_t i = 0; i < 300; ++i) make.add(make.noise(3));
    for (std::size_t i = 0; i < 260; ++i) {
      std::vector<float> x = make.noise(0.002);
      x[5] += 6;
      make.add(x);
    }
    std::vector<float> lonely(16, 0.0F);
    lonely[5] = 6.05F;
    make.add(lonely);
    out.push_back(make.take("a crowd and its neighbour"));
  }
  return out;
}

}  // namespace sotto::test
