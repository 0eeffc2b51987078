#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "certify/audit_events.h"
#include "certify/audit_pairs.h"
#include "certify/audit_subject.h"
#include "sotto/work.h"

namespace sotto {

// A third of the draws looks for the events that betray a pair of words, the rest, fresh ones, tests those
// events; what then looks suspicious without being decided is drawn again, more often. docs/audit.md has the
// statistics. Results depend on the subject's random bits alone.
struct AuditOptions {
  std::uint32_t draws = 100'000;  // for each of the two words of each pair; at least 30
  double level = 1e-3;            // at most this probability of calling a sound subject VIOLATED
  std::uint32_t again = 4;        // a suspicious pair gets `again` times the draws of the test once more
  OutputDistance distance = {};   // for events of nearness; empty: none
  Work work = {};
};

enum class AuditVerdict { pass, violated, undecided, nothing_claimed };

// One event of one pair, as the fresh draws have it.
struct AuditFinding {
  AuditPair pair = {};
  AuditEvent event = {};
  std::uint64_t draws = 0;          // for each of the two words
  std::uint64_t hits_likelier = 0;  // for event.likelier
  std::uint64_t hits_other = 0;
  double loss_estimate = 0;  // ln of the ratio of hits; infinite if the other word has none
  double loss_bound = 0;     // the loss is at least this; all bounds of a result hold together (1 - level)
  bool drawn_again = false;
  // Undecided only: the AuditOptions::draws at which the present ratio would be called a violation.
  std::optional<double> draws_needed = {};

  // By the bound, or by the exact loss of the pair.
  [[nodiscard]] bool exceeds_claim() const;
  // The larger of the two, where there are two.
  [[nodiscard]] double proven_loss() const;
};

// What an audit of this size can see.
struct AuditReach {
  double largest_loss = 0;       // a claim above this cannot be refuted by any outcome
  std::size_t pairs_within = 0;  // pairs that claim less
  // For the pair with the smallest claim: an event of probability 1/10 under one of its words is found out if
  // its loss exceeds the claim by this (about one time in two at exactly this). Infinite: none is.
  double smallest_excess = 0;
};

struct AuditResult {
  AuditVerdict verdict = AuditVerdict::pass;
  double level = 0;
  std::size_t hypotheses = 0;  // events tested on fresh draws
  std::uint64_t total_draws = 0;
  // The largest bound divided by the distance of its pair; infinite if words at distance 0 differ.
  double realised_epsilon_bound = 0;
  std::optional<AuditFinding> strongest = {};  // the finding behind it
  // The finding furthest above its claim, if the verdict is violated or undecided.
  std::optional<AuditFinding> witness = {};
  std::vector<AuditFinding> pairs = {};  // the most telling finding of each pair, in the order given
  AuditReach reach = {};
};

AuditResult audit(AuditSubject& subject, std::span<const AuditPair> pairs, const AuditOptions& options);

}  // namespace sotto
