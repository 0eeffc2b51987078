#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "core/bound_text.h"
#include "core/descriptor.h"
#include "core/suggestion.h"
#include "mechanisms/build.h"
#include "mechanisms/rows.h"
#include "sotto/error.h"
#include "sotto/mechanism.h"

namespace sotto {
namespace {

const Alias* alias_of(const MechanismInfo& info, std::string_view name) {
  const auto found = std::ranges::find(info.aliases, name, &Alias::name);
  return found == info.aliases.end() ? nullptr : &*found;
}

// A preset is what makes the alias: giving another value asks for another mechanism.
ParameterTexts with_presets(const MechanismInfo& info, std::string_view name, ParameterTexts texts) {
  const Alias* alias = alias_of(info, name);
  if (alias == nullptr) return texts;
  for (const Preset& preset : alias->presets) {
    if (texts.contains(preset.parameter)) {
      throw Error(ErrorCode::usage,
                  fmt::format("{0} is {1} with `{2}` {3}; to choose `{2}`, use `mechanism` {1}", name,
                              info.name, preset.parameter, preset.value));
    }
    texts.emplace(preset.parameter, preset.value);
  }
  return texts;
}

Mechanism completed(Mechanism mechanism, const Setting& setting) {
  mechanism.info = setting.info;
  mechanism.parameters = setting.parameters;
  return mechanism;
}

}  // namespace

std::span<const MechanismInfo> mechanisms() {
  // A function-local array: rows live in other files, whose initialisation order is unspecified.
  static const std::array kRegistry = {
#define SOTTO_MECHANISM(row) row,
#include "mechanisms/registry.inc"
#undef SOTTO_MECHANISM
  };
  return kRegistry;
}

const MechanismInfo& find_mechanism(std::string_view name) {
  for (const MechanismInfo& info : mechanisms()) {
    if (info.name == name || alias_of(info, name) != nullptr) return info;
  }
  std::vector<std::string> listed;
  std::vector<std::string_view> names;
  for (const MechanismInfo& info : mechanisms()) {
    listed.emplace_back(info.name);
    names.push_back(info.name);
    for (const Alias& alias : info.aliases) {
      listed.back() += fmt::format(" ({})", alias.name);
      names.push_back(alias.name);
    }
  }
  const std::string meant = suggestion(name, names);
  throw Error(
      ErrorCode::usage,
      fmt::format("there is no mechanism \"{}\"{} (`sotto mechanisms` describes them)", shown(name),
                  meant.empty() ? fmt::format("; the mechanisms are {}", fmt::join(listed, ", ")) : meant));
}

Setting parse_setting(std::string_view name, const ParameterTexts& texts) {
  const MechanismInfo& info = find_mechanism(name);
  return {.info = &info,
          .parameters = Parameters::parse(info.name, info.parameters, with_presets(info, name, texts))};
}

Mechanism build_uncertified(const Setting& setting, const std::shared_ptr<const Model>& model) {
  if (setting.info->build == nullptr) {
    throw Error(ErrorCode::usage, fmt::format("{} releases vectors, not words: use it with `sotto vectors`",
                                              setting.info->name));
  }
  return completed(setting.info->build(model, setting.parameters), setting);
}

Mechanism build_uncertified(std::string_view name, const std::shared_ptr<const Model>& model,
                            const ParameterTexts& texts) {
  return build_uncertified(parse_setting(name, texts), model);
}

Mechanism build_vector_mechanism(const Setting& setting, const VectorInput& input) {
  if (setting.info->build_vectors == nullptr) {
    throw Error(ErrorCode::usage, fmt::format("{} releases words, not vectors: use it with `sotto privatize`",
                                              setting.info->name));
  }
  return completed(setting.info->build_vectors(input, setting.parameters), setting);
}

std::string per_word_guarantee(std::string_view exponent, std::string_view distance) {
  return fmt::format(
      "Per word: between any two input words, the probability of every output changes by a factor of "
      "at most exp({}), where d is their {}.",
      exponent, distance);
}

std::string_view status_name(Status status) {
  switch (status) {
    case Status::proven:
      return "proven";
    case Status::refuted:
      return "refuted";
    case Status::not_private:
      return "not_private";
  }
  return "not_private";
}

std::optional<double> Mechanism::loss_bound(WordId first, WordId second) const {
  if (claim.status != Status::proven || space == nullptr) return std::nullopt;
  const double most = claim.largest_word_loss.value_or(std::numeric_limits<double>::infinity());
  if (claim.epsilon == 0) return std::min(most, 0.0);
  const double distance = claim.distance ? claim.distance(first, second) : space->distance(first, second);
  // A computed distance may be below the true one by its rounding; the last step rounds the product upwards.
  const double bound = claim.epsilon * (distance + space->distance_error().at(distance));
  return std::min(most, next_up(bound));
}

std::optional<std::vector<double>> WordMechanism::log_law(WordId /*word*/) const {
  return std::nullopt;
}

}  // namespace sotto
