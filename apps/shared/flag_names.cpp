#include "shared/flag_names.h"

#include <set>

#include "sotto/mechanism.h"
#include "text/reading.h"

namespace sotto::cli {

namespace {

std::set<std::string, std::less<>> option_names() {
  std::set<std::string, std::less<>> names = {"mechanism",
                                              "model",
                                              "certify",
                                              "unknown",
                                              "unknown-word",
                                              "prior",
                                              "words",
                                              "labels",
                                              "copies",
                                              "draws",
                                              "loss",
                                              "max-loss",
                                              "min-inference-error",
                                              "max-certified-epsilon",
                                              "mechanisms",
                                              "candidates",
                                              "algorithm",
                                              "resume",
                                              "vocabulary",
                                              "command",
                                              "pairs",
                                              "pair",
                                              "level",
                                              "deniability",
                                              "known-words-only"};
  for (std::string& name : reading_names()) names.insert(std::move(name));
  for (const MechanismInfo& info : mechanisms()) {
    for (const Parameter& parameter : info.parameters) names.emplace(parameter.name);
  }
  return names;
}

}  // namespace

std::string with_flags(std::string_view message) {
  static const std::set<std::string, std::less<>> kNames = option_names();
  std::string out;
  while (!message.empty()) {
    const std::size_t open = message.find('`');
    const std::size_t close = open == std::string_view::npos ? open : message.find('`', open + 1);
    if (close == std::string_view::npos) break;
    const std::string_view name = message.substr(open + 1, close - open - 1);
    out += message.substr(0, open);
    if (kNames.contains(name)) {
      out += "--";
      out += name;
    } else {
      out += message.substr(open, close + 1 - open);
    }
    message.remove_prefix(close + 1);
  }
  return out += message;
}

}  // namespace sotto::cli
