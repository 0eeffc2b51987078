// own-law: draws from a table of probabilities that the caller brings. Not in the registry.
//
// Idea: one row of the table for each input word, drawn from by running sums, exactly. Guarantee: none by
// itself; certify/own_law.cpp certifies the table over all pairs of words. Caveat: the table counts as
// public, so it must not be made from private text.
#include "mechanisms/own_law.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/infinity.h"
#include "core/sha256.h"
#include "core/uniform.h"
#include "mechanisms/rows.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr double kSumTolerance = 1e-6;

// Each row holds its outputs from the least likely to the most likely, with the running sums of their
// probabilities. In this order a positive number never vanishes in a sum: it is at least a n-th of it.
//
// The law is what is drawn: output k of a row has the probability (sums[k] - sums[k-1]) / sums[n-1], as real
// numbers. It differs from the caller's number by the rounding of the sums, some 1e-12 of itself.
class OwnLawTable final : public WordMechanism {
 public:
  OwnLawTable(std::span<const double> probabilities, std::size_t words)
      : words_(words), outputs_(words * words), sums_(words * words) {
    for (std::size_t w = 0; w < words_; ++w) {
      const auto row = probabilities.subspan(w * words_, words_);
      const auto order = std::span(outputs_).subspan(w * words_, words_);
      std::iota(order.begin(), order.end(), std::uint32_t{0});
      std::ranges::stable_sort(order, {}, [&](std::uint32_t y) { return row[y]; });
      double sum = 0;
      for (std::size_t k = 0; k < words_; ++k) sums_[w * words_ + k] = sum += row[order[k]];
    }
  }

  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const override {
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::size_t chosen = choose_by_sums(rng, sums_of(in[i]));
      out[i] = word_id(outputs_[index_of(in[i]) * words_ + chosen]);
    }
  }
  // A difference of two sums, two logarithms of at most 745, and their difference: 5e-13 at most.
  [[nodiscard]] double log_law_error() const override { return 1e-12; }
  [[nodiscard]] std::optional<std::vector<double>> log_law(WordId word) const override {
    const auto sums = sums_of(word);
    const double log_total = std::log(sums.back());
    std::vector<double> law(words_);
    for (std::size_t k = 0; k < words_; ++k) {
      const double own = sums[k] - (k == 0 ? 0 : sums[k - 1]);
      law[outputs_[index_of(word) * words_ + k]] = own > 0 ? std::log(own) - log_total : -kInfinity;
    }
    return law;
  }

 private:
  [[nodiscard]] std::span<const double> sums_of(WordId word) const {
    return std::span(sums_).subspan(index_of(word) * words_, words_);
  }
  std::size_t words_;
  std::vector<std::uint32_t> outputs_;
  std::vector<double> sums_;
};

void check_rows(std::span<const double> probabilities, std::size_t words) {
  for (std::size_t w = 0; w < words; ++w) {
    const auto row = probabilities.subspan(w * words, words);
    if (!std::ranges::all_of(row, [](double p) { return p >= 0 && p <= 1 + kSumTolerance; })) {
      throw Error(ErrorCode::usage,
                  fmt::format("`law`: row {} (counted from 0) has a number that is no probability; each must "
                              "be from 0 to 1",
                              w));
    }
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    if (!(std::abs(sum - 1) <= kSumTolerance)) {
      throw Error(ErrorCode::usage,
                  fmt::format("`law`: row {} (counted from 0) has the sum {:.9g}, not 1; row w holds the "
                              "probabilities of all outputs of word w",
                              w, sum));
    }
  }
}

const std::array kParameters = {
    Parameter{
        .name = "epsilon", .help = "the claim: a loss of at most epsilon per unit of distance", .min = 0},
    metric_parameter("the distance d between words; it gives epsilon its unit"),
};

const MechanismInfo kOwnLaw = {
    .name = "own-law",
    .aliases = {},
    .title = "A law given as a table of probabilities",
    .paper = "none: the caller's own",
    .guarantee = "what the certificate of the table proves",
    .slope = "any",
    .status = Status::not_private,
    .caveat = "the table counts as public: it must not be made from private text",
    .parameters = kParameters,
};

Parameters parameters_of(const OwnLaw& law) {
  ParameterTexts texts = {{"metric", std::string(metric_name(law.metric))}};
  if (law.epsilon) texts["epsilon"] = number_text(*law.epsilon);
  return Parameters::parse(kOwnLaw.name, kParameters, texts);
}

std::string sha256_of(std::span<const double> values) {
  Sha256 hash;
  hash.add(values.data(), values.size_bytes());
  return hex_text(hash.digest());
}

}  // namespace

Mechanism build_own_law(const std::shared_ptr<const Model>& model, const OwnLaw& law) {
  const std::size_t words = model->size();
  if (words > kMostOwnLawWords) {
    throw Error(
        ErrorCode::usage,
        fmt::format("`law` is for models of at most {} words, and this one has {}: write the mechanism "
                    "in C++ (scripts/new_mechanism.py makes the file), or take a smaller model",
                    kMostOwnLawWords, words));
  }
  if (law.probabilities.size() != words * words) {
    throw Error(ErrorCode::usage, fmt::format("`law` has {} numbers; a model of {} words needs {} rows of {}",
                                              law.probabilities.size(), words, words, words));
  }
  check_rows(law.probabilities, words);
  return {.info = &kOwnLaw,
          .parameters = parameters_of(law),
          .space = Space::make(model, law.metric),
          .claim = {.status = Status::not_private,
                    .epsilon = law.epsilon.value_or(kInfinity),
                    .guarantee = "None: nothing is proven of this law.",
                    .caveat = std::string(kOwnLaw.caveat),
                    .arithmetic = "exact sampling from running sums; they change a probability by less than "
                                  "1e-11 of itself, and the certificate is that of what is drawn"},
          .words = std::make_shared<OwnLawTable>(law.probabilities, words),
          .facts = {{"law_sha256", sha256_of(law.probabilities)}}};
}

}  // namespace sotto
