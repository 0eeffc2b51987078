#include "terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "core/quoted_names.h"
#include "sotto/mechanism.h"

namespace sotto::python {

namespace {

using Names = std::map<std::string_view, std::set<std::string_view>>;

// Keywords of Python that are no parameters of a mechanism, by the library's name.
constexpr auto kOptions = std::to_array<std::string_view>({"algorithm",
                                                           "allow-weak",
                                                           "anchor",
                                                           "bands",
                                                           "calibrations",
                                                           "candidates",
                                                           "certify",
                                                           "copies",
                                                           "document",
                                                           "document-budget",
                                                           "documents",
                                                           "draws",
                                                           "head",
                                                           "input",
                                                           "labels",
                                                           "ledger",
                                                           "ledger-key",
                                                           "level",
                                                           "loss",
                                                           "loss-timeout",
                                                           "max-certified-epsilon",
                                                           "max-loss",
                                                           "mechanism",
                                                           "mechanisms",
                                                           "min-inference-error",
                                                           "model",
                                                           "order",
                                                           "pair",
                                                           "pairs",
                                                           "prior",
                                                           "released",
                                                           "resume",
                                                           "seed-not-private",
                                                           "strip-html",
                                                           "subject",
                                                           "subject-budget",
                                                           "unknown",
                                                           "unknown-word",
                                                           "words"});

// Commands of the program that are functions or classes here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kCommands = {{
    {"sotto mechanisms", "sotto.mechanisms()"},
    {"sotto model fetch", "sotto.Model.fetch()"},
    {"sotto lm train", "sotto.train_language_model()"},
    {"sotto audit", "sotto.audit()"},
    {"sotto explain", "sotto.explain()"},
    {"sotto tune", "sotto.tune()"},
    {"sotto tune --resume", "sotto.tune(resume=...)"},
    {"sotto vectors", "sotto.VectorMechanism"},
    {"sotto privatize", "sotto.Mechanism"},
    {"sotto ledger head", "Ledger.head()"},
}};

// With the values that each takes by name.
const Names& known_names() {
  static const Names names = [] {
    Names made;
    for (const MechanismInfo& info : mechanisms()) {
      for (const Parameter& parameter : info.parameters) {
        made[parameter.name].insert(parameter.choices.begin(), parameter.choices.end());
      }
      made["mechanism"].insert(info.name);
    }
    for (const std::string_view option : kOptions) made[option];
    made["unknown"] = {"anchor", "mask", "drop", "keep"};
    return made;
  }();
  return names;
}

std::string keyword_of(std::string_view name) {
  if (name == "ledger-key") return "key";  // of sotto.Ledger
  std::string out(name);
  std::ranges::replace(out, '-', '_');
  return out == "lambda" ? out + "_" : out;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.,eE+-") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos;
}

// The word that `rest` begins with after one space, without the marks that end it.
std::string_view next_word(std::string_view rest) {
  if (!rest.starts_with(' ')) return {};
  rest.remove_prefix(1);
  rest = rest.substr(0, rest.find_first_of(" ;:)\n"));
  while (rest.ends_with('.') || rest.ends_with(',')) rest.remove_suffix(1);
  return rest;
}

}  // namespace

std::string with_keywords(std::string_view message) {
  return with_names_written(message, [](std::string_view name, std::string_view& rest) {
    const auto command = std::ranges::find(kCommands, name, [](const auto& one) { return one.first; });
    if (command != kCommands.end()) return fmt::format("`{}`", command->second);
    std::string dashed(name);
    std::ranges::replace(dashed, '_', '-');
    const auto known = known_names().find(dashed);
    if (known == known_names().end()) return fmt::format("`{}`", name);
    const std::string_view value = next_word(rest);
    const bool is_choice = known->second.contains(value);
    const bool is_value = is_choice || is_number(value);
    const std::string_view quote = is_choice ? "'" : "";
    std::string out = fmt::format("`{0}={1}{2}{1}`", keyword_of(dashed), quote, is_value ? value : "");
    if (is_value) rest.remove_prefix(1 + value.size());
    return out;
  });
}

}  // namespace sotto::python
