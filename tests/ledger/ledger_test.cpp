#include "sotto/ledger.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "core/sha256.h"
#include "ledger/ledger_support.h"

namespace sotto {
namespace {

using ::testing::HasSubstr;
using namespace test;

class LedgerTest : public ::testing::Test {
 protected:
  LedgerOptions options() {
    return {.location = (folder_ / "ledger.db").string(), .clock = [this] { return now_; }};
  }
  Receipt debit(Ledger& ledger, std::vector<Charge> charges) {
    return ledger.debit({.charges = std::move(charges)});
  }

  TemporaryFolder folder_;
  std::int64_t now_ = 1'800'000'000;
};

TEST_F(LedgerTest, ADocumentWithoutABudgetIsReleasedOnce) {
  Ledger ledger(options());
  EXPECT_EQ(debit(ledger, {document_charge("letter", "2")}).balances[0].spent.text(), "2.000000");
  EXPECT_THROW(debit(ledger, {document_charge("letter", "2")}), LimitReached);
  EXPECT_EQ(spent(ledger, AccountRole::document, "letter").text(), "2.000000");
  EXPECT_NO_THROW(debit(ledger, {document_charge("another letter", "2")}));
}

TEST_F(LedgerTest, BudgetsAllowUpToTheLimitAndNotAMicroMore) {
  Ledger ledger(options());
  debit(ledger, {document_charge("a", "2", "4.5")});
  const Receipt second = debit(ledger, {document_charge("a", "2.5", "4.5")});
  EXPECT_EQ(second.balances[0].spent.text(), "4.500000");
  EXPECT_EQ(second.balances[0].remaining()->text(), "0.000000");
  const std::string message =
      refusal(ErrorCode::usage, [&] { debit(ledger, {document_charge("a", "0.000001", "4.5")}); });
  EXPECT_THAT(message, HasSubstr("spent 4.500000, limit 4.500000, remaining 0.000000, needed 0.000001"));
  debit(ledger, {subject_charge("p", "0.5", 7)});  // no limit
  EXPECT_FALSE(debit(ledger, {subject_charge("p", "0.5", 7)}).balances[0].remaining().has_value());
  EXPECT_EQ(spent(ledger, AccountRole::subject, "p").text(), "7.000000");
}

TEST_F(LedgerTest, AllChargesOfADebitSucceedOrNoneDoes) {
  Ledger ledger(options());
  debit(ledger, {document_charge("a", "1")});
  EXPECT_THROW(
      debit(ledger, {subject_charge("p", "1", 10), document_charge("b", "1"), document_charge("a", "1")}),
      LimitReached);
  EXPECT_EQ(spent(ledger, AccountRole::subject, "p"), Amount());
  EXPECT_EQ(spent(ledger, AccountRole::document, "b"), Amount());
  // The same document twice in one debit is two releases of it.
  EXPECT_THROW(debit(ledger, {document_charge("c", "1"), document_charge("c", "1")}), LimitReached);
  EXPECT_EQ(ledger.head().count, 1);
}

TEST_F(LedgerTest, AccountsOfOtherScopesAndRolesAreOthers) {
  Ledger ledger(options());
  Charge charge = document_charge("x", "1");
  debit(ledger, {charge});
  for (AccountScope scope :
       {AccountScope{"model-b", "euclidean", "words"}, AccountScope{"model-a", "angular", "words"},
        AccountScope{"model-a", "euclidean", "vectors"}}) {
    charge.account.scope = scope;
    EXPECT_NO_THROW(debit(ledger, {charge}));
  }
  EXPECT_NO_THROW(debit(ledger, {subject_charge("x", "1", 1)}));
  EXPECT_EQ(ledger.accounts({.role = AccountRole::document, .id = "x"}).size(), 4U);
  EXPECT_EQ(ledger.accounts().size(), 5U);
}

TEST_F(LedgerTest, HugeSumsAreRefusedNotWrapped) {
  Ledger ledger(options());
  debit(ledger, {subject_charge("p", "9e12", 1)});
  EXPECT_THAT(refusal(ErrorCode::usage, [&] { debit(ledger, {subject_charge("p", "0.000001", 1)}); }),
              HasSubstr("9e12"));
  EXPECT_EQ(spent(ledger, AccountRole::subject, "p").micros(), Amount::kLargest);
}

TEST_F(LedgerTest, ARepeatedRequestGetsTheStoredAnswerAndNoDebit) {
  Ledger ledger(options());
  const Debit first{.charges = {document_charge("a", "1")},
                    .retry = RetryKey{.sender = "app", .key = "0123456789abcdef", .body = "body"},
                    .answer = "the answer"};
  EXPECT_FALSE(ledger.stored_answer(*first.retry).has_value());
  EXPECT_FALSE(ledger.debit(first).is_replayed);
  Debit again = first;
  again.answer = "another draw";
  const Receipt replayed = ledger.debit(again);
  EXPECT_TRUE(replayed.is_replayed);
  EXPECT_EQ(replayed.answer, "the answer");
  EXPECT_EQ(ledger.stored_answer(*first.retry), "the answer");
  EXPECT_EQ(ledger.head().count, 1);

  again.retry->body = "other body";
  EXPECT_THAT(refusal(ErrorCode::usage, [&] { ledger.debit(again); }), HasSubstr("another body"));
  // The key belongs to its sender: of another one it is another key.
  again.retry->sender = "other app";
  EXPECT_THROW(ledger.debit(again), LimitReached);  // the document, not the key
  again.charges = {document_charge("b", "1")};
  EXPECT_FALSE(ledger.debit(again).is_replayed);
}

TEST_F(LedgerTest, RefusedDebitsAreNotStoredAndAnswersExpire) {
  LedgerOptions with_hours = options();
  with_hours.keep_answers = std::chrono::hours(1);
  Ledger ledger(with_hours);
  Debit debit{.charges = {document_charge("a", "1", "1.5")},
              .retry = RetryKey{.sender = "", .key = "0123456789abcdef", .body = "b"},
              .answer = "one"};
  ledger.debit(debit);
  now_ += 3599;
  EXPECT_TRUE(ledger.debit(debit).is_replayed);
  now_ += 1;
  EXPECT_FALSE(ledger.stored_answer(*debit.retry).has_value());
  EXPECT_THROW(ledger.debit(debit), LimitReached);  // a second release now, and refused
  EXPECT_FALSE(ledger.stored_answer(*debit.retry).has_value());
  debit.charges[0].limit = Amount::of_micros(3'000'000);
  EXPECT_FALSE(ledger.debit(debit).is_replayed);

  with_hours.keep_answers = std::chrono::seconds(0);
  Ledger without(with_hours);
  debit.charges = {subject_charge("p", "1", 1)};
  debit.retry->key = "fedcba9876543210";
  EXPECT_FALSE(without.debit(debit).is_replayed);
  EXPECT_FALSE(without.debit(debit).is_replayed);
}

TEST_F(LedgerTest, CheckSaysWhatADebitWouldSayAndDebitsNothing) {
  Ledger ledger(options());
  EXPECT_EQ(ledger.check({document_charge("a", "1", "3")})[0].spent, Amount());
  debit(ledger, {document_charge("a", "2", "3")});
  EXPECT_EQ(ledger.check({document_charge("a", "1", "3")})[0].spent.text(), "2.000000");
  EXPECT_THROW(ledger.check({document_charge("a", "2", "3")}), LimitReached);
  EXPECT_EQ(ledger.head().count, 1);
}

TEST_F(LedgerTest, ManyThreadsShareCommitsAndLoseNothing) {
  Ledger ledger(options());
  constexpr int kThreads = 16;
  constexpr int kEach = 40;
  std::atomic<int> refused = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kEach; ++i) {
          ledger.debit({.charges = {subject_charge("all", "0.5", 3),
                                    subject_charge(fmt::format("own {}", t), "1", 1)}});
          // Everybody tries each document; one gets it.
          try {
            ledger.debit({.charges = {document_charge(fmt::format("letter {}", i), "1")}});
          } catch (const LimitReached&) {
            ++refused;
          }
        }
      });
    }
  }
  EXPECT_EQ(refused, (kThreads - 1) * kEach);
  EXPECT_EQ(spent(ledger, AccountRole::subject, "all"),
            Amount::product("x", "1.5", std::uint64_t{kThreads} * kEach));
  EXPECT_EQ(spent(ledger, AccountRole::subject, "own 3"), Amount::product("x", "1", kEach));
  EXPECT_EQ(problems_of(ledger.verify()), "");
  EXPECT_EQ(ledger.head().count, kThreads * kEach * 2 + kEach);
}

