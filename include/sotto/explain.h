#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/answer.h"
#include "sotto/certificate.h"

// What may one word become, and what does an output tell of it?
namespace sotto::api {

inline constexpr std::size_t kMostOnMap = 200;

struct ExplainRequest {
  std::shared_ptr<const Model> model = {};
  Setting setting = {};
  std::string word = {};
  std::string unknown_word = {};  // the anchor that stands for unknown words; empty: the model's default
  std::size_t top = 10;           // how many outputs; 0: all
  std::size_t draws = 0;          // for an estimate; 0: as many as take a few seconds
  std::size_t map = 0;            // how many neighbours ExplainAnswer::map shows; 0: there is no map
};

// One possible output of a word. Without a closed law p is a share of draws, low and high the ends of its 95%
// Wilson interval.
struct ExplainedOutput {
  WordId word{};
  double p = 0;
  double low = 0;
  double high = 0;
  std::optional<double> by_theorem = {};  // its probability under the theorem's law
};

// An upper bound on the loss |ln P(y|word) - ln P(y|other)| over all outputs y; seeing an output changes the
// odds between the two words by a factor of at most e^loss.
struct OddsTo {
  WordId word{};
  double distance = 0;              // of the space
  std::optional<double> loss = {};  // empty: no bound; infinite: an output of one is impossible for the other

  [[nodiscard]] bool is_bounded() const;
};

// What an output tells of one word against its nearest word and against one at the median distance.
struct Odds {
  enum class Basis {
    theorem,      // epsilon times the mechanism's own distance
    certificate,  // computed over all pairs of words, where that is less
    law,          // no theorem holds; the two words' laws were compared
    none,         // nothing is known to hold
  };
  Basis basis = Basis::none;
  OddsTo nearest = {};
  OddsTo typical = {};
};
std::string_view basis_name(Odds::Basis basis);

// A word on a map: a flat picture of vectors of many dimensions. Words that are near each other in the model
// are usually near each other on the map, but lengths on the map are not distances of the metric, and no
// guarantee speaks of them.
struct MapPoint {
  WordId word{};
  double x = 0;
  double y = 0;
};

struct ExplainAnswer {
  std::string asked;        // the word as it was given
  WordId word{};            // the word of the model that it is drawn as
  bool is_unknown = false;  // the model does not have it; `word` is the anchor
  Mechanism mechanism = {};
  std::optional<Certificate> certificate = {};
  std::vector<ExplainedOutput> outputs = {};  // most likely first, ties in model order
  std::size_t draws = 0;                      // 0: the outputs are exact
  // Of the theorem's law at the same epsilon, beside one that was found by its certificate.
  std::optional<double> theorem_slope = {};
  std::optional<Odds> odds = {};  // empty: every word has the row of `word`
  // `word` at (0, 0) and its nearest words, nearest first, on the plane of the first two principal components
  // of their vectors. The same words give the same map. Empty: none was asked for.
  std::vector<MapPoint> map = {};

  [[nodiscard]] const Model& model() const { return mechanism.space->model(); }
  [[nodiscard]] bool is_estimated() const { return draws > 0; }
  [[nodiscard]] std::optional<double> slope() const;
  // The possible outputs that are not listed, and their probability.
  [[nodiscard]] std::size_t others() const;
  [[nodiscard]] double share_of_others() const;
};

// What `odds` means, in plain words and without a full stop: by how much an output changes the odds between
// the word and its nearest word, and between the word and a typical one. Factors are rounded up.
std::string odds_text(const ExplainAnswer& answer);

// A calibration may take minutes, as the stage "calibrating". Throws Error(usage) if `word` is not one word,
// or if the model has neither `word` nor the anchor.
ExplainAnswer explain(const ExplainRequest& request, const Work& work);
// The same for a mechanism that is built already; the request's setting is not looked at.
ExplainAnswer explain(CertifiedMechanism built, const ExplainRequest& request, const Work& work);
Json to_json(const ExplainAnswer& answer);

}  // namespace sotto::api
