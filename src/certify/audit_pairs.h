#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "certify/audit_subject.h"
#include "sotto/extremes.h"
#include "sotto/mechanism.h"

namespace sotto {

// What a subject promises for two words: a loss of at most epsilon times their distance, and never more than
// the largest loss, where it states one.
struct AuditClaim {
  std::shared_ptr<const Space> space = {};
  double epsilon = 0;                                   // infinity: nothing is promised
  std::function<double(WordId, WordId)> distance = {};  // in the unit of epsilon
  std::optional<double> largest_loss = {};

  [[nodiscard]] double loss(WordId first, WordId second) const;
};
// The claim of a mechanism as built, in its own norm (mahalanobis). Nominal where it is refuted or not
// private.
AuditClaim audit_claim(const Mechanism& mechanism);
AuditClaim audit_claim(std::shared_ptr<const Space> space, double epsilon);

// Two words to be told apart by their outputs.
struct AuditPair {
  // same_row: two words at distance 0. unknown: two words outside the model, which a mechanism over the model
  // has no means to tell apart. every: the model is so small that all pairs are taken.
  enum class Kind { every, nearest, random, rare, same_row, worst, given, unknown };
  AuditWord first = 0;
  AuditWord second = 0;
  Kind kind = Kind::random;
  double distance = 0;
  double claimed_loss = 0;
  // From the law, where there is one: the loss itself and an output that attains it.
  std::optional<double> exact_loss = {};
  AuditWord exact_output = 0;
};
std::string_view kind_name(AuditPair::Kind kind);

struct PairChoice {
  std::size_t pairs = 0;               // without those below
  std::vector<WordPair> given = {};    // by the user
  std::optional<WordPair> worst = {};  // by a certificate
  unsigned threads = 0;
};
// Half of the pairs are nearest neighbours, a quarter lies among the rarest tenth of the words (nearest and
// random), the rest is random; none twice. Near pairs come first in number because their claim is the
// smallest and the soonest refuted. All pairs, if there are not more.
std::vector<AuditPair> choose_audit_pairs(const AuditClaim& claim, const PairChoice& choice, Rng& rng);

// Fills exact_loss where the mechanism knows its law: that decides about losses too large for any number of
// draws. It is the word of the mechanism about itself; the draws are not.
void add_exact_losses(std::vector<AuditPair>& pairs, const WordMechanism& mechanism, const Work& work);

}  // namespace sotto
