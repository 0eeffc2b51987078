// The ledger in a real PostgreSQL, which the test starts in a temporary folder on a socket of its own.
// Skipped with a line where PostgreSQL is not installed (make deps-ledger).
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <random>
#include <thread>

#include "ledger/ledger_support.h"

namespace sotto {
namespace {

using ::testing::HasSubstr;
using namespace test;

// Debian keeps the server's programs out of the PATH. Empty: not installed.
std::string server_programs() {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
    const std::filesystem::path bin = version.path() / "bin";
    if (std::filesystem::exists(bin / "initdb", ignored)) found.push_back(bin.string());
  }
  std::ranges::sort(found);
  return found.empty() ? "" : found.back();
}

// PostgreSQL refuses to run as root; then a system user runs it.
class Server {
 public:
  explicit Server(std::string programs) : programs_(std::move(programs)) {
    ::chmod(folder_.path().c_str(), 0777);
    user_ = ::geteuid() != 0 ? "" : ::getpwnam("postgres") != nullptr ? "postgres" : "nobody";
    is_running_ =
        run("initdb", "-A trust -U tester -E UTF8 --no-locale --no-sync -D \"$data\"") == 0 && start() == 0;
  }
  ~Server() { stop("immediate"); }

  [[nodiscard]] bool is_running() const { return is_running_; }
  int start() {
    return run("pg_ctl", fmt::format("-D \"$data\" -w -l {0}/log -o \"-c listen_addresses= -k {0}\" start",
                                     folder_.path().string()));
  }
  int stop(const std::string& mode) { return run("pg_ctl", "-D \"$data\" -w -m " + mode + " stop"); }
  int statement(const std::string& text) {
    return run("psql",
               fmt::format("-q -h {} -U tester -d postgres -c \"{}\"", folder_.path().string(), text));
  }
  // Ends every connection but its own, as a network does.
  void cut_connections() {
    statement("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sotto'");
  }
  [[nodiscard]] std::string address() const {
    return fmt::format("postgresql:///postgres?host={}&user=tester", folder_.path().string());
  }
  [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }

 private:
  int run(const std::string& program, const std::string& arguments) {
    const std::string command = fmt::format(
        "cd / && data={}/data && {}{}/{} {} >/dev/null 2>&1", folder_.path().string(),
        user_.empty() ? "" : "setpriv --reuid=" + user_ + " --regid=" + user_group() + " --clear-groups ",
        programs_, program, arguments);
    return std::system(command.c_str());  // NOLINT(bugprone-command-processor): programs of PostgreSQL
  }
  [[nodiscard]] std::string user_group() const { return user_ == "nobody" ? "nogroup" : user_; }

  TemporaryFolder folder_;
  std::string programs_;
  std::string user_;
  bool is_running_ = false;
};

class Postgres : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string programs = server_programs();
    if (programs.empty()) GTEST_SKIP() << "PostgreSQL is not installed; `make deps-ledger` installs it";
    server_ = std::make_unique<Server>(programs);
    ASSERT_TRUE(server_->is_running()) << contents(server_->folder() / "log");
  }
  LedgerOptions options() {
    return {.location = server_->address(), .key_file = keys_ / "key", .patience = std::chrono::seconds(20)};
  }

  TemporaryFolder keys_;
  std::unique_ptr<Server> server_;
};

TEST_F(Postgres, CountsRefusesRepeatsAndVerifies) {
  Ledger ledger(options());
  EXPECT_TRUE(ledger.was_created());
  EXPECT_THAT(ledger.name(), ::testing::Not(HasSubstr("tester")));
  ledger.debit({.charges = {document_charge("a", "2"), subject_charge("canary-patient", "0.5", 10)}});
  EXPECT_THROW(
      ledger.debit({.charges = {subject_charge("canary-patient", "1", 1), document_charge("a", "2")}}),
      LimitReached);
  EXPECT_EQ(spent(ledger, AccountRole::subject, "canary-patient").text(), "5.000000");
  const Debit with_retry{.charges = {subject_charge("q", "1", 1)},
                         .retry = RetryKey{.sender = "", .key = "0123456789abcdef", .body = "b"},
                         .answer = std::string("bytes \0 and more", 16)};
  EXPECT_FALSE(ledger.debit(with_retry).is_replayed);
  EXPECT_EQ(ledger.debit(with_retry).answer, with_retry.answer);
  // More charges than go into one statement.
  Debit many;
  for (int i = 0; i < 2500; ++i) many.charges.push_back(document_charge(fmt::format("m{}", i), "1"));
  EXPECT_EQ(ledger.debit(many).balances.size(), 2500U);
  EXPECT_THROW(ledger.debit({.charges = {document_charge("m2499", "1")}}), LimitReached);
  const LedgerHead head = ledger.head();
  EXPECT_EQ(head.count, 2503);
  EXPECT_EQ(problems_of(ledger.verify(head)), "");
  EXPECT_EQ(ledger.accounts().size(), 2503U);

  EXPECT_FALSE(Ledger(options()).was_created());
  LedgerOptions wrong = options();
  wrong.key_file = keys_ / "other";
  put(wrong.key_file, "sotto-ledger-key-1 " + std::string(64, 'a') + "\n");
  ::chmod(wrong.key_file.c_str(), 0600);
  EXPECT_THAT(refusal(ErrorCode::usage, [&] { Ledger other(wrong); }),
              HasSubstr("is not that of the ledger"));
  wrong.key_file.clear();
  EXPECT_THAT(refusal(ErrorCode::usage, [&] { Ledger other(wrong); }), HasSubstr("`ledger-key`"));
}

