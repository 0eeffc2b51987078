#include "lab/embeddings/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sotto::lab::embeddings {

namespace {

using Strength = gumbel::Curve::Strength;

Curve curve(const char* mechanism, std::vector<double> epsilons) {
  return {
      .places = {.mechanism = mechanism, .strength = Strength::epsilon, .strengths = std::move(epsilons)}};
}

std::vector<Curve> full_curves() {
  std::vector<Curve> out = {curve("tem", {1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 8, 10, 12, 16, 24}),
                            curve("laplace", {6, 9, 12, 18, 24, 36}), curve("vickrey", {9, 12, 18, 24, 36}),
                            curve("gumbel-topk", {0.25, 0.5, 1, 2, 4, 8, 16})};
  out[0].takes_metric = true;
  out[2].parameters = {{"t", "0.5"}};
  out[3].places.strength = Strength::inverse_scale;
  return out;
}

}  // namespace

Settings settings_of(const RunRequest& request) {
  Settings out{.groups = {{.name = "three", .embeddings = {"glove-100", "fasttext-300", "word2vec-300"}},
                          {.name = "glove", .embeddings = {"glove-100", "glove-300"}}},
               .metrics = {"angular"},
               .curves = full_curves(),
               .curve_words = 200,
               .draws = 50'000,
               .errors = {0.8, 0.5},
               .losses = {10, 15},
               .half = 1500,
               .epochs = 20,
               .batch = 64,
               .trials = 3,
               .adaptation_words = 5000};
  if (request.extent == Extent::quick) {
    out.groups.front().embeddings = {"glove-100", "word2vec-300"};
    out.curves = {curve("tem", {2, 3, 4, 6}), curve("laplace", {12, 24})};
    out.curves.front().takes_metric = true;
    out.curve_words = 50;
    out.draws = 30'000;
    out.errors = {0.5};
    out.losses = {};
    out.half = 1000;
    out.trials = 2;
    out.adaptation_words = 4000;
  }
  if (request.trials > 0) out.trials = request.trials;
  return out;
}

Run::Settings record_of(const Settings& settings) {
  return {{"half", fmt::format("{} reviews at most", settings.half)},
          {"epochs", std::to_string(settings.epochs)},
          {"batch", std::to_string(settings.batch)},
          {"draws", std::to_string(settings.draws)},
          {"curve_words", std::to_string(settings.curve_words)},
          {"adaptation_words", std::to_string(settings.adaptation_words)}};
}

Points::Layout spaces_layout() {
  return {.keys = {"group", "embedding", "metric"},
          .values = {"words", "dimension", "smallest_distance", "median_nearest", "mean_distance",
                     "largest_distance", "labelled"}};
}

Points::Layout laws_layout() {
  return {.keys = {"group", "embedding", "metric", "mechanism", "strength"},
          .values = {"epsilon", "certified_epsilon", "certified_loss", "e_opt", "e_opt_low", "e_opt_high",
                     "unchanged", "flipped", "flipped_low", "flipped_high", "not_kept", "n_w", "n_w_low",
                     "n_w_high", "s_w", "s_w_low", "s_w_high", "exact", "constant_guess"}};
}

Points::Layout levels_layout() {
  return {.keys = {"group", "embedding", "metric", "by", "level"},
          .values = {"reached", "epsilon", "certified_epsilon", "certified_loss", "e_opt"}};
}

Points::Layout accuracy_layout() {
  return {.keys = {"group", "embedding", "metric", "by", "level", "trial"},
          .values = {"accuracy", "accuracy_median", "auc", "unchanged"}};
}

Points::Layout adaptation_layout() {
  return {
      .keys = {"vectors", "level", "trial"},
      .values = {"epsilon", "certified_loss", "e_opt", "accuracy", "accuracy_median", "auc", "unchanged"}};
}

Points::Layout betrayal_layout() {
  return {.keys = {"observer", "level", "about", "trial"}, .values = {"auc", "in", "out"}};
}

}  // namespace sotto::lab::embeddings
