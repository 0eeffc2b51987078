#include "api/release_debits.h"

#include <fmt/format.h>

#include <utility>

#include "sotto/error.h"

namespace sotto::api {

AccountScope word_scope(const Mechanism& mechanism) {
  std::string metric(metric_name(mechanism.space->metric()));
  if (mechanism.claim.distance)
    metric += fmt::format(", norm of lambda {}", mechanism.parameters.text("lambda"));
  return {.model = mechanism.space->model().identity(), .metric = std::move(metric), .kind = "words"};
}

AccountScope vector_scope(const Mechanism& mechanism, const Model* model_of_words) {
  if (model_of_words != nullptr) {
    return {.model = model_of_words->identity(), .metric = "euclidean", .kind = "vectors"};
  }
  return free_vector_scope(mechanism.vectors->input_dim());
}

AccountScope free_vector_scope(std::size_t dimension) {
  return {.model = "none", .metric = fmt::format("euclidean, dimension {}", dimension), .kind = "vectors"};
}

ReleaseDebits::ReleaseDebits(const LedgerUse& use, const Mechanism& mechanism, Status status,
                             AccountScope scope)
    : use_(use), scope_(std::move(scope)) {
  if (!mechanism.parameters.has("epsilon")) {
    throw Error(
        ErrorCode::usage,
        fmt::format("`ledger` counts epsilon, and the mechanism {} has none; choose another `mechanism`",
                    mechanism.info->name));
  }
  if (status != Status::proven) {
    throw Error(
        ErrorCode::usage,
        fmt::format(
            "`ledger` counts a release only if its guarantee is proven, and the status of this one is {}; "
            "choose other options, or leave `ledger` out",
            status_name(status)));
  }
  epsilon_ = mechanism.parameters.text("epsilon");
}

Charge ReleaseDebits::document_charge(const std::string& id) const {
  // Computed first: g++ 12 destroys members twice if a later initialiser of a nested aggregate throws.
  const Amount amount = Amount::product("`epsilon`", epsilon_, 1);
  return {.account = {.role = AccountRole::document, .id = id, .scope = scope_},
          .amount = amount,
          .limit = use_.document_budget,
          .once = !use_.document_budget};
}

Charge ReleaseDebits::words_charge(const std::string& subject, std::uint64_t words) const {
  const AccountRole role = subject.empty() ? AccountRole::anonymous : AccountRole::subject;
  const Amount amount = Amount::product("`epsilon`", epsilon_, words);  // first, as above
  return {.account = {.role = role, .id = subject, .scope = scope_},
          .amount = amount,
          .limit = use_.subject_budget};
}

void ReleaseDebits::check() const {
  std::vector<Charge> charges;
  if (!use_.document.empty()) charges.push_back(document_charge(use_.document));
  if (!use_.subject.empty() || use_.document.empty()) charges.push_back(words_charge(use_.subject, 1));
  (void)use_.ledger->check(charges);
}

std::vector<Balance> ReleaseDebits::debit(std::vector<Charge> charges) const {
  return use_.ledger->debit({.charges = std::move(charges)}).balances;
}

std::vector<Balance> ReleaseDebits::all_at_once(std::uint64_t words) const {
  return texts(words, {}, {});
}

std::vector<Balance> ReleaseDebits::part(std::uint64_t words, bool is_first) const {
  if (is_first) return all_at_once(words);
  // A document that was charged as a whole costs nothing more.
  if (words == 0 || (use_.subject.empty() && !use_.document.empty())) return {};
  return debit({words_charge(use_.subject, words)});
}

std::vector<Balance> ReleaseDebits::texts(std::uint64_t words, std::span<const std::string> documents,
                                          const std::string& subject) const {
  const std::string& person = subject.empty() ? use_.subject : subject;
  std::vector<Charge> charges;
  for (const std::string& id : documents) charges.push_back(document_charge(id));
  if (documents.empty() && !use_.document.empty()) charges.push_back(document_charge(use_.document));
  if (!person.empty() || charges.empty()) charges.push_back(words_charge(person, words));
  return debit(std::move(charges));
}

}  // namespace sotto::api
