#pragma once
#include <span>
#include <string>

#include "sotto/mechanism.h"

// What the files of mechanisms share: the declarations of their rows, and parameters of several.
namespace sotto {

#define SOTTO_MECHANISM(row) extern const MechanismInfo row;
#include "mechanisms/registry.inc"
#undef SOTTO_MECHANISM

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
    .help = "how much the noise follows the covariance of the public vectors; 0 gives laplace",
    .default_text = "0.2",
    .min = 0,
    .max = 1,
    .includes_min = true};

}  // namespace sotto
