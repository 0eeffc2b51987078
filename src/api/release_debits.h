#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sotto/ledger.h"
#include "sotto/mechanism.h"

namespace sotto::api {

// The accounts of word releases: epsilons add up for one model and one metric. A mechanism with a norm of its
// own counts in that norm.
AccountScope word_scope(const Mechanism& mechanism);
// Of vector releases. Distances between free vectors do not depend on a model.
AccountScope vector_scope(const Mechanism& mechanism, const Model* model_of_words);
AccountScope free_vector_scope(std::size_t dimension);

// What a release costs, and its debits. Made before anything is read: throws Error(usage) for a release that
// cannot be counted, because its mechanism has no epsilon or nothing is proven of it.
class ReleaseDebits {
 public:
  ReleaseDebits(const LedgerUse& use, const Mechanism& mechanism, Status status, AccountScope scope);

  // Early, before the work: throws LimitReached if not even the document, or one more word, is allowed.
  void check() const;
  // The whole input is one document (if one is named).
  [[nodiscard]] std::vector<Balance> all_at_once(std::uint64_t words) const;
  // A part of a stream, before it leaves; the document is charged with the first part.
  [[nodiscard]] std::vector<Balance> part(std::uint64_t words, bool is_first) const;
  // Texts that are documents of their own, or (if there are no ids) the document named for the whole input.
  // An empty subject: that of the whole input.
  [[nodiscard]] std::vector<Balance> texts(std::uint64_t words, std::span<const std::string> documents,
                                           const std::string& subject) const;

 private:
  [[nodiscard]] Charge document_charge(const std::string& id) const;
  [[nodiscard]] Charge words_charge(const std::string& subject, std::uint64_t words) const;
  [[nodiscard]] std::vector<Balance> debit(std::vector<Charge> charges) const;

  LedgerUse use_;
  AccountScope scope_;
  std::string epsilon_;  // as it is printed: the decimal that counts
};

}  // namespace sotto::api
