#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/task.h"
#include "sotto/adversary.h"
#include "tune/estimate.h"
#include "tune/tune.h"

// Which mechanism at which epsilon serves best.
namespace sotto::api {

// How settings are found: by a search over families of settings, as listed, or by Algorithm 2 of vickrey-2021
// as it is printed.
enum class TuneAlgorithm { frontier, candidates, paper };
std::string_view algorithm_name(TuneAlgorithm algorithm);
// What a user may ask for by name: frontier or paper. Throws Error(usage).
TuneAlgorithm parse_algorithm(std::string_view name);

struct TuneRequest {
  std::shared_ptr<const Model> model = {};
  AdversaryRequest adversary = {};
  std::optional<UtilityLoss> loss =
      {};  // empty: task if there is one, label if there are labels, else changed
  std::optional<TaskRequest> task = {};  // a downstream task is the loss
  Constraints constraints = {};
  TuneAlgorithm algorithm = TuneAlgorithm::frontier;
  TuneScope scope = {};  // of frontier
  // Exactly these, with all draws each: a file of read_candidates(), or settings. Empty: the algorithm finds
  // its own.
  std::variant<std::vector<Candidate>, std::filesystem::path> candidates = {};
  double first_epsilon = 1;    // of paper: where it starts to double
  bool exclude_input = false;  // of paper: vickrey as printed, not private, for comparisons only
  std::size_t draws = 0;       // where only draws are known; 0: 32,768
  // Of the estimates, which are about a public model: nothing is released, and without a seed they use 1.
  // With a seed the copies for `task` use it too, and are not private; without one they are.
  std::optional<std::uint64_t> seed = {};
  std::filesystem::path resume = {};  // finished settings are kept there, and taken from it
  bool certify = false;               // the certificate of every setting: seconds to a minute each
  // Called before the search with how long it may take; empty: no trial is made.
  std::function<void(const TuneEstimate&)> on_estimate = {};

  [[nodiscard]] bool has_candidates() const;
  [[nodiscard]] UtilityLoss chosen_loss() const;
};
// Sets the loss of the request from what a front end was given. `loss`: the name of a loss, command:PROGRAM
// for a task whose program is PROGRAM, or nothing, if a function is the judge or for the default. Throws
// Error(usage) if parts of a task are given without one.
void choose_loss(TuneRequest& request, const std::string& loss, TaskRequest task);

// Throws Error(usage) for what cannot be asked, whatever the model: tune() calls it first, a front end that
// wants to tell a slip before it opens the model may, too.
void check(const TuneRequest& request);

// What another family offers beside the recommended point (frontier only). Indexes of points, empty where it
// has none.
struct Beside {
  std::string family;
  std::optional<std::size_t> same_epsilon = {};  // no larger certified epsilon: the largest
  std::optional<std::size_t> same_error = {};    // no smaller E_opt: the least L
};

struct TuneAnswer {
  std::shared_ptr<const Model> model;
  TuneAlgorithm algorithm = TuneAlgorithm::frontier;
  PriorSummary prior;
  std::optional<LabelSummary> labels = {};
  UtilityLoss loss = UtilityLoss::changed;
  Constraints constraints = {};
  std::size_t draws = 0;  // of each setting whose law is not followed
  std::uint64_t seed = 1;
  bool seeded_copies = false;  // of a task: whoever knows the seed can undo their noise
  TuneResult found = {};
  // Of the recommended setting, as `privatize` forecasts it by public word frequencies: what it refuses or
  // warns of. Empty without a recommendation.
  std::optional<double> expected_unchanged = {};

  // `privatize` refuses the recommended setting without `allow-weak`.
  [[nodiscard]] bool is_refused() const {
    return expected_unchanged && strength_of(*expected_unchanged) == Strength::none;
  }
  // Of the recommended setting, by that forecast.
  [[nodiscard]] Strength recommended_strength() const {
    return expected_unchanged ? strength_of(*expected_unchanged) : Strength::ok;
  }
  // What to know about the loss: that L is nearly E_opt whatever the setting, and which loss would tell more;
  // or that it comes from the user's text. Else empty.
  [[nodiscard]] std::string loss_note() const;
  // Of algorithm paper: what the printed algorithm lacks, one sentence each, with the figures of its choice.
  [[nodiscard]] std::vector<std::string> algorithm_notes() const;
  // Null: no point keeps the constraints, or there are none.
  [[nodiscard]] const TunePoint* recommended() const;
  [[nodiscard]] const TunePoint* nearest() const;
  // There are constraints, and nothing keeps them.
  [[nodiscard]] bool fails() const { return constraints.any() && recommended() == nullptr; }
  [[nodiscard]] bool is_on_frontier(std::size_t index) const;
  // Points of which draws leave it open whether they are better than the recommended one.
  [[nodiscard]] std::vector<std::size_t> may_be_better() const;
  [[nodiscard]] std::vector<Beside> beside() const;

  // "tem, epsilon 2: E_opt 0.91 (ceiling 0.99), L 0.3", pessimistic ends, "at least" and "at most" where they
  // are not exact.
  [[nodiscard]] std::string tradeoff_text(const TunePoint& point) const;
  [[nodiscard]] std::string constraints_text() const;
  // If it fails, how "nothing that was tried" goes on: "keeps L at most 0.5", or "keeps L at most 0.5 with a
  // proven guarantee; without one, and so never recommended: identity".
  [[nodiscard]] std::string failure_text() const;
};

// Throws what check() and resolve() throw, and usage or bad_data for a file of `resume` that does not belong
// to this question.
TuneAnswer tune(const TuneRequest& request, const Work& work);

// `command_of`: the command line of a front end that releases with a point's setting, the key `command`.
using CommandOf = std::function<std::string(const TunePoint&)>;
Json to_json(const TuneAnswer& answer, const CommandOf& command_of = {});
// One line for each point, with every quantity.
std::string to_csv(const TuneAnswer& answer);

}  // namespace sotto::api
