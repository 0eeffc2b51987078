#include "lab/tem/settings.h"

namespace sotto::lab {

namespace {

struct Epsilons {
  std::vector<double> laplace;
  std::vector<double> paper;
  std::vector<double> certified;  // exact and flat, which fall from hiding to showing between 1.5 and 2
};

std::vector<TemSeries> series_at(const Epsilons& epsilons) {
  std::vector<TemSeries> series;
  for (const char* baseline : {"identity", "uniform", "redact"}) {
    series.push_back({.name = baseline, .mechanism = baseline});
  }
  series.push_back({.name = "laplace", .mechanism = "laplace", .epsilons = epsilons.laplace});
  const auto tem = [&](const std::string& calibration, const std::vector<double>& at) {
    series.push_back({.name = "tem " + calibration,
                      .mechanism = "tem",
                      .parameters = {{"calibration", calibration}},
                      .epsilons = at});
  };
  tem("paper", epsilons.paper);
  tem("exact", epsilons.certified);
  tem("flat", epsilons.certified);
  return series;
}

}  // namespace

TemSettings tem_settings(Extent extent) {
  if (extent == Extent::quick) {
    return {.series = series_at({.laplace = {6, 12}, .paper = {1.5, 3}, .certified = {1.5, 2}}),
            .half = 3000,
            .epochs = 20,
            .batch = 64,
            .trials = 2,
            .draws = 200'000};
  }
  return {.series = series_at({.laplace = {2, 4, 6, 8, 12, 16},
                               .paper = {1, 1.5, 2, 2.5, 3, 4},
                               .certified = {1, 1.25, 1.5, 1.65, 1.75, 1.85, 2, 2.5, 3, 4}}),
          .half = 12'500,
          .epochs = 20,
          .batch = 64,
          .trials = 3,
          .draws = 500'000};
}

std::vector<TemPlace> places_of(const TemSettings& settings) {
  std::vector<TemPlace> places;
  for (const TemSeries& series : settings.series) {
    if (series.is_baseline()) places.push_back({.series = &series, .epsilon = "none"});
    for (const double epsilon : series.epsilons) {
      places.push_back({.series = &series, .epsilon = number_text(epsilon)});
    }
  }
  return places;
}

ParameterTexts parameters_of(const TemPlace& place) {
  ParameterTexts texts = place.series->parameters;
  if (!place.series->is_baseline()) texts["epsilon"] = place.epsilon;
  return texts;
}

Points::Layout tem_points_layout() {
  return {.keys = {"series", "epsilon", "trial"},
          .values = {"accuracy", "accuracy_median", "auc", "attack_auc", "loss_attack_auc", "unchanged",
                     "seconds_privatising", "seconds_training"}};
}

Points::Layout tem_mechanisms_layout() {
  return {.keys = {"series", "epsilon"},
          .values = {"certified_epsilon", "e_opt", "e_opt_low", "e_opt_high", "constant_guess", "unchanged",
                     "unchanged_low", "unchanged_high", "seconds"}};
}

}  // namespace sotto::lab
