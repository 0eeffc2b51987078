#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/attack_labels.h"
#include "attack/attack_run.h"
#include "attack/token_text.h"
#include "sotto/answer.h"
#include "sotto/certificate.h"
#include "sotto/work.h"

// How often does an attacker who reads whole sentences guess the original words?
namespace sotto::api {

struct AttackRequest {
  std::shared_ptr<const Model> model = {};
  Setting setting = {};
  // A stand-in for the private text: public, or the data holder's own. Nothing of it is kept.
  std::vector<std::string> sample = {};
  // A release of the same documents that exists already. Empty: the sample is privatised here.
  std::optional<std::vector<std::string>> released = {};
  // An .lm file; or `command:PROGRAM`, a program that answers as a language model (attack/program_model.h).
  // Empty: the default language model of English (fetch_language_model() in api/language.h).
  std::string prior = {};
  std::string unknown_word = {};  // the anchor; empty: the model's default
  bool strip_html = false;
  std::size_t draws = 0;  // for the channel of a mechanism without a closed law; 0: 500,000
  std::optional<std::uint64_t> seed_not_private = {};
  // The label of each document, for guesses of labels; empty: none.
  std::vector<std::string> labels = {};
  // Public lists of words, NAME=FILE, one for each label; or one file with two columns. Needs `labels`.
  std::vector<std::string> lexicon = {};
  bool keep_sentences = false;  // fills AttackAnswer::sentences, which is text in clear
};

struct AttackerAnswer {
  const AttackerInfo* attacker = nullptr;
  AttackScore score = {};
  // The epsilon at which the context-free attacker errs as often on this text; empty: not known.
  std::optional<double> equivalent_epsilon = {};
};

// If everything else leaves exactly two words equally likely, at `distance` and changing together in `k`
// places, no attacker errs less often than `error`. Empty: there is no bound.
struct PairBound {
  unsigned k = 1;
  double distance = 0;
  std::optional<double> error = {};
};

// Text in clear: what was written, what was released and what the best attacker guessed, by document.
struct AttackedSentence {
  std::string original;
  std::string released;
  std::string guessed;
};

struct AttackAnswer {
  CertifiedMechanism built;
  std::size_t documents = 0;
  std::size_t tokens = 0;
  std::size_t unknown_tokens = 0;
  unsigned order = 0;             // of the language model; 0: a program
  bool default_prior = false;     // the default language model, of general English
  std::size_t channel_draws = 0;  // 0: the law of the mechanism is exact
  bool was_released = false;      // a release that existed already was attacked
  bool seeded = false;
  // Processor time of the whole program while the question was answered: for the fit of the weights of
  // `combined`, and for everything else.
  double fit_seconds = 0;
  double attack_seconds = 0;
  std::vector<AttackerAnswer> attackers = {};
  std::vector<PairBound> pair_bounds = {};
  std::optional<LabelAttack> labels = {};        // only with AttackRequest::labels
  std::vector<AttackedSentence> sentences = {};  // only with AttackRequest::keep_sentences

  // The attacker that errs least often.
  [[nodiscard]] const AttackerAnswer& best() const;
  // Full sentences on what the numbers mean, and what they do not.
  [[nodiscard]] std::vector<std::string> meaning() const;
};

// Stages: calibrating, certifying, measuring the channel, fitting, attacking, comparing. Throws
// Error(bad_data) for a sample without words, a release that does not fit it, and an .lm of another model.
AttackAnswer attack(const AttackRequest& request, const Work& work);
// The same for a mechanism that is built already; `model` and `setting` of the request are not looked at.
AttackAnswer attack(CertifiedMechanism built, const AttackRequest& request, const Work& work);
Json to_json(const AttackAnswer& answer);

}  // namespace sotto::api
