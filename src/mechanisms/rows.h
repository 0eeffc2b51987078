#pragma once
#include <span>
#include <string>

#include "sotto/mechanism.h"

// The rows of the registry, each defined in its mechanism's file; registry.cpp puts them in order.
namespace sotto {

extern const MechanismInfo kTem;
extern const MechanismInfo kLaplace;
extern const MechanismInfo kMahalanobis;
extern const MechanismInfo kVickrey;
extern const MechanismInfo kHyperbolic;
extern const MechanismInfo kGumbelTopk;
extern const MechanismInfo kTruncatedGumbel;
extern const MechanismInfo kPrivemb;
extern const MechanismInfo kIdentity;
extern const MechanismInfo kUniform;
extern const MechanismInfo kRedact;

// The sentence that every eps * d mechanism states: `exponent` in terms of d, `distance` naming d.
std::string per_word_guarantee(std::string_view exponent, std::string_view distance);

// Every mechanism's first parameter, written once.
constexpr Parameter epsilon_parameter(std::string_view help) {
  return {.name = "epsilon", .help = help, .presence = Parameter::Presence::required, .min = 0};
}

// Of the mechanisms that take every true metric.
inline Parameter metric_parameter(std::string_view help) {
  return {.name = "metric",
          .help = help,
          .kind = Parameter::Kind::choice,
          .default_text = "euclidean",
          .choices = metric_names(),
          .refusals = metric_refusals()};
}

// Of mahalanobis, and of vickrey on its noise.
inline constexpr Parameter kLambdaParameter = {
    .name = "lambda",
    .help = "how far the Mahalanobis noise follows the covariance of the public vectors; 0 is laplace",
    .default_text = "0.2",
    .min = 0,
    .max = 1,
    .includes_min = true};

}  // namespace sotto
