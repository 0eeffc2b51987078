// What claims say in words, against what they mean: the numbers in the sentences and the loss that is
// promised for two words.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "conformance/judge.h"
#include "mechanisms/build.h"
#include "mechanisms/covariance.h"
#include "mechanisms/noise/noise.h"
#include "mechanisms/tem/tem.h"
#include "sotto/mechanism.h"
#include "support/models.h"

namespace sotto {
namespace {

std::shared_ptr<const Model> small_model(std::string_view name) {
  return test::gaussian_model({.words = 12, .dim = 3, .scale = name == "hyperbolic" ? 0.15 : 1.0, .seed = 5});
}

// The mechanisms on words with every parameter that changes the claim.
struct Variant {
  std::string name;
  ParameterTexts texts = {};
};
std::vector<Variant> variants() {
  std::vector<Variant> out;
  for (const MechanismInfo& info : mechanisms()) {
    if (info.build != nullptr) out.push_back({std::string(info.name)});
  }
  out.push_back({"tem", {{"gamma", "0.71234567"}}});
  out.push_back({"mahalanobis", {{"lambda", "0.77777"}}});
  out.push_back({"vickrey", {{"noise", "mahalanobis"}, {"lambda", "0.5"}}});
  out.push_back({"vickrey", {{"exclude-input", "true"}}});
  return out;
}

bool takes_epsilon(std::string_view name) {
  const auto parameters = find_mechanism(name).parameters;
  return std::ranges::find(parameters, "epsilon", &Parameter::name) != parameters.end();
}

// `extra` digits that no short decimal has; on top of what the Gumbel mechanisms need on this model.
Mechanism build(const Variant& variant, double extra) {
  ParameterTexts texts = variant.texts;
  const double epsilon =
      variant.name.ends_with("gumbel-topk") || variant.name == "truncated-gumbel" ? 200 + extra : extra;
  if (takes_epsilon(variant.name)) texts["epsilon"] = number_text(epsilon);
  return build_uncertified(variant.name, small_model(variant.name), texts);
}

std::vector<double> numbers_in(const std::string& sentence) {
  std::vector<double> out;
  for (const char* at = sentence.c_str(); *at != 0;) {
    if (*at < '0' || *at > '9') {
      ++at;
      continue;
    }
    char* end = nullptr;
    out.push_back(std::strtod(at, &end));
    at = end;
  }
  return out;
}

// The true bounds in the order in which the sentence names them.
std::vector<double> true_bounds(const Mechanism& mechanism) {
  if (mechanism.claim.status == Status::not_private || !mechanism.parameters.has("epsilon")) return {};
  std::vector<double> out = {mechanism.claim.epsilon};
  if (const auto* tem = dynamic_cast<const Tem*>(mechanism.words.get())) {
    if (tem->law().gamma < mechanism.space->diameter_bound()) out.push_back(tem->law().gamma);
  }
  if (mechanism.info->name == "mahalanobis") {
    const double constant =
        NoiseShape::mahalanobis(mechanism.space->model(), mechanism.parameters.number("lambda"))
            .euclidean_constant();
    out.push_back(constant);
    out.push_back(mechanism.claim.epsilon * constant);
  }
  return out;
}

TEST(Claims, NoBoundIsPrintedBelowItself) {
  for (const Variant& variant : variants()) {
    for (const double epsilon : {2.0000004, 0.1234567891, 1.0 / 3, 7.77777777777}) {
      const Mechanism mechanism = build(variant, epsilon);
      const std::vector<double> printed = numbers_in(mechanism.claim.guarantee);
      const std::vector<double> bounds = true_bounds(mechanism);
      ASSERT_EQ(printed.size(), bounds.size()) << mechanism.claim.guarantee;
      for (std::size_t i = 0; i < bounds.size(); ++i) {
        EXPECT_GE(printed[i], bounds[i]) << mechanism.claim.guarantee;
        EXPECT_LE(printed[i], bounds[i] * 1.002) << "too coarse: " << mechanism.claim.guarantee;
      }
    }
  }
}

// sqrt(x' S^-1 x), S from its definition and inverted by elimination: nothing of NoiseShape but the paper.
double mahalanobis_norm(const Model& model, double lambda, std::vector<double> x) {
  const std::size_t dim = model.dim();
  std::vector<double> s = sample_covariance(model);
  double variance = 0;
  for (std::size_t j = 0; j < dim; ++j) variance += s[j * dim + j] / static_cast<double>(dim);
  for (double& value : s) value *= lambda / variance;
  for (std::size_t j = 0; j < dim; ++j) s[j * dim + j] += 1 - lambda;
  std::vector<double> y = x;
  for (std::size_t j = 0; j < dim; ++j) {
    for (std::size_t i = 0; i < dim; ++i) {
      if (i == j) continue;
      const double factor = s[i * dim + j] / s[j * dim + j];
      for (std::size_t k = 0; k < dim; ++k) s[i * dim + k] -= factor * s[j * dim + k];
      y[i] -= factor * y[j];
    }
  }
  double sum = 0;
  for (std::size_t j = 0; j < dim; ++j) sum += x[j] * y[j] / s[j * dim + j];
  return std::sqrt(sum);
}

TEST(Claims, LossBoundIsInTheMechanismsOwnNorm) {
  for (const Variant& variant : {Variant{"mahalanobis", {{"lambda", "0.9"}}},
                                 Variant{"vickrey", {{"noise", "mahalanobis"}, {"lambda", "0.9"}}}}) {
    const Mechanism mechanism = build(variant, 1.5);
    const Model& model = mechanism.space->model();
    double largest_difference = 0;
    for (std::size_t a = 0; a < model.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        std::vector<double> difference(model.dim());
        for (std::size_t i = 0; i < model.dim(); ++i) {
          difference[i] = double{model.vector(word_id(a))[i]} - double{model.vector(word_id(b))[i]};
        }
        const double expected = 1.5 * mahalanobis_norm(model, 0.9, difference);
        EXPECT_NEAR(mechanism.loss_bound(word_id(a), word_id(b)).value(), expected, 1e-5 * expected);
        const double euclidean = 1.5 * mechanism.space->distance(word_id(a), word_id(b));
        largest_difference = std::max(largest_difference, std::abs(euclidean / expected - 1));
      }
    }
    EXPECT_GT(largest_difference, 0.1) << "the test cannot tell the two norms apart";
  }
}

TEST(Claims, LossBoundHoldsWhereTheLawIsKnownAndIsEmptyWhereNothingIsProven) {
  for (const Variant& variant : variants()) {
    const Mechanism mechanism = build(variant, 1.3);
    for (std::size_t a = 0; a < mechanism.space->size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const std::optional<double> bound = mechanism.loss_bound(word_id(a), word_id(b));
        ASSERT_EQ(bound.has_value(), mechanism.claim.status == Status::proven) << variant.name;
        if (!bound) continue;
        EXPECT_LE(*bound, mechanism.claim.largest_word_loss.value()) << variant.name;
        auto one = mechanism.words->log_law(word_id(a));
        auto other = mechanism.words->log_law(word_id(b));
        if (!one || !other) continue;
        for (double& value : *one) value = std::exp(value);
        for (double& value : *other) value = std::exp(value);
        EXPECT_LE(test::exact_loss(*one, *other), *bound * (1 + 1e-9) + 1e-9) << variant.name;
      }
    }
  }
}

}  // namespace
}  // namespace sotto
