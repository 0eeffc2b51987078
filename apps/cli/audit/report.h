#pragma once
#include <optional>
#include <string>

#include "certify/audit.h"
#include "measure/deniability.h"
#include "shared/answer.h"

namespace sotto::cli {

// The same list of words was given to an outside program twice.
struct ReplayCheck {
  std::size_t lines = 0;
  double probability = 1;  // of the second run's answers, if the noise were fresh
  bool repeats = false;
};

// All that an audit found, for both ways of telling it.
struct AuditReport {
  const AuditSubject& subject;
  const AuditResult& result;
  std::string subject_text;              // "tem, epsilon 2, ..." or the command
  const Mechanism* mechanism = nullptr;  // null: an outside program
  const Space& space;
  double epsilon = 0;       // claimed
  std::uint32_t draws = 0;  // per word and pair
  std::optional<ReplayCheck> replay = {};
  std::optional<Deniability> deniability = {};
  // Of a release with these settings, for a mechanism of ours; by the draws for an outside program.
  std::optional<double> expected_unchanged = {};

  [[nodiscard]] bool violated() const {
    return result.verdict == AuditVerdict::violated || (replay && replay->repeats);
  }
};

Json audit_json(const AuditReport& report);
std::string audit_text(const AuditReport& report, std::size_t width);
// "PASS: ...", one or two sentences.
std::string audit_verdict(const AuditReport& report);

}  // namespace sotto::cli
