#include "lab/gumbel/settings.h"

#include <algorithm>

namespace sotto::lab::gumbel {

namespace {

using Strength = Curve::Strength;

}  // namespace

Settings settings_of(const RunRequest& request) {
  Settings settings{.parts = request.parts, .curves = {}, .curve_words = 200};
  if (settings.parts.empty()) {
    for (const std::string_view part : {kTable1, kFigures, kTable2, kTable3, kBeyond}) {
      settings.parts.emplace_back(part);
    }
  }
  if (request.extent == Extent::quick) {
    settings.curve_words = 20;
    settings.curves = {{"laplace", Strength::epsilon, {4, 9, 40}},
                       {"truncated-gumbel", Strength::log_epsilon, {0, 14, 38}},
                       {"gumbel-topk", Strength::inverse_scale, {0.1, 1}},
                       {"tem", Strength::epsilon, {2, 3}}};
    return settings;
  }
  settings.curves = {
      {"laplace", Strength::epsilon, {1, 2, 4, 6, 8, 9, 10, 12, 14, 17, 20, 40, 80, 150, 200}},
      {"truncated-gumbel", Strength::log_epsilon, {0, 7, 10, 14, 17, 23, 30, 38, 50, 62, 74, 86}},
      {"gumbel-topk", Strength::inverse_scale, {0.01, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2, 3, 5}},
      {"tem", Strength::epsilon, {0.5, 1, 1.5, 2, 2.25, 2.5, 2.75, 3, 3.5, 4, 5, 6, 8}}};
  return settings;
}

bool has_part(const Settings& settings, std::string_view part) {
  return std::ranges::find(settings.parts, part) != settings.parts.end();
}

}  // namespace sotto::lab::gumbel
