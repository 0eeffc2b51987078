#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "learn/evaluate.h"
#include "sotto/answer.h"
#include "sotto/mechanism.h"
#include "sotto/privatizer.h"
#include "sotto/reading.h"

// "What accuracy do I lose?": the data holder's question about labelled texts of its own. It trains and tests
// classifiers on clear and on private text. The answer used the texts and the labels, so it is for the data
// holder: it is not covered by the guarantee of any mechanism.
namespace sotto::api {

struct LabelledTexts {
  std::vector<std::string> texts;
  std::vector<std::string> labels;  // one for each text
};
// Reads a table or JSON lines twice, once for the column of `reading` and once for that of the labels. Throws
// Error(usage) for a format without columns, Error(bad_data) if a row has no label.
LabelledTexts read_labelled(const std::filesystem::path& file, const ReadingTexts& reading,
                            const std::string& label);
// Public texts: a table is read as the labelled one is, any other file is one text per line.
std::vector<std::string> read_public(const std::filesystem::path& file, const ReadingTexts& reading);

struct EvaluateRequest {
  std::shared_ptr<const Model> model = {};
  std::vector<Setting> settings = {};  // each makes a row
  LabelledTexts data = {};
  std::vector<std::string> public_texts = {};  // empty: none
  PrivatizerOptions texts = {};
  LearnSettings learn = {};
  std::size_t draws = 3;
  double test_share = 0.25;
  double max_drop = 0.05;  // of accuracy on clear text, that the chosen row may have against clear training
  std::optional<std::uint64_t> seed_not_private = {};
};
inline constexpr std::size_t kMostEvaluationDraws = 100;
inline constexpr std::size_t kLeastLabelledTexts = 40;

struct EvaluateAnswer {
  std::vector<Mechanism> mechanisms = {};  // of each row
  Evaluation evaluation = {};
  std::size_t classes = 0;
  double known_share = 1;
  std::size_t public_texts = 0;
  double max_drop = 0;
  bool seeded = false;
  std::vector<std::string> warnings = {};

  // The row with the largest E_opt among those whose accuracy on clear text, by the better learner, is within
  // max_drop of clear training; empty if none is.
  [[nodiscard]] std::optional<std::size_t> chosen() const;
};
// "direct" or "lifted": which has more accuracy on clear text.
std::string_view better_learner(const EvaluationRow& row);

// Throws Error(usage) for settings or options that mean nothing, Error(bad_data) for labels of one class or
// too few texts.
EvaluateAnswer evaluate(const EvaluateRequest& request, const Work& work);
Json to_json(const EvaluateAnswer& answer);

// What every answer says of itself.
inline constexpr std::string_view kEvaluateNote =
    "The texts and labels of the data holder were used, in clear: this answer is for the data holder. No "
    "guarantee of a mechanism covers it.";

}  // namespace sotto::api
