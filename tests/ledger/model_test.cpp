// Random interleavings of debits, lost connections, crashes and retries of several processes on one database,
// against a reference that is a few maps. The database is kept in memory and loses connections on purpose.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "ledger/chain.h"
#include "ledger/engine.h"
#include "ledger/ledger_support.h"

namespace sotto {
namespace {

using namespace test;
using ledger::AccountKey;
using ledger::Engine;
using ledger::Mac;
using ledger::StoredAnswer;
using ledger::StoredEntry;

struct Database {
  std::vector<StoredEntry> entries = {};
  std::map<Mac, StoredAnswer> answers = {};
  std::mt19937 random = {};
  int trouble_percent = 0;
  int lost = 0;
  int in_doubt = 0;
};

class MemoryStore final : public ledger::LedgerStore {
 public:
  explicit MemoryStore(Database& database) : database_(&database) {}

  std::optional<ledger::LedgerIdentity> identity() override { return std::nullopt; }
  void begin() override {
    trouble();
    entries_ = database_->entries;
    answers_ = database_->answers;
  }
  std::optional<StoredEntry> last() override {
    trouble();
    return entries_.empty() ? std::nullopt : std::optional(entries_.back());
  }
  std::optional<StoredEntry> entry(std::int64_t number) override {
    trouble();
    if (number > static_cast<std::int64_t>(entries_.size())) return std::nullopt;
    return entries_[static_cast<std::size_t>(number - 1)];
  }
  std::vector<std::optional<StoredEntry>> latest(std::span<const AccountKey> accounts) override {
    trouble();
    std::vector<std::optional<StoredEntry>> out(accounts.size());
    for (std::size_t i = 0; i < accounts.size(); ++i) {
      for (const StoredEntry& entry : entries_) {
        if (entry.account == accounts[i].account) out[i] = entry;
      }
    }
    return out;
  }
  std::optional<StoredAnswer> answer(const Mac& key) override {
    trouble();
    const auto found = answers_.find(key);
    return found == answers_.end() ? std::nullopt : std::optional(found->second);
  }
  void append(std::span<const StoredEntry> entries) override {
    trouble();
    entries_.insert(entries_.end(), entries.begin(), entries.end());
  }
  void put_answer(const StoredAnswer& answer) override {
    trouble();
    answers_[answer.key] = answer;
  }
  void delete_answers(std::int64_t expired_at) override {
    std::erase_if(answers_, [&](const auto& row) { return row.second.expires <= expired_at; });
  }
  void commit() override {
    const bool fails = is_trouble();
    const bool happens = !fails || database_->random() % 2 == 0;
    if (happens) {
      database_->entries = entries_;
      database_->answers = answers_;
    }
    if (!fails) return;
    ++database_->in_doubt;
    throw ledger::CommitInDoubt(ErrorCode::input_output, "in doubt");
  }
  void rollback() noexcept override {}
  void for_each(const std::optional<Mac>&, const std::function<void(const StoredEntry&)>& visit) override {
    for (const StoredEntry& entry : database_->entries) visit(entry);
  }

 private:
  bool is_trouble() { return static_cast<int>(database_->random() % 100) < database_->trouble_percent; }
  void trouble() {
    if (!is_trouble()) return;
    ++database_->lost;
    throw ledger::ConnectionLost(ErrorCode::input_output, "lost");
  }

  Database* database_;
  std::vector<StoredEntry> entries_;
  std::map<Mac, StoredAnswer> answers_;
};

// What a ledger should hold.
struct Reference {
  std::map<std::string, std::int64_t> spent;  // by "role id"
  std::map<std::string, std::string> answers;

