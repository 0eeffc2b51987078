#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "certify/audit.h"
#include "measure/deniability.h"
#include "sotto/answer.h"
#include "sotto/certificate.h"

// Does a mechanism, ours or anybody's, keep its claim, as far as draws can tell?
namespace sotto::api {

// Somebody else's program, and the claim that it is held to: a loss of at most epsilon times the distance.
struct AuditedProgram {
  OutsideProgram program = {};
  double epsilon = 0;
  Metric metric = Metric::euclidean;
};
// `claim` has `epsilon`, and perhaps `metric`. Throws Error(usage) if it has anything else.
AuditedProgram parse_program(OutsideProgram program, ParameterTexts claim);

struct AuditRequest {
  std::shared_ptr<const Model> model = {};
  std::variant<Setting, CertifiedMechanism, AuditedProgram> subject = {};
  // Empty: as many as take about a minute, fewer where a draw is slow.
  std::optional<std::size_t> pairs = {};
  std::optional<std::uint32_t> draws = {};            // for each word of a pair
  std::optional<std::size_t> deniability_words = {};  // whose N_w and S_w are measured; 0: none
  double level = 1e-3;                                // largest probability of a false VIOLATED
  std::vector<std::string> given_pairs = {};          // audited too: "doctor,nurse"
  bool known_words_only = false;                      // a program is given no words from outside the model
  std::optional<std::uint64_t> seed_not_private = {};
};

// The same list of words was given to an outside program twice.
struct ReplayCheck {
  std::size_t lines = 0;
  double probability = 1;  // of the second run's answers, if the noise were fresh
  bool repeats = false;
};

// An answer names at most this many outputs of an event.
inline constexpr std::size_t kOutputsNamed = 20;

struct AuditAnswer {
  std::string subject = {};                 // "tem, epsilon 2, ..." or the command
  std::optional<Mechanism> mechanism = {};  // empty: an outside program
  std::shared_ptr<const Space> space = {};
  double claimed_epsilon = 0;  // infinity: nothing is claimed
  std::uint32_t draws = 0;     // for each word of a pair
  AuditResult result = {};
  std::map<AuditWord, std::string> texts = {};  // of the words in `result` that the model does not have
  std::optional<ReplayCheck> replay = {};
  std::optional<Deniability> deniability = {};
  // Share of the tokens of a release: the forecast for a mechanism, by the draws for a program.
  std::optional<double> expected_unchanged = {};
  // Vectors only: the smallest factor by which the noise would have to be too small for this audit to notice
  // it in the pair that claims least, about one time in two. Empty: no factor up to 64.
  std::optional<double> noise_shortfall = {};

  [[nodiscard]] bool is_of_vectors() const { return mechanism && mechanism->vectors; }
  [[nodiscard]] bool violated() const {
    return result.verdict == AuditVerdict::violated || (replay && replay->repeats);
  }
  // "pass", "violated", "undecided" or "nothing_claimed"
  [[nodiscard]] std::string_view verdict_name() const;
  // "PASS: ...", one or two sentences.
  [[nodiscard]] std::string verdict() const;
  // A word or an output of the result, and two words: `"doctor" and "nurse" (distance 1.2)`.
  [[nodiscard]] std::string text(AuditWord word) const;
  [[nodiscard]] std::string pair_text(const AuditPair& pair) const;
};
// The law of the mechanism proves that the claim is broken, and the draws do not.
bool is_by_law(const AuditFinding& finding);

// Stages: calibrating, certifying, auditing, deniability.
AuditAnswer audit(const AuditRequest& request, const Work& work);
Json to_json(const AuditAnswer& answer);

}  // namespace sotto::api