TEST_F(LedgerTest, TheFilesAreTheOwnersAlone) {
  const Ledger ledger(options());
  EXPECT_TRUE(ledger.was_created());
  for (const char* name : {"ledger.db", "ledger.db.key"}) {
    struct stat status {};
    ASSERT_EQ(::stat((folder_ / name).c_str(), &status), 0) << name;
    EXPECT_EQ(status.st_mode & 0777, 0600U) << name;
  }
  for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_THAT(file.path().string(), ::testing::Not(HasSubstr(".new-")));
  }
  EXPECT_FALSE(Ledger(options()).was_created());
}

// Ids, bodies, answers and retry keys must not be in any file in clear, nor a plain hash of an id, by which
// anybody could test a guess.
TEST_F(LedgerTest, NoIdentifierAndNoTextIsInTheFiles) {
  Sha256 hash;
  hash.add("canary-patient", 14);
  const Sha256Digest digest = hash.digest();
  const std::string plain_hash(digest.begin(), digest.end());
  {
    Ledger ledger(options());
    for (int i = 0; i < 50; ++i) {
      ledger.debit({.charges = {document_charge(fmt::format("canary-letter-{}", i), "1"),
                                subject_charge("canary-patient", "1", 10)},
                    .retry = RetryKey{.sender = "canary-sender",
                                      .key = fmt::format("canary-retry-{:04}", i),
                                      .body = "canary-body"},
                    .answer = "canary-answer"});
    }
    int files = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder_.path())) {
      const std::string bytes = contents(file.path());
      EXPECT_EQ(bytes.find("canary"), std::string::npos) << file.path();
      EXPECT_EQ(bytes.find(plain_hash), std::string::npos) << file.path();
      ++files;
    }
    EXPECT_EQ(files, 4);  // with -wal and -shm
  }
  EXPECT_EQ(contents(folder_ / "ledger.db").find("canary"), std::string::npos);
  EXPECT_NE(contents(folder_ / "ledger.db").find("euclidean"), std::string::npos);  // the search can find
}

TEST_F(LedgerTest, TheKeyIsNotInTheDatabase) {
  { Ledger(options()).debit({.charges = {document_charge("a", "1")}}); }
  const std::string key = contents(folder_ / "ledger.db.key");
  const std::string hex = key.substr(key.find(' ') + 1, 64);
  std::string raw;
  for (std::size_t i = 0; i < 64; i += 2) raw += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  const std::string file = contents(folder_ / "ledger.db");
  EXPECT_EQ(file.find(hex), std::string::npos);
  EXPECT_EQ(file.find(raw), std::string::npos);
}

}  // namespace
}  // namespace sotto
