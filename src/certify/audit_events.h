#pragma once
#include <functional>
#include <vector>

#include "certify/audit_pairs.h"
#include "certify/audit_subject.h"

namespace sotto {

// A set of outputs that one of two words seems to give too often.
struct AuditEvent {
  // output: one of them. set: several, listed. nearer: every word that lies nearer to the likelier of the two
  // than to the other, by `threshold` or more. farther: every word at a distance of `threshold` or more from
  // the likelier, where truncated mechanisms go wrong.
  enum class Kind { output, set, nearer, farther };
  Kind kind = Kind::output;
  AuditWord likelier = 0;  // the word of the pair under which it seems the likelier
  AuditWord other = 0;
  std::vector<AuditWord> outputs = {};  // sorted; empty for `nearer` and `farther`
  double threshold = 0;
};

// The distance between an output and a word; not a number where one of them is not in the model.
using OutputDistance = std::function<double(AuditWord, AuditWord)>;

// How many of the draws counted fall into the event.
std::uint64_t hits_of(const AuditEvent& event, const OutputCounts& counts, const OutputDistance& distance);

// Equally many draws for the two words of a pair.
struct PairCounts {
  const OutputCounts& first;
  const OutputCounts& second;
};
struct ExploredPair {
  const AuditPair& pair;
  double planned;     // draws of the coming test for each draw of the search: rare events will be seen better
  PairCounts search;  // suggests events
  PairCounts
      selection;  // compares them: among many outputs some always look telling in the draws that suggest them
};
// The events of a pair that are worth fresh draws, up to five for each direction: those that may exceed the
// claim as far as the second draws tell, and in any case the one with the largest apparent loss.
std::vector<AuditEvent> choose_events(const ExploredPair& explored, const OutputDistance& distance);

}  // namespace sotto
