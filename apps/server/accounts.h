#pragma once
#include <string_view>
#include <vector>

#include "server/fields.h"
#include "server/spending.h"

// What the requests that release something say of the ledger's accounts, and what their answers tell of them.
namespace sotto::server {

inline constexpr std::size_t kLongestId = 1'024;
inline constexpr Field kSubjectField = {
    .name = "subject",
    .help = "The id of the person or tenant: every word adds epsilon to its account.",
    .least = 1,
    .most = kLongestId};
inline constexpr Field kSpentAnswer = {
    .name = "spent",
    .help = "What this release was debited, by account; null without a ledger. Amounts are texts.",
    .kind = Field::Kind::any,
    .presence = Field::Presence::required};

// `subject` and `documents` of a request, one document for each item of its list `items` ("texts"). Throws
// Problem(422) if their numbers differ, or an id is empty or too long.
Named named_of(const api::Json& body, std::string_view items);

// One row for each kind of account, so that the answer does not repeat every document. Null without charges.
api::Json spent_json(const std::vector<Charge>& charges);

}  // namespace sotto::server
