#include "server/spending.h"

#include <algorithm>
#include <utility>

#include "server/problem.h"
#include "sotto/error.h"

namespace sotto::server {

namespace {

constexpr std::size_t kShortestKey = 16;
constexpr std::size_t kLongestKey = 128;

std::string running_name(const RetryKey& retry) {
  return std::to_string(retry.sender.size()) + ":" + retry.sender + retry.key;
}

Response replayed(std::string body) {
  return {.body = std::move(body), .headers = {{"Idempotency-Replayed", "true"}}};
}

// Runs `work` on the ledger. No message of the ledger leaves: it may name the place of the database.
template <class Work>
auto on_ledger(const Work& work) {
  try {
    return work();
  } catch (const LimitReached&) {
    throw Problem{.kind = &kBudget,
                  .detail =
                      "a limit of the document, the subject or the sender does not allow this release; "
                      "nothing was released"};
  } catch (const Error& error) {
    if (error.code() == ErrorCode::usage) {
      throw Problem{.kind = &kRetryKey,
                    .detail = "the Idempotency-Key belongs to another body, or the amount is above 9e12"};
    }
    throw Problem{.kind = &kUnavailable, .detail = "the ledger does not answer; nothing was released"};
  }
}

}  // namespace

Spending::Turn::Turn(Spending& spending, const Request& request, const std::string& sender)
    : spending_(spending) {
  const std::optional<std::string_view> key = request.header("Idempotency-Key");
  if (!key) return;
  const bool is_printable = std::ranges::all_of(*key, [](char c) { return c > ' ' && c <= '~'; });
  if (key->size() < kShortestKey || key->size() > kLongestKey || !is_printable) {
    throw Problem{.kind = &kRetryKey,
                  .detail = "an Idempotency-Key has 16 to 128 printable ASCII characters"};
  }
  const SpendingOptions& options = spending.options_;
  if (!options.ledger || options.ledger->options().keep_answers.count() == 0) {
    throw Problem{.kind = &kRetryKey, .detail = "this server keeps no answers; send no Idempotency-Key"};
  }
  RetryKey retry{.sender = sender, .key = std::string(*key), .body = request.body};
  {
    const std::scoped_lock lock(spending.mutex_);
    if (!spending.running_.insert(running_name(retry)).second) {
      throw Problem{.kind = &kStillRunning, .detail = "try again later", .headers = {{"Retry-After", "1"}}};
    }
  }
  retry_ = std::move(retry);
  try {
    std::optional<std::string> found = on_ledger([&] { return options.ledger->stored_answer(*retry_); });
    if (found) stored_ = replayed(std::move(*found));
  } catch (...) {  // no destructor runs for an object that was not made
    const std::scoped_lock lock(spending.mutex_);
    spending.running_.erase(running_name(*retry_));
    throw;
  }
}

Spending::Turn::~Turn() {
  if (!retry_) return;
  const std::scoped_lock lock(spending_.mutex_);
  spending_.running_.erase(running_name(*retry_));
}

Response Spending::Turn::debit(std::vector<Charge> charges, Response answer) {
  if (!spending_.is_counted()) return answer;
  const Debit debit{.charges = std::move(charges), .retry = retry_, .answer = retry_ ? answer.body : ""};
  Receipt receipt = on_ledger([&] { return spending_.options_.ledger->debit(debit); });
  return receipt.is_replayed ? replayed(std::move(receipt.answer)) : std::move(answer);
}

void Spending::check(const Named& named) const {
  const bool names_any = !named.documents.empty() || !named.subject.empty();
  if (names_any && !is_counted()) {
    throw Problem{.kind = &kField,
                  .detail = "`document`, `documents` and `subject` need a server with a ledger"};
  }
  if (options_.requires_document && named.documents.empty()) {
    throw Problem{.kind = &kField, .detail = "this server requires `document` (or `documents` with `texts`)"};
  }
  if (options_.requires_subject && named.subject.empty()) {
    throw Problem{.kind = &kField, .detail = "this server requires `subject`"};
  }
}

std::vector<Charge> Spending::charges(const Mechanism& mechanism, const AccountScope& scope,
                                      const Named& named, const std::string& sender,
                                      std::uint64_t words) const {
  if (!is_counted()) return {};
  if (!mechanism.parameters.has("epsilon")) {
    throw Problem{.kind = &kField, .detail = "the ledger counts epsilons, and this `mechanism` has none"};
  }
  const std::string& epsilon = mechanism.parameters.text("epsilon");
  // Computed before any charge is made: g++ 12 destroys members twice if a later initialiser of a nested
  // aggregate throws.
  Amount for_document;
  Amount for_words;
  try {
    for_document = Amount::product("`epsilon`", epsilon, 1);
    for_words = Amount::product("`epsilon`", epsilon, words);
  } catch (const Error&) {
    throw Problem{.kind = &kField, .detail = "`epsilon` costs more than the 9e12 that a ledger can count"};
  }
  std::vector<Charge> charges;
  for (const std::string& id : named.documents) {
    charges.push_back({.account = {.role = AccountRole::document, .id = id, .scope = scope},
                       .amount = for_document,
                       .limit = options_.document_budget,
                       .once = !options_.document_budget});
  }
  const bool names_any = !named.subject.empty() || !named.documents.empty();
  if (!named.subject.empty() || !names_any) {
    const AccountRole unnamed = sender.empty() ? AccountRole::anonymous : AccountRole::key;
    charges.push_back({.account = {.role = names_any ? AccountRole::subject : unnamed,
                                   .id = names_any ? named.subject : sender,
                                   .scope = scope},
                       .amount = for_words,
                       .limit = options_.subject_budget});
  }
  return charges;
}

}  // namespace sotto::server
