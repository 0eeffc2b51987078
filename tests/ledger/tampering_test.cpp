// Each kind of tampering with the file, by somebody who can write to it and does not have the key.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "ledger/ledger_support.h"

namespace sotto {
namespace {

using ::testing::HasSubstr;
using namespace test;

class Tampering : public ::testing::Test {
 protected:
  static constexpr int kEntries = 8;

  void SetUp() override {
    Ledger ledger(options());
    for (int i = 0; i < kEntries; ++i)
      ledger.debit({.charges = {subject_charge(i % 2 == 0 ? "p" : "q", "1", 3)}});
    head_ = ledger.head();
  }

  LedgerOptions options() { return {.location = (folder_ / "ledger.db").string()}; }

  void run(const std::string& statements) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(options().location.c_str(), &database), SQLITE_OK);
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(database, statements.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message;
    sqlite3_free(message);
    sqlite3_close(database);
  }

  LedgerCheck verify(const std::optional<LedgerHead>& kept = {}) { return Ledger(options()).verify(kept); }

  TemporaryFolder folder_;
  LedgerHead head_;
};

TEST_F(Tampering, AnUntouchedLedgerVerifies) {
  EXPECT_EQ(problems_of(verify()), "");
  EXPECT_EQ(problems_of(verify(head_)), "");
  EXPECT_EQ(verify().entries, kEntries);
  EXPECT_EQ(verify().head.text(), head_.text());
  Ledger(options()).debit({.charges = {subject_charge("p", "1", 3)}});
  EXPECT_EQ(problems_of(verify(head_)), "");  // an older head stays valid
  EXPECT_EQ(LedgerHead::parse(head_.text()).text(), head_.text());
}

TEST_F(Tampering, AChangeOfAnyFieldIsFound) {
  for (const char* change : {"time = time - 1", "role = 0", "owner = zeroblob(32)", "account = zeroblob(32)",
                             "model = 'other'", "metric = 'other'", "kind = 'vectors'", "amount = amount - 1",
                             "total = total - 1", "nonce = zeroblob(16)", "before = zeroblob(32)",
                             "mac = zeroblob(32)", "mac = ''", "amount = 0, total = 0"}) {
    run("CREATE TABLE kept AS SELECT * FROM entries");
    run(fmt::format("UPDATE entries SET {} WHERE number = 4", change));
    const LedgerCheck check = verify();
    ASSERT_FALSE(check.problems.empty()) << change;
    EXPECT_EQ(check.problems.front().entry, 4) << change;
    EXPECT_THAT(check.problems.front().what, HasSubstr("changed")) << change;
    run("DELETE FROM entries; INSERT INTO entries SELECT * FROM kept; DROP TABLE kept");
    EXPECT_EQ(problems_of(verify(head_)), "");
  }
}

TEST_F(Tampering, ARemovedEntryIsFound) {
  run("DELETE FROM entries WHERE number = 4");
  EXPECT_THAT(problems_of(verify()), HasSubstr("5: entry 4 before it was removed"));
  run("DELETE FROM entries WHERE number IN (5, 6)");
  EXPECT_THAT(problems_of(verify()), HasSubstr("7: entries 4 to 6 before it were removed"));
}

TEST_F(Tampering, ARemovedEntryIsFoundThoughTheRestIsRenumbered) {
  run("DELETE FROM entries WHERE number = 4; UPDATE entries SET number = number - 1 WHERE number > 4");
  EXPECT_THAT(problems_of(verify()), HasSubstr("4: it was changed, moved or inserted"));
}

TEST_F(Tampering, TheFirstEntryCannotBeRemoved) {
  run("DELETE FROM entries WHERE number = 1");
  EXPECT_THAT(problems_of(verify()), HasSubstr("2: entry 1 before it was removed"));
}

TEST_F(Tampering, InsertedEntriesAreFound) {
  run("INSERT INTO entries SELECT 9, time, role, owner, account, model, metric, kind, amount, total, nonce, "
      "before, mac "
      "FROM entries WHERE number = 8");
  EXPECT_THAT(problems_of(verify()), HasSubstr("9: it was changed, moved or inserted"));
  run("DELETE FROM entries WHERE number = 9;"
      "UPDATE entries SET number = -number WHERE number > 3; UPDATE entries SET number = 1 - number WHERE "
      "number < 0;"
      "INSERT INTO entries SELECT 4, time, role, owner, account, model, metric, kind, amount, total, nonce, "
      "before, mac "
      "FROM entries WHERE number = 3");
  EXPECT_THAT(problems_of(verify()), HasSubstr("4: it was changed, moved or inserted"));
}

TEST_F(Tampering, ReorderedEntriesAreFound) {
  run("UPDATE entries SET number = -1 WHERE number = 3; UPDATE entries SET number = 3 WHERE number = 4;"
      "UPDATE entries SET number = 4 WHERE number = -1");
  const std::string problems = problems_of(verify());
  EXPECT_THAT(problems, HasSubstr("3: it was changed, moved or inserted"));
  EXPECT_THAT(problems, HasSubstr("4: it was changed, moved or inserted"));
}

// Without the head a cut tail cannot be told from a ledger that was never longer; docs/ledger.md says so.
TEST_F(Tampering, ACutTailIsFoundWithTheHead) {
  run("DELETE FROM entries WHERE number > 6");
  EXPECT_EQ(problems_of(verify()), "");
  EXPECT_THAT(problems_of(verify(head_)),
              HasSubstr("the tail was cut: there are 6 entries, and the head given counted 8"));
  run("DELETE FROM entries");
  EXPECT_THAT(problems_of(verify(head_)), HasSubstr("there are 0 entries"));
}

TEST_F(Tampering, ACutTailThatGrewAgainIsFoundWithTheHead) {
  run("DELETE FROM entries WHERE number > 6");
  for (int i = 0; i < 4; ++i) Ledger(options()).debit({.charges = {subject_charge("p", "1", 3)}});
  EXPECT_EQ(problems_of(verify()), "");
  EXPECT_THAT(problems_of(verify(head_)), HasSubstr("8: it is not the entry that was the head"));
}

TEST_F(Tampering, AnotherLedgersHeadAndIdentityAreFound) {
  LedgerHead other = head_;
  other.mac[0] = other.mac[0] == '0' ? '1' : '0';
  EXPECT_FALSE(verify(other).problems.empty());
  run("UPDATE ledger SET id = 'ffffffffffffffffffffffffffffffff'");
  EXPECT_THAT(refusal(ErrorCode::usage, [&] { verify(); }),
              HasSubstr("the key given is not that of the ledger"));
}

// A debit does not trust a balance that was written without the key.
TEST_F(Tampering, NothingIsReleasedFromAChangedBalance) {
  run("UPDATE entries SET total = 0 WHERE number = 7");  // the latest of "p"
  const std::string message = refusal(ErrorCode::bad_data, [&] {
    Ledger(options()).debit({.charges = {subject_charge("p", "1", 3, "20")}});
  });
  EXPECT_THAT(message, HasSubstr("entry 7 of the ledger was changed"));
  EXPECT_EQ(verify().entries, kEntries);
}

TEST_F(Tampering, AChangedStoredAnswerIsRefused) {
  const Debit debit{.charges = {subject_charge("p", "1", 3)},
                    .retry = RetryKey{.sender = "", .key = "0123456789abcdef", .body = "b"},
                    .answer = "the answer"};
  Ledger(options()).debit(debit);
  for (const char* change :
       {"sealed = zeroblob(length(sealed))", "sealed = ''", "expires = expires + 1000000"}) {
    run(fmt::format("UPDATE answers SET {}", change));
    refusal(ErrorCode::bad_data, [&] { Ledger(options()).debit(debit); });
  }
}

TEST(LedgerHead, RefusesWhatIsNoHead) {
  const std::vector<std::string> texts = {
      "", "8", "8:", ":ab", "8:xyz", "-1:" + std::string(64, 'a'), "8:" + std::string(64, 'A')};
  for (const std::string& text : texts) {
    EXPECT_THROW((void)LedgerHead::parse(text), Error) << text;
  }
}

}  // namespace
}  // namespace sotto
