#include "sotto/ledger.h"

#include <fmt/format.h>

#include <ctime>
#include <map>

#include "core/descriptor.h"
#include "ledger/chain.h"
#include "ledger/engine.h"
#include "ledger/key_file.h"
#include "ledger/postgres_address.h"

namespace sotto {

using ledger::LedgerIdentity;
using ledger::LedgerStore;
using ledger::PreparedDebit;
using ledger::SecretKey;
using ledger::StoredEntry;

std::string_view account_role_name(AccountRole role) {
  switch (role) {
    case AccountRole::document:
      return "document";
    case AccountRole::subject:
      return "subject";
    case AccountRole::key:
      return "key";
    case AccountRole::anonymous:
      return "anonymous";
  }
  return "unknown";
}

std::optional<Amount> Balance::remaining() const {
  return limit ? std::optional(limit->minus_down_to_zero(spent)) : std::nullopt;
}

namespace {

[[noreturn]] void refuse_missing(const ledger::StorePlace& place) {
  throw Error(ErrorCode::usage, fmt::format("there is no ledger {}", place.shown));
}

LedgerIdentity new_identity(const SecretKey& key) {
  LedgerIdentity out{.schema = ledger::kSchema, .id = ledger::hex_of(ledger::random_array<16>())};
  out.key_check = ledger::key_check(key, out.id);
  return out;
}

}  // namespace

class Ledger::Core {
 public:
  explicit Core(LedgerOptions options);

  [[nodiscard]] ledger::Engine& engine() { return *engine_; }
  [[nodiscard]] const SecretKey& key() const { return engine_->setting().key; }
  [[nodiscard]] const std::string& id() const { return engine_->setting().ledger_id; }
  [[nodiscard]] std::int64_t now() const { return engine_->setting().now(); }
  [[nodiscard]] const LedgerOptions& options() const { return options_; }
  [[nodiscard]] const std::string& name() const { return place_.shown; }
  [[nodiscard]] bool was_created() const { return was_created_; }

 private:
  SecretKey make_sqlite_file();
  SecretKey make_postgres_tables();
  // The ledger's identity, checked with the key.
  LedgerIdentity checked(LedgerStore& store, const SecretKey& key) const;
  [[nodiscard]] std::unique_ptr<LedgerStore> open() const {
    return is_postgres_ ? ledger::open_postgres(place_) : ledger::open_sqlite(place_);
  }

  LedgerOptions options_;
  bool is_postgres_;
  ledger::StorePlace place_;
  bool was_created_ = false;
  std::unique_ptr<ledger::Engine> engine_;
};

Ledger::Core::Core(LedgerOptions options)
    : options_(std::move(options)),
      is_postgres_(ledger::is_postgres(options_.location)),
      place_{.location = options_.location,
             .shown = is_postgres_ ? ledger::shown_address(options_.location) : shown(options_.location),
             .patience = options_.patience} {
  if (options_.location.empty()) {
    throw Error(ErrorCode::usage, "`ledger` needs a file name or a postgresql:// address");
  }
  const SecretKey key = is_postgres_ ? make_postgres_tables() : make_sqlite_file();
  std::unique_ptr<LedgerStore> store = open();
  const LedgerIdentity identity = checked(*store, key);
  engine_ = std::make_unique<ledger::Engine>(
      ledger::Engine::Setting{
          .key = key,
          .ledger_id = identity.id,
          .open =
              [this, key, id = identity.id] {
                std::unique_ptr<LedgerStore> again = open();
                if (checked(*again, key).id != id) {
                  throw Error(ErrorCode::bad_data,
                              fmt::format("the ledger {} was replaced by another one", name()));
                }
                return again;
              },
          .now =
              options_.clock ? options_.clock : [] { return static_cast<std::int64_t>(std::time(nullptr)); },
          .keep_answers = options_.keep_answers,
          .patience = options_.patience},
      std::move(store));
}

// 1. Nothing is there: make the key, then the ledger. 2. The ledger is there: its key must be, too. 3. Only
// the key of that name is there: the ledger was moved or removed, and starting at zero would count too
// little.
SecretKey Ledger::Core::make_sqlite_file() {
  const bool is_named = !options_.key_file.empty();
  const std::filesystem::path key_file =
      is_named ? options_.key_file : std::filesystem::path(options_.location + ".key");
  if (ledger::sqlite_exists(place_)) return ledger::read_key_file(key_file);
  if (options_.missing == LedgerOptions::Missing::refuse) refuse_missing(place_);
  std::error_code ignored;
  // Asked again: another process may have made both a moment ago.
  if (!is_named && std::filesystem::exists(key_file, ignored) && !ledger::sqlite_exists(place_)) {
    throw Error(
        ErrorCode::usage,
        fmt::format("the ledger {0} is not there, but its key is: the ledger was moved or removed. Put it "
                    "back; to start a new one at zero, give the key as `ledger-key` or remove the key",
                    place_.shown));
  }
  SecretKey key = ledger::create_key_file(key_file);  // or the one that is there
  was_created_ = ledger::create_sqlite(place_, new_identity(key));
  return key;
}

SecretKey Ledger::Core::make_postgres_tables() {
  if (options_.key_file.empty()) {
    throw Error(ErrorCode::usage, "a ledger in PostgreSQL needs `ledger-key`, the file of its key");
  }
  if (open()->identity()) return ledger::read_key_file(options_.key_file);
  if (options_.missing == LedgerOptions::Missing::refuse) refuse_missing(place_);
  SecretKey key = ledger::create_key_file(options_.key_file);
  was_created_ = ledger::create_postgres(place_, new_identity(key));
  return key;
}

LedgerIdentity Ledger::Core::checked(LedgerStore& store, const SecretKey& key) const {
  const std::optional<LedgerIdentity> found = store.identity();
  if (!found) {
    throw Error(ErrorCode::bad_data, fmt::format("the ledger {} has lost its tables", place_.shown));
  }
  if (found->schema != ledger::kSchema) {
    throw Error(
        ErrorCode::bad_data,
        fmt::format("the ledger {} has schema {}, and this version of Sotto knows schema {}: use the version "
                    "that wrote it",
                    place_.shown, found->schema, ledger::kSchema));
  }
  if (!ledger::equal_in_constant_time(found->key_check, ledger::key_check(key, found->id))) {
    throw Error(ErrorCode::usage, fmt::format("the key given is not that of the ledger {}", place_.shown));
  }
  return *found;
}

Ledger::Ledger(LedgerOptions options) : core_(std::make_unique<Core>(std::move(options))) {}
Ledger::~Ledger() = default;

Receipt Ledger::debit(const Debit& debit) {
  if (debit.charges.empty()) throw Error(ErrorCode::internal, "a debit without charges");
  PreparedDebit prepared = ledger::prepare(core_->key(), debit);
  core_->engine().debit(prepared);
  if (prepared.fault) std::rethrow_exception(prepared.fault);
  return std::move(prepared.receipt);
}

std::vector<Balance> Ledger::check(const std::vector<Charge>& charges) {
  const Debit as_debit{.charges = charges};
  const PreparedDebit prepared = ledger::prepare(core_->key(), as_debit);
  const auto latest =
      core_->engine().with_store([&](LedgerStore& store) { return store.latest(prepared.accounts); });
  std::vector<Balance> out;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    std::optional<Amount> spent;
    if (latest[i]) {
      ledger::check_entry(core_->key(), *latest[i]);
      spent = Amount::of_micros(latest[i]->total);
    }
    (void)ledger::charged(charges[i], spent);
    out.push_back(
        {.role = charges[i].account.role, .spent = spent.value_or(Amount()), .limit = charges[i].limit});
  }
  return out;
}

