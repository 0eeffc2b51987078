#include "lab/tem/settings.h"

#include <algorithm>

#include "sotto/error.h"

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
    series.push_back({.name = baseline, .mechanism = baseline, .part = "baselines"});
  }
  series.push_back(
      {.name = "laplace", .mechanism = "laplace", .epsilons = epsilons.laplace, .part = "laplace"});
  const auto tem = [&](const std::string& calibration, const std::vector<double>& at) {
    series.push_back({.name = "tem " + calibration,
                      .mechanism = "tem",
                      .parameters = {{"calibration", calibration}},
                      .epsilons = at,
                      .part = calibration});
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

TemSettings tem_settings(const RunRequest& request) {
  TemSettings settings = tem_settings(request.extent);
  if (request.trials > 0) settings.trials = request.trials;
  settings.parts = request.parts;
  for (std::string& part : settings.parts) {
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos) continue;
    const double epsilon = parse_number("the epsilon of --part", part.substr(colon + 1), Infinity::refused);
    if (!(epsilon > 0)) throw Error(ErrorCode::usage, "the epsilon of --part must be above 0");
    part = part.substr(0, colon) + ':' + number_text(epsilon);
    for (TemSeries& series : settings.series) {
      if (series.part != part.substr(0, colon) || series.is_baseline()) continue;
      const auto place = std::ranges::lower_bound(series.epsilons, epsilon);
      if (place == series.epsilons.end() || *place != epsilon) series.epsilons.insert(place, epsilon);
    }
  }
  return settings;
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

std::vector<TemPlace> wanted_places(const TemSettings& settings) {
  std::vector<TemPlace> places = places_of(settings);
  if (settings.parts.empty()) return places;
  std::erase_if(places, [&](const TemPlace& place) {
    const std::string& part = place.series->part;
    return std::ranges::find(settings.parts, part) == settings.parts.end() &&
           std::ranges::find(settings.parts, part + ':' + place.epsilon) == settings.parts.end();
  });
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