TEST_F(Postgres, TamperingIsFound) {
  {
    Ledger ledger(options());
    for (int i = 0; i < 8; ++i) ledger.debit({.charges = {subject_charge("p", "1", 3)}});
  }
  const LedgerHead head = Ledger(options()).head();
  const auto verify = [&] { return problems_of(Ledger(options()).verify(head)); };
  EXPECT_EQ(verify(), "");
  server_->statement("UPDATE sotto_entries SET amount = 1 WHERE number = 4");
  EXPECT_THAT(verify(), HasSubstr("4: it was changed"));
  server_->statement("DELETE FROM sotto_entries WHERE number = 4");
  EXPECT_THAT(verify(), HasSubstr("5: entry 4 before it was removed"));
  server_->statement("DELETE FROM sotto_entries WHERE number > 3");
  EXPECT_THAT(verify(), HasSubstr("the tail was cut"));
  server_->statement("UPDATE sotto_ledger SET schema = 2");
  EXPECT_THAT(refusal(ErrorCode::bad_data, verify), HasSubstr("has schema 2"));
  server_->statement("DROP TABLE sotto_entries");
  server_->statement("UPDATE sotto_ledger SET schema = 1");
  refusal(ErrorCode::bad_data, verify);
}

// A process that debits one subject and delivers through a pipe until it is killed, or `most` times. It
// writes one byte to `ready`, unless that is -1, when its ledger is open.
pid_t start_process(const LedgerOptions& options, int pipe, int most, unsigned seed, int ready = -1) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  int status = 0;
  try {
    Ledger ledger(options);
    if (ready >= 0 && ::write(ready, "r", 1) != 1) ::_exit(3);
    std::atomic<int> left = most;
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 random(seed * 4 + t);
        while (left.fetch_sub(1) > 0) {
          const Charge charge = subject_charge("p", "0.7", 1 + random() % 50);
          try {
            ledger.debit({.charges = {charge}});
          } catch (const Error& error) {
            fmt::print(stderr, "process: {}\n", error.what());
            ::_exit(2);
          }
          const std::int64_t micros = charge.amount.micros();
          if (::write(pipe, &micros, sizeof micros) != sizeof micros) ::_exit(3);
        }
      });
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "process: {}\n", error.what());
    status = 2;
  }
  ::_exit(status);
}

struct Delivered {
  std::int64_t micros = 0;
  std::int64_t count = 0;
};

// Until the writers have gone.
Delivered drain(int pipe) {
  Delivered out;
  for (std::int64_t micros = 0; ::read(pipe, &micros, sizeof micros) == sizeof micros; ++out.count)
    out.micros += micros;
  ::close(pipe);
  return out;
}

TEST_F(Postgres, TwoProcessesOnOneLedgerOneKilledAgainAndAgain) {
  { Ledger make(options()); }
  constexpr int kKills = 15;
  constexpr int kSteady = 400;
  int ends[2] = {};
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);  // the server must not inherit it
  const pid_t steady = start_process(options(), ends[1], kSteady, 1000);
  std::mt19937 random(5);
  for (unsigned kill = 0; kill < kKills; ++kill) {
    const pid_t victim = start_process(options(), ends[1], 1'000'000, kill);
    std::this_thread::sleep_for(std::chrono::milliseconds(50 + random() % 200));
    ::kill(victim, SIGKILL);
    ::waitpid(victim, nullptr, 0);
  }
  int status = 0;
  ::waitpid(steady, &status, 0);
  EXPECT_EQ(status, 0);
  ::close(ends[1]);
  const Delivered delivered = drain(ends[0]);
  Ledger ledger(options());
  const std::int64_t entries = ledger.head().count;
  fmt::print("{} kills: {} debits delivered, {} committed\n", kKills, delivered.count, entries);
  EXPECT_GE(delivered.count, kSteady);
  EXPECT_GE(entries, delivered.count);
  EXPECT_LE(entries, delivered.count + std::int64_t{kKills} * 4);
  EXPECT_GE(spent(ledger, AccountRole::subject, "p").micros(), delivered.micros);
  EXPECT_EQ(problems_of(ledger.verify()), "");
}

