#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sotto/answer.h"
#include "sotto/labels.h"
#include "sotto/prior.h"
#include "sotto/quantity.h"

namespace sotto::api {

// What the adversary of measure() and tune() knows and wants, as texts that name files, or from memory. Files
// are opened when the question is asked.
struct AdversaryRequest {
  // "rank", "uniform", "counts:FILE" or "corpus:FILE"; or weights of words. Empty text: uniform if `words`
  // are given, else rank.
  std::variant<std::string, std::vector<WordWeight>> prior = {};
  // The only words that occur: a file with one word per line, or the words. Nothing: all words of the model.
  std::variant<std::monostate, std::filesystem::path, std::vector<std::string>> words = {};
  // A file with two columns, word and label; texts NAME=FILE, each file with one word per line; or pairs.
  // One text without a name is a file with two columns.
  using LabelTexts = std::vector<std::string>;
  std::variant<std::monostate, std::filesystem::path, LabelTexts, std::vector<WordLabel>> labels = {};

  [[nodiscard]] bool has_labels() const { return !std::holds_alternative<std::monostate>(labels); }
};

struct Adversary {
  Prior prior;
  std::optional<Labels> labels = {};
};
// Reads what the request names. Throws Error(usage) for texts that mean nothing, bad_data or input_output.
Adversary resolve(const AdversaryRequest& request, const std::shared_ptr<const Model>& model);

inline constexpr std::size_t kMostDraws = 100'000'000;
// Throws Error(usage) if the option is above its largest value.
void refuse_above(std::string_view option, std::size_t value, std::size_t largest);

// What an answer keeps of them: no weights, which may come from private text.
struct PriorSummary {
  std::string description;
  std::size_t words = 0;
  std::uint64_t entries = 0;
  std::uint64_t unknown = 0;
  double constant_guess = 0;
};
struct LabelSummary {
  std::vector<std::string> names;
  std::size_t words = 0;
  std::uint64_t entries = 0;
  std::uint64_t unknown = 0;
  std::uint64_t conflicts = 0;
  std::uint64_t latin1_lines = 0;
};

PriorSummary summary_of(const Prior& prior);
std::optional<LabelSummary> summary_of(const std::optional<Labels>& labels);
Json to_json(const PriorSummary& prior);
Json to_json(const LabelSummary& labels);
// {"kind", "value", "interval", "bracket", "meaning"}
Json to_json(const Quantity& quantity);

}  // namespace sotto::api
