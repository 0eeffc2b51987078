// kill -9 at random moments. A child debits and then delivers; whatever moment it dies at, every account has
// spent at least what was delivered, and the chain verifies. SOTTO_KILLS sets the number of kills (50).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <random>
#include <thread>

#include "ledger/ledger_support.h"

namespace sotto {
namespace {

using namespace test;

constexpr int kSubjects = 5;
constexpr int kKilledThreads = 4;

struct Delivery {
  int subject = 0;
  int document = 0;
  std::int64_t micros = 0;
};

std::string subject_id(int subject) {
  return fmt::format("patient {}", subject);
}
std::string document_id(int document) {
  return fmt::format("letter {}", document);
}

// The child's life: every debit is delivered through the pipe at once, as a program hands out its output.
[[noreturn]] void debit_and_deliver(const LedgerOptions& options, int pipe, unsigned seed) {
  try {
    Ledger ledger(options);
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < kKilledThreads; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 random(seed * kKilledThreads + t);
        for (;;) {
          const int subject = static_cast<int>(random() % kSubjects);
          const int document = static_cast<int>(random() % 1'000'000'000);
          const std::uint64_t words = 1 + random() % 50;
          const Charge charge = subject_charge(subject_id(subject), "0.7", words);
          ledger.debit({.charges = {charge, document_charge(document_id(document), "0.7")}});
          const Delivery delivery{.subject = subject, .document = document, .micros = charge.amount.micros()};
          if (::write(pipe, &delivery, sizeof delivery) != sizeof delivery) ::_exit(3);
        }
      });
    }
    threads.clear();
  } catch (const std::exception& error) {
    fmt::print(stderr, "child: {}\n", error.what());
    ::_exit(2);
  }
  ::_exit(0);
}

TEST(LedgerKill, SpentIsAtLeastWhatWasDelivered) {
  const char* given = std::getenv("SOTTO_KILLS");
  const int kills = given == nullptr ? 50 : std::stoi(given);
  const TemporaryFolder folder;
  LedgerOptions options{.location = (folder / "ledger.db").string()};
  std::mt19937 random(20);
  std::map<int, std::int64_t> delivered;
  std::map<int, int> documents;
  std::int64_t count = 0;
  LedgerHead head;
  bool has_head = false;
  for (int kill = 0; kill < kills; ++kill) {
    if (kill == 5) Ledger make(options);  // the first ones die while they make it
    int ends[2] = {};
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) debit_and_deliver(options, ends[1], static_cast<unsigned>(kill));
    ::close(ends[1]);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 200'000));
    ::kill(pid, SIGKILL);
    int status = 0;
    ::waitpid(pid, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "kill " << kill;
    for (Delivery delivery; ::read(ends[0], &delivery, sizeof delivery) == sizeof delivery;) {
      delivered[delivery.subject] += delivery.micros;
      ++documents[delivery.document];
      ++count;
    }
    ::close(ends[0]);
    // Killed between its two files: nothing was delivered, and the message says what to do.
    if (!std::filesystem::exists(options.location)) {
      ASSERT_EQ(count, 0);
      std::filesystem::remove(options.location + ".key");
      continue;
    }
    if (kill >= 50 && kill % 20 != 0) continue;  // all is read here, and grows
    Ledger ledger(options);
    const LedgerCheck check = ledger.verify(has_head ? std::optional(head) : std::nullopt);
    ASSERT_EQ(problems_of(check), "") << "kill " << kill;
    head = check.head;
    has_head = true;
    for (const auto& [subject, micros] : delivered) {
      ASSERT_GE(spent(ledger, AccountRole::subject, subject_id(subject)).micros(), micros) << "kill " << kill;
    }
  }
  Ledger ledger(options);
  int documents_spent = 0;
  for (const auto& [document, times] : documents) {
    EXPECT_EQ(times, 1);
    documents_spent += spent(ledger, AccountRole::document, document_id(document)) == Amount() ? 0 : 1;
  }
  EXPECT_EQ(documents_spent, static_cast<int>(documents.size()));
  const std::int64_t entries = ledger.head().count;
  fmt::print("{} kills: {} debits delivered, {} committed\n", kills, count, entries / 2);
  EXPECT_GT(count, kills);  // the children did work
  EXPECT_GE(entries, 2 * count);
  // At most the debits in flight of each killed child are spent and not delivered.
  EXPECT_LE(entries, 2 * (count + static_cast<std::int64_t>(kills) * kKilledThreads));
}

}  // namespace
}  // namespace sotto
