#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/extend_disclosure.h"
#include "sotto/answer.h"
#include "sotto/model.h"
#include "sotto/reading.h"
#include "sotto/work.h"

// "A metric that knows the task": a model whose vectors have public scores of words as further coordinates.
// Words with different scores lie farther apart, so a mechanism confuses them less. Every mechanism,
// certificate and measure works on the new model as on any other. What the scores stand for, such as the
// polarity of a word, is then given away on purpose: an attacker guesses it much better than before.
namespace sotto::api {

// One coordinate. `scores` is a file with two columns, word and score.
struct ExtendCoordinate {
  std::filesystem::path scores = {};
  double weight = 0;  // the coordinate is weight * score
};
// A coordinate that is learnt from public labelled texts: the weights of words in a logistic regression,
// divided by their standard deviation. Texts and labels must be public: the scores show what they say.
struct ExtendLearnt {
  std::filesystem::path texts = {};
  ReadingTexts reading = {};
  std::string label = {};
  double weight = 0;
};

struct ExtendRequest {
  std::shared_ptr<const Model> model = {};
  std::vector<ExtendCoordinate> coordinates = {};
  std::vector<ExtendLearnt> learnt = {};
  std::filesystem::path output = {};
  std::string name = {};  // empty: that of the output file
  Model::Existing existing = Model::Existing::refuse;
  std::optional<double> epsilon = {};  // measure what is given away at this epsilon of tem
};

// Scores beyond this are clipped, so that a few words do not stretch the space.
inline constexpr double kLargestScore = 1.5;

struct ExtendAnswer {
  std::shared_ptr<const Model> model;
  struct Coordinate {
    double weight = 0;
    bool is_learnt = false;
    std::uint64_t entries = 0;  // lines of the file, or words that the texts have
    std::uint64_t unknown = 0;  // of these, no words of the model
    std::size_t scored = 0;     // words of the model with a score; all others have 0
    std::size_t clipped = 0;
  };
  std::vector<Coordinate> coordinates = {};   // files first, in their order
  std::optional<Disclosure> disclosure = {};  // if an epsilon was given
};
// Throws Error(usage) without a coordinate, for a weight that is not above 0 and finite, or for a model whose
// vectors all lie inside the unit ball, as those for the Poincare distance do: another coordinate would leave
// the ball. Throws Error(bad_data) for a file without scores, or with labels that are not of two classes.
ExtendAnswer extend_model(const ExtendRequest& request, const Work& work);
Json to_json(const ExtendAnswer& answer);

}  // namespace sotto::api