  static std::string name(const Charge& charge) {
    return fmt::format("{} {}", account_role_name(charge.account.role), charge.account.id);
  }
  [[nodiscard]] bool allows(const Debit& debit) const {
    std::map<std::string, std::int64_t> now = spent;
    for (const Charge& charge : debit.charges) {
      const bool is_known = now.contains(name(charge));
      const std::int64_t total = now[name(charge)] += charge.amount.micros();
      if (charge.once && is_known) return false;
      if (charge.limit && total > charge.limit->micros()) return false;
    }
    return true;
  }
  void apply(const Debit& debit) {
    for (const Charge& charge : debit.charges) spent[name(charge)] += charge.amount.micros();
    if (debit.retry) answers[debit.retry->key] = debit.answer;
  }
};

std::map<std::string, std::int64_t> totals(const Database& database, const ledger::SecretKey& key,
                                           const std::vector<Charge>& known) {
  std::map<Mac, std::string> names;
  for (const Charge& charge : known)
    names[ledger::account_key(key, charge.account).account] = Reference::name(charge);
  std::map<std::string, std::int64_t> out;
  for (const StoredEntry& entry : database.entries) out[names.at(entry.account)] = entry.total;
  return out;
}

class Model : public ::testing::TestWithParam<int> {};

TEST_P(Model, EveryInterleavingAgreesWithTheReference) {
  const bool is_patient = GetParam() % 2 == 0;
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  Database database{.random = std::mt19937(static_cast<unsigned>(GetParam() + 1000)), .trouble_percent = 8};
  const ledger::SecretKey key(ledger::random_array<32>());
  // Two processes; either may crash (its engine is dropped) and start again.
  const auto start = [&] {
    return std::make_unique<Engine>(
        Engine::Setting{.key = key,
                        .ledger_id = "x",
                        .open = [&] { return std::make_unique<MemoryStore>(database); },
                        .now = [] { return std::int64_t{1'800'000'000}; },
                        .keep_answers = std::chrono::hours(1),
                        // Without patience every trouble reaches the caller.
                        .patience = std::chrono::milliseconds(is_patient ? 60'000 : 0)},
        nullptr);
  };
  std::unique_ptr<Engine> processes[2] = {start(), start()};
  Reference reference;
  std::vector<Charge> known;
  std::map<std::string, std::string> delivered;  // by retry key
  std::map<std::string, std::int64_t> delivered_micros;
  int unknown_outcomes = 0;
  for (int step = 0; step < 120; ++step) {
    auto& process = processes[random() % 2];
    if (random() % 10 == 0) process = start();
    Debit debit;
    debit.charges.push_back(
        random() % 2 == 0
            ? document_charge(fmt::format("d{}", random() % 40), "1.5", random() % 2 == 0 ? "3" : nullptr)
            : subject_charge(fmt::format("s{}", random() % 3), "0.3", random() % 9, "20"));
    if (random() % 2 == 0)
      debit.charges.push_back(subject_charge(fmt::format("s{}", random() % 3), "0.1", 7));
    if (random() % 2 == 0) {
      const std::string name = fmt::format("retry-key-{:06}", random() % 12);
      debit.retry = RetryKey{.sender = "", .key = name, .body = "b"};
      debit.answer = fmt::format("draw {}", step);
    }
    known.insert(known.end(), debit.charges.begin(), debit.charges.end());

    ledger::PreparedDebit prepared = ledger::prepare(key, debit);
    process->debit(prepared);
    const bool is_stored = debit.retry && reference.answers.contains(debit.retry->key);
    if (!prepared.fault) {
      if (prepared.receipt.is_replayed) {
        ASSERT_TRUE(is_stored);
        ASSERT_EQ(prepared.receipt.answer, reference.answers.at(debit.retry->key));
      } else {
        ASSERT_FALSE(is_stored);
        ASSERT_TRUE(reference.allows(debit));
        reference.apply(debit);
        for (const Charge& charge : debit.charges) {
          delivered_micros[Reference::name(charge)] += charge.amount.micros();
        }
      }
      if (debit.retry) {
        const std::string answer = prepared.receipt.is_replayed ? prepared.receipt.answer : debit.answer;
        // One retry key delivers one answer, ever.
        ASSERT_EQ(delivered.emplace(debit.retry->key, answer).first->second, answer);
      }
    } else {
      try {
        std::rethrow_exception(prepared.fault);
      } catch (const LimitReached&) {
        ASSERT_FALSE(is_stored);
        ASSERT_FALSE(reference.allows(debit));
      } catch (const Error& error) {
        // Unpatient: the debit is there whole or not at all, and nothing was delivered.
        ASSERT_FALSE(is_patient) << error.what();
        const auto now = totals(database, key, known);
        if (now != reference.spent) {
          ASSERT_TRUE(dynamic_cast<const ledger::CommitInDoubt*>(&error) != nullptr);
          reference.apply(debit);
          ++unknown_outcomes;
        }
      }
    }
    const auto now = totals(database, key, known);
    ASSERT_EQ(now, reference.spent) << "step " << step;
    for (const auto& [name, micros] : delivered_micros) ASSERT_GE(now.at(name), micros);
  }
  ledger::ChainCheck chain(key, "x", {});
  for (const StoredEntry& entry : database.entries) chain.add(entry);
  EXPECT_EQ(problems_of(chain.result()), "");
  EXPECT_GT(database.lost, 5);  // there was trouble
  EXPECT_TRUE(unknown_outcomes == 0 || !is_patient);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Model, ::testing::Range(0, 40));

}  // namespace
}  // namespace sotto
