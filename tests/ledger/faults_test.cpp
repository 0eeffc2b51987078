// What can be wrong with a ledger's files: a clear error, and nothing is debited or released.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

#include "ledger/ledger_support.h"

namespace sotto {
namespace {

using ::testing::HasSubstr;
using namespace test;

class LedgerFaults : public ::testing::Test {
 protected:
  LedgerOptions options() {
    return {.location = (folder_ / "ledger.db").string(), .patience = std::chrono::milliseconds(100)};
  }
  void debit_once() { Ledger(options()).debit({.charges = {subject_charge("p", "1", 3)}}); }
  void run(const std::string& statements) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(options().location.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, statements.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
  }

  TemporaryFolder folder_;
};

TEST_F(LedgerFaults, WrongMissingOrOpenKey) {
  debit_once();
  const std::string key = options().location + ".key";
  std::filesystem::rename(key, key + ".away");
  EXPECT_THAT(refusal(ErrorCode::usage, [&] { debit_once(); }), HasSubstr("key"));
  EXPECT_FALSE(std::filesystem::exists(key));  // no new key for an old ledger

  put(key, "sotto-ledger-key-1 " + std::string(64, 'a') + "\n");
  ::chmod(key.c_str(), 0600);
  EXPECT_THAT(refusal(ErrorCode::usage, [&] { debit_once(); }), HasSubstr("is not that of the ledger"));
  put(key, "something else\n");
  EXPECT_THAT(refusal(ErrorCode::bad_data, [&] { debit_once(); }), HasSubstr("holds no ledger key"));
  std::filesystem::rename(key + ".away", key);
  ::chmod(key.c_str(), 0640);
  EXPECT_THAT(refusal(ErrorCode::input_output, [&] { debit_once(); }), HasSubstr("chmod 600"));
  ::chmod(key.c_str(), 0600);
  EXPECT_NO_THROW(debit_once());
}

TEST_F(LedgerFaults, ARemovedLedgerIsNotStartedAgainAtZero) {
  debit_once();
  std::filesystem::remove(options().location);
  EXPECT_THAT(refusal(ErrorCode::usage, [&] { debit_once(); }), HasSubstr("moved or removed"));
  // With the key named, a new ledger is what was asked for.
  LedgerOptions named = options();
  named.key_file = options().location + ".key";
  EXPECT_TRUE(Ledger(named).was_created());
}

TEST_F(LedgerFaults, AFileMovedAwayWhileOpen) {
  Ledger ledger(options());
  ledger.debit({.charges = {subject_charge("p", "1", 3)}});
  std::filesystem::rename(options().location, options().location + ".away");
  EXPECT_THAT(
      refusal(ErrorCode::input_output, [&] { ledger.debit({.charges = {subject_charge("p", "1", 3)}}); }),
      HasSubstr("moved or removed while it was open"));
}

TEST_F(LedgerFaults, MissingIsRefusedWhereAskedFor) {
  LedgerOptions asked = options();
  asked.missing = LedgerOptions::Missing::refuse;
  EXPECT_THAT(refusal(ErrorCode::usage, [&] { Ledger ledger(asked); }), HasSubstr("there is no ledger"));
  EXPECT_EQ(folder_.entries(), 0);
}

TEST_F(LedgerFaults, AnotherVersionOfTheSchema) {
  debit_once();
  run("PRAGMA user_version = 2; UPDATE ledger SET schema = 2");
  EXPECT_THAT(refusal(ErrorCode::bad_data, [&] { debit_once(); }), HasSubstr("has schema 2"));
}

TEST_F(LedgerFaults, AFileOfAnotherKind) {
  debit_once();
  for (const std::string& bytes :
       {std::string("no database at all, but some text that is long enough to be read"), std::string()}) {
    put(options().location, bytes);
    EXPECT_THAT(refusal(ErrorCode::bad_data, [&] { debit_once(); }), HasSubstr("damaged, or is no ledger"));
  }
  std::filesystem::remove(options().location);
  run("CREATE TABLE somebody_elses (x)");
  EXPECT_THAT(refusal(ErrorCode::bad_data, [&] { debit_once(); }), HasSubstr("damaged, or is no ledger"));
}

// Random damage of the file: it is found, or it hit bytes that nothing is read from; the sum never shrinks.
TEST_F(LedgerFaults, RandomDamageNeverLowersABalance) {
  for (int i = 0; i < 20; ++i) debit_once();
  const std::string good = contents(options().location);
  std::mt19937 random(7);
  int found = 0;
  for (int round = 0; round < 150; ++round) {
    std::string bad = good;
    for (int i = 0; i < 12; ++i) bad[random() % bad.size()] = static_cast<char>(random());
    for (const char* suffix : {"-wal", "-shm"}) std::filesystem::remove(options().location + suffix);
    put(options().location, bad);
    try {
      Ledger ledger(options());
      const Receipt receipt = ledger.debit({.charges = {subject_charge("p", "1", 3)}});
      const LedgerCheck check = ledger.verify();
      if (check.problems.empty()) {
        ASSERT_EQ(receipt.balances[0].spent.text(), "63.000000");
      } else {
        ++found;
      }
    } catch (const Error& error) {
      ASSERT_NE(error.code(), ErrorCode::internal) << error.what();
      ++found;
    }
  }
  EXPECT_GT(found, 50);
}

TEST_F(LedgerFaults, LockedByAnotherProcess) {
  debit_once();
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(options().location.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  EXPECT_THAT(refusal(ErrorCode::input_output, [&] { debit_once(); }), HasSubstr("another process holds it"));
  sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  EXPECT_NO_THROW(debit_once());
  Ledger ledger(options());
  EXPECT_EQ(ledger.head().count, 2);
}

TEST_F(LedgerFaults, AClockThatGoesBackwards) {
  std::int64_t now = 1'800'000'000;
  LedgerOptions clocked = options();
  clocked.clock = [&] { return now; };
  Ledger ledger(clocked);
  const auto debit = [&] { ledger.debit({.charges = {subject_charge("p", "1", 3)}}); };
  debit();
  now -= 300;  // two servers may differ by this
  debit();
  now -= 1;
  EXPECT_THAT(refusal(ErrorCode::input_output, debit), HasSubstr("the clock is 301 s behind"));
  EXPECT_EQ(ledger.head().count, 2);
  now += 301;
  debit();
  EXPECT_EQ(problems_of(ledger.verify()), "");  // times never fall
}

// In a child, since neither limits nor users can be set back. Its exit status is what `work` returns.
template <typename Work>
int in_child(const Work& work) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    int status = 99;
    try {
      status = work();
    } catch (const std::exception& error) {
      fmt::print(stderr, "child: {}\n", error.what());
    }
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

TEST_F(LedgerFaults, AFullDisk) {
  for (int i = 0; i < 10; ++i) debit_once();
  // No file may grow beyond this; a write then fails as on a full disk.
  const int delivered = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    Ledger ledger(options());
    const rlimit limit{.rlim_cur = 100'000, .rlim_max = 100'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    for (int count = 0; count < 90; ++count) {
      try {
        ledger.debit({.charges = {subject_charge("p", "1", 3)}});
      } catch (const Error& error) {
        return error.code() == ErrorCode::input_output ? count : 98;
      }
    }
    return 97;  // never full
  });
  ASSERT_LT(delivered, 90);
  ASSERT_GT(delivered, 0);
  Ledger ledger(options());
  EXPECT_EQ(problems_of(ledger.verify()), "");
  EXPECT_GE(spent(ledger, AccountRole::subject, "p"),
            Amount::product("x", "3", static_cast<std::uint64_t>(10 + delivered)));
}

TEST_F(LedgerFaults, AFileThatMayNotBeWritten) {
  debit_once();
  ::chmod(folder_.path().c_str(), 0755);
  ::chmod(options().location.c_str(), 0444);
  const int status = in_child([&] {
    if (::geteuid() == 0) {  // root may write everything: go on as nobody, who owns the key
      if (::chown((options().location + ".key").c_str(), 65534, 65534) != 0) return 97;
      if (::setgroups(0, nullptr) != 0 || ::setgid(65534) != 0 || ::setuid(65534) != 0) return 96;
    }
    try {
      debit_once();
    } catch (const Error& error) {
      const bool says = std::string(error.what()).find("written") != std::string::npos ||
                        std::string(error.what()).find("opened") != std::string::npos;
      return error.code() == ErrorCode::input_output && says ? 0 : 1;
    }
    return 2;
  });
  EXPECT_EQ(status, 0);
}

TEST_F(LedgerFaults, AFolderThatIsNotThere) {
  LedgerOptions nowhere = options();
  nowhere.location = (folder_ / "no/such/ledger.db").string();
  refusal(ErrorCode::input_output, [&] { Ledger ledger(nowhere); });
  refusal(ErrorCode::usage, [&] { Ledger ledger(LedgerOptions{}); });
}

}  // namespace
}  // namespace sotto
