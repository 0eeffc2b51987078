#pragma once
#include "api/audit.h"

// What the audits of words, of programs and of vectors share. Not for use elsewhere.
namespace sotto::api {

// A stream for each purpose: 0 pairs, 1 draws, 2 deniability, 3 replay.
RandomSource audit_random(const AuditRequest& request, std::uint64_t purpose);
// The pairs of `choice` and those that the request gives. Throws Error(usage) for a pair that means nothing.
std::vector<AuditPair> choose_pairs(const AuditRequest& request, const AuditClaim& claim, PairChoice choice);
// Fills `result` and `texts`.
void run_audit(AuditAnswer& answer, AuditSubject& subject, const std::vector<AuditPair>& pairs,
               const AuditOptions& given);
// Of a mechanism that releases vectors; the request has the model.
AuditAnswer audit_vectors(const AuditRequest& request, Mechanism mechanism, const Work& work);

}  // namespace sotto::api
