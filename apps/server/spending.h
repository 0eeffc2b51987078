#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server/message.h"
#include "sotto/ledger.h"
#include "sotto/mechanism.h"

// What releases of the service cost, and answers that are kept for retries.
namespace sotto::server {

struct SpendingOptions {
  std::shared_ptr<Ledger> ledger = {};         // null: nothing is counted
  std::optional<Amount> document_budget = {};  // empty: a document may be released once
  std::optional<Amount> subject_budget = {};   // empty: unlimited, but counted
  bool requires_document = false;              // requests without one are refused
  bool requires_subject = false;
};

// Whom a request names. Both are private: nothing but the ledger sees them, which stores only their HMAC.
struct Named {
  std::vector<std::string> documents = {};
  std::string subject = {};
};

class Spending {
 public:
  explicit Spending(SpendingOptions options) : options_(std::move(options)) {}

  // One request, from its first look at the ledger to its debit. While it lives, no other request of the
  // sender may have the same Idempotency-Key.
  class Turn {
   public:
    // Throws Problem(422) for a key that is malformed or belongs to another body or if there is no ledger,
    // Problem(409) if the first request with the key still runs, Problem(503) without the ledger.
    Turn(Spending& spending, const Request& request, const std::string& sender);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    // The answer that was stored for this Idempotency-Key and body.
    [[nodiscard]] const std::optional<Response>& stored() const noexcept { return stored_; }
    // Debits and stores the answer in one transaction; returns what to send, which is a stored answer if
    // another server was faster. Throws Problem(429) if a limit refuses it and Problem(503) if the ledger
    // does not answer: then nothing may be released.
    Response debit(std::vector<Charge> charges, Response answer);

   private:
    Spending& spending_;
    std::optional<RetryKey> retry_ = {};
    std::optional<Response> stored_ = {};
  };

  [[nodiscard]] bool is_counted() const noexcept { return options_.ledger != nullptr; }
  [[nodiscard]] const SpendingOptions& options() const noexcept { return options_; }
  // Throws Problem(422) if something is named without a ledger, or not named though it is required.
  void check(const Named& named) const;
  // What a release of `words` words, or rows, costs in the accounts of `scope`: epsilon for each document,
  // epsilon for each word of the subject, or of the sender, if nothing is named. Throws Problem(422) for
  // amounts above what a ledger can count.
  [[nodiscard]] std::vector<Charge> charges(const Mechanism& mechanism, const AccountScope& scope,
                                            const Named& named, const std::string& sender,
                                            std::uint64_t words) const;

 private:
  const SpendingOptions options_;
  std::mutex mutex_;
  std::set<std::string> running_;  // senders and keys of requests that are being answered
};

}  // namespace sotto::server
