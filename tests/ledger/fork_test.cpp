// A process that uses a ledger may fork: parent and child go on, each with a connection of its own.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "ledger/ledger_support.h"

namespace sotto {
namespace {

using namespace test;

TEST(LedgerFork, ParentAndChildDebitOneLedger) {
  const TemporaryFolder folder;
  Ledger ledger({.location = (folder / "ledger.db").string()});
  constexpr int kChildren = 4;
  constexpr int kEach = 10;
  std::vector<pid_t> children;
  for (int child = 0; child < kChildren; ++child) {
    ledger.debit({.charges = {subject_charge("p", "1", 1)}});
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      int failed = 0;
      try {
        for (int i = 0; i < kEach; ++i) ledger.debit({.charges = {subject_charge("p", "1", 1)}});
      } catch (const std::exception& error) {
        fmt::print(stderr, "child: {}\n", error.what());
        failed = 1;
      }
      ::_exit(failed);
    }
    children.push_back(pid);
  }
  for (int i = 0; i < kEach; ++i) ledger.debit({.charges = {subject_charge("p", "1", 1)}});
  for (const pid_t pid : children) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(spent(ledger, AccountRole::subject, "p"),
            Amount::product("x", "1", kChildren * (kEach + 1) + kEach));
  EXPECT_EQ(problems_of(ledger.verify()), "");
}

}  // namespace
}  // namespace sotto
