#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "mechanisms/rows.h"
#include "sotto/error.h"
#include "sotto/mechanism.h"

namespace sotto {
namespace {

bool is_called(const MechanismInfo& info, std::string_view name) {
  return info.name == name || std::find(info.aliases.begin(), info.aliases.end(), name) != info.aliases.end();
}

}  // namespace

std::span<const MechanismInfo> mechanisms() {
  // A function-local array: rows live in other files, whose initialisation order is unspecified.
  static const std::array kRegistry = {kTem, kLaplace, kMahalanobis, kVickrey};
  return kRegistry;
}

const MechanismInfo& find_mechanism(std::string_view name) {
  for (const MechanismInfo& info : mechanisms()) {
    if (is_called(info, name)) return info;
  }
  std::vector<std::string> names;
  for (const MechanismInfo& info : mechanisms()) {
    names.push_back(info.aliases.empty() ? std::string(info.name)
                                         : fmt::format("{} ({})", info.name, fmt::join(info.aliases, ", ")));
  }
  throw Error(ErrorCode::usage, fmt::format("there is no mechanism \"{}\"; the mechanisms are {}; "
                                            "sotto mechanisms describes them",
                                            name, fmt::join(names, ", ")));
}

Mechanism build_mechanism(std::string_view name, const std::shared_ptr<const Model>& model,
                          const ParameterTexts& texts) {
  const MechanismInfo& info = find_mechanism(name);
  Parameters parameters = Parameters::parse(info.name, info.parameters, texts);
  Mechanism mechanism = info.build(model, parameters);
  mechanism.info = &info;
  mechanism.parameters = std::move(parameters);
  return mechanism;
}

std::string per_word_guarantee(std::string_view exponent, std::string_view distance) {
  return fmt::format(
      "Per word: between any two input words, the probability of every output changes by a factor of "
      "at most exp({}), d their {}.",
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

std::optional<std::vector<double>> WordMechanism::log_law(WordId /*word*/) const {
  return std::nullopt;
}

}  // namespace sotto