std::optional<std::string> Ledger::stored_answer(const RetryKey& retry) {
  const Debit as_debit{.retry = retry};
  const PreparedDebit prepared = ledger::prepare(core_->key(), as_debit);
  const auto stored =
      core_->engine().with_store([&](LedgerStore& store) { return store.answer(prepared.retry_key); });
  if (!stored || stored->expires <= core_->now()) return std::nullopt;
  return ledger::open_answer(core_->key(), retry, prepared.retry_body, *stored);
}

std::vector<AccountSummary> Ledger::accounts(const AccountQuery& query) {
  if (query.id && !query.role) throw Error(ErrorCode::internal, "an id of an account without its role");
  std::optional<ledger::Mac> owner;
  if (query.id) owner = ledger::owner_mac(core_->key(), *query.role, *query.id);
  return core_->engine().with_store([&](LedgerStore& store) {
    std::map<ledger::Mac, std::size_t> places;
    std::vector<AccountSummary> out;
    store.for_each(owner, [&](const StoredEntry& stored) {
      ledger::check_entry(core_->key(), stored);
      const LedgerEntry entry = ledger::shown_entry(stored);
      if (query.role && entry.role != *query.role) return;
      const auto [place, is_new] = places.emplace(stored.account, out.size());
      if (is_new) out.push_back({.role = entry.role, .owner = entry.owner, .scope = entry.scope});
      AccountSummary& summary = out[place->second];
      summary.spent = entry.total;
      summary.last_time = entry.time;
      ++summary.debits;
    });
    return out;
  });
}

LedgerHead Ledger::head() {
  const auto last = core_->engine().with_store([](LedgerStore& store) { return store.last(); });
  if (!last) return {.count = 0, .mac = ledger::hex_of(ledger::first_link(core_->key(), core_->id()))};
  ledger::check_entry(core_->key(), *last);
  return {.count = last->number, .mac = ledger::hex_of(last->mac)};
}

LedgerCheck Ledger::verify(const std::optional<LedgerHead>& kept) {
  return core_->engine().with_store([&](LedgerStore& store) {
    ledger::ChainCheck chain(core_->key(), core_->id(), kept);
    store.for_each({}, [&](const StoredEntry& entry) { chain.add(entry); });
    LedgerCheck check = chain.result();
    if (std::string damage = store.damage(); !damage.empty()) {
      check.problems.push_back({.entry = 0, .what = std::move(damage)});
    }
    return check;
  });
}

void Ledger::for_each_entry(const std::function<void(const LedgerEntry&)>& visit) {
  bool has_begun = false;
  core_->engine().with_store([&](LedgerStore& store) {
    // Starting again would show entries twice.
    if (has_begun) throw Error(ErrorCode::input_output, "the connection to the ledger was lost; start again");
    store.for_each({}, [&](const StoredEntry& entry) {
      has_begun = true;
      ledger::check_entry(core_->key(), entry);
      visit(ledger::shown_entry(entry));
    });
    return true;
  });
}

const LedgerOptions& Ledger::options() const noexcept {
  return core_->options();
}
bool Ledger::was_created() const noexcept {
  return core_->was_created();
}
const std::string& Ledger::name() const noexcept {
  return core_->name();
}

}  // namespace sotto
