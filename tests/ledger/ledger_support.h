#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "core/temporary_folder.h"
#include "sotto/ledger.h"

namespace sotto::test {

inline const AccountScope kWords{.model = "model-a", .metric = "euclidean", .kind = "words"};

inline Charge document_charge(const std::string& id, const char* epsilon, const char* budget = nullptr) {
  Charge out{.account = {.role = AccountRole::document, .id = id, .scope = kWords},
             .amount = Amount::parse("epsilon", epsilon, Amount::Rounding::up)};
  if (budget != nullptr) out.limit = Amount::parse("budget", budget, Amount::Rounding::down);
  out.once = budget == nullptr;
  return out;
}

inline Charge subject_charge(const std::string& id, const char* epsilon, std::uint64_t words,
                             const char* budget = nullptr) {
  Charge out{.account = {.role = AccountRole::subject, .id = id, .scope = kWords},
             .amount = Amount::product("epsilon", epsilon, words)};
  if (budget != nullptr) out.limit = Amount::parse("budget", budget, Amount::Rounding::down);
  return out;
}

// 0 if there is no such account.
inline Amount spent(Ledger& ledger, AccountRole role, const std::string& id) {
  Amount sum;
  for (const AccountSummary& account : ledger.accounts({.role = role, .id = id}))
    sum = sum.plus(account.spent);
  return sum;
}

inline std::string problems_of(const LedgerCheck& check) {
  std::string out;
  for (const LedgerProblem& problem : check.problems)
    out += std::to_string(problem.entry) + ": " + problem.what + "\n";
  return out;
}

// The message of what `work` throws; fails the test if it throws nothing or another code.
template <typename Work>
std::string refusal(ErrorCode code, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace sotto::test