// Nothing is lost and nothing is debited twice: what was delivered is exactly what was spent.
TEST_F(Postgres, LostConnectionsAndRestartsUnderLoadCountExactly) {
  { Ledger make(options()); }
  int ends[2] = {};
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);  // the server must not inherit it
  constexpr int kEach = 400;
  int opened[2] = {};
  ASSERT_EQ(::pipe2(opened, O_CLOEXEC), 0);
  const pid_t processes[] = {start_process(options(), ends[1], kEach, 1, opened[1]),
                             start_process(options(), ends[1], kEach, 2, opened[1])};
  ::close(opened[1]);
  // Only debits wait for a lost connection: on a busy machine a process that still opens its ledger would end
  // here.
  for (std::size_t i = 0; i < std::size(processes); ++i) {
    char byte = 0;
    ASSERT_EQ(::read(opened[0], &byte, 1), 1);
  }
  ::close(opened[0]);
  for (int round = 0; round < 6; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    server_->cut_connections();
  }
  for (const char* mode : {"fast", "immediate"}) {
    server_->stop(mode);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ASSERT_EQ(server_->start(), 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  for (const pid_t process : processes) {
    int status = 0;
    ::waitpid(process, &status, 0);
    EXPECT_EQ(status, 0);
  }
  ::close(ends[1]);
  const Delivered delivered = drain(ends[0]);
  Ledger ledger(options());
  EXPECT_EQ(delivered.count, 2 * kEach);
  EXPECT_EQ(ledger.head().count, 2 * kEach);
  EXPECT_EQ(spent(ledger, AccountRole::subject, "p").micros(), delivered.micros);
  EXPECT_EQ(problems_of(ledger.verify()), "");
}

TEST_F(Postgres, AServerThatIsAwayReleasesNothing) {
  LedgerOptions impatient = options();
  // Each refusal below takes this long; the debit after the restart must find the server within it, on a busy
  // machine too.
  impatient.patience = std::chrono::seconds(2);
  Ledger ledger(impatient);
  ledger.debit({.charges = {subject_charge("p", "1", 1)}});
  server_->stop("fast");
  const auto debit = [&] { ledger.debit({.charges = {subject_charge("p", "1", 1)}}); };
  EXPECT_THAT(refusal(ErrorCode::input_output, debit), HasSubstr("connection"));
  EXPECT_THAT(refusal(ErrorCode::input_output, [&] { Ledger other(impatient); }), HasSubstr("no connection"));
  ASSERT_EQ(server_->start(), 0);
  debit();
  EXPECT_EQ(ledger.head().count, 2);
}

// Only debits wait for a database that went away. Opening one that is not there must not use its hour.
TEST(PostgresAddress, OpeningAMissingDatabaseDoesNotWait) {
  const TemporaryFolder folder;
  const std::string message = refusal(ErrorCode::input_output, [&] {
    Ledger ledger({.location = fmt::format("postgresql:///db?host={}", folder.path().string()),
                   .key_file = folder / "key",
                   .patience = std::chrono::hours(1)});
  });
  EXPECT_THAT(message, HasSubstr("no connection"));
}

TEST(PostgresAddress, PasswordsAreNoticedAndNeverShown) {
  EXPECT_TRUE(has_password("postgresql://u:canary@host/db"));
  EXPECT_TRUE(has_password("postgresql://host/db?password=canary"));
  EXPECT_FALSE(has_password("postgresql://u@host/db"));
  EXPECT_FALSE(has_password("ledger.db"));
  const TemporaryFolder folder;
  const std::string message = refusal(ErrorCode::input_output, [&] {
    Ledger ledger({.location = fmt::format("postgresql://u:canary@/db?host={}", folder.path().string()),
                   .key_file = folder / "key",
                   .patience = std::chrono::milliseconds(10)});
  });
  EXPECT_THAT(message, ::testing::Not(HasSubstr("canary")));
  EXPECT_THAT(refusal(ErrorCode::usage, [&] { Ledger ledger({.location = "postgresql://u:canary@[/"}); }),
              ::testing::Not(HasSubstr("canary")));
}

}  // namespace
}  // namespace sotto
