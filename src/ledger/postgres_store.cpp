// A ledger in PostgreSQL, for several servers. One row is locked for the time of a transaction, so writers of
// all processes take turns, and each sees all that was committed before (READ COMMITTED: the snapshot of a
// statement is taken after the lock). The primary key forbids a second entry of one number whatever happens.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "ledger/crypto.h"
#include "ledger/libpq.h"
#include "ledger/store.h"

namespace sotto::ledger {

namespace {

constexpr std::int64_t kCreationLock = 0x536f74746f;  // an advisory lock: "Sotto"
constexpr std::size_t kRowsAtATime = 1000;

constexpr char kPostgresTables[] = R"(
CREATE TABLE sotto_ledger (schema bigint NOT NULL, id text NOT NULL, key_check bytea NOT NULL);
CREATE TABLE sotto_entries (
  number bigint PRIMARY KEY, time bigint NOT NULL, role integer NOT NULL, owner bytea NOT NULL,
  account bytea NOT NULL, model text NOT NULL, metric text NOT NULL, kind text NOT NULL,
  amount bigint NOT NULL, total bigint NOT NULL, nonce bytea NOT NULL, before bytea NOT NULL, mac bytea NOT NULL);
CREATE INDEX sotto_entries_of_account ON sotto_entries (owner, account, number);
CREATE TABLE sotto_answers (key bytea PRIMARY KEY, body bytea NOT NULL, expires bigint NOT NULL,
  sealed bytea NOT NULL);
CREATE INDEX sotto_answers_by_time ON sotto_answers (expires);
)";
constexpr char kColumns[] =
    "number, time, role, owner, account, model, metric, kind, amount, total, nonce, before, mac";
constexpr int kColumnCount = 13;

struct ClearResult {
  void operator()(PGresult* result) const noexcept { libpq().clear(result); }
};
using Result = std::unique_ptr<PGresult, ClearResult>;
struct CloseConnection {
  void operator()(PGconn* connection) const noexcept { libpq().finish(connection); }
};
using Connection = std::unique_ptr<PGconn, CloseConnection>;

using Texts = std::vector<std::string>;

std::int64_t number_of(const PGresult* result, int row, int column) {
  const std::string_view text = libpq().value(result, row, column);
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string text_of(const PGresult* result, int row, int column) {
  return {libpq().value(result, row, column), static_cast<std::size_t>(libpq().length(result, row, column))};
}

// "\x0a0b" as the server writes bytes.
std::string bytes_of(const PGresult* result, int row, int column) {
  std::size_t size = 0;
  unsigned char* raw = libpq().unescape_bytes(
      reinterpret_cast<const unsigned char*>(libpq().value(result, row, column)), &size);
  std::string out(reinterpret_cast<const char*>(raw), raw == nullptr ? 0 : size);
  libpq().free_memory(raw);
  return out;
}

template <std::size_t size>
void read(const PGresult* result, int row, int column, std::array<unsigned char, size>& out) {
  const std::string bytes = bytes_of(result, row, column);
  out = {};
  std::copy_n(bytes.begin(), std::min(bytes.size(), size), out.begin());
}

StoredEntry entry_of(const PGresult* result, int row, int first = 0) {
  StoredEntry out;
  out.number = number_of(result, row, first);
  out.time = number_of(result, row, first + 1);
  out.role = static_cast<int>(number_of(result, row, first + 2));
  read(result, row, first + 3, out.owner);
  read(result, row, first + 4, out.account);
  out.model = text_of(result, row, first + 5);
  out.metric = text_of(result, row, first + 6);
  out.kind = text_of(result, row, first + 7);
  out.amount = number_of(result, row, first + 8);
  out.total = number_of(result, row, first + 9);
  read(result, row, first + 10, out.nonce);
  read(result, row, first + 11, out.before);
  read(result, row, first + 12, out.mac);
  return out;
}

template <std::size_t size>
std::string as_bytes(const std::array<unsigned char, size>& bytes) {
  return "\\x" + hex_of(bytes);
}

// "($1,$2,$3),($4,$5,$6)"
std::string places(std::size_t rows, int columns, std::string_view type = "") {
  std::string out;
  int next = 1;
  for (std::size_t row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      out += fmt::format("{}${}{}", column > 0 ? "," : row > 0 ? "),(" : "(", next++, type);
    }
  }
  return out + ")";
}

class PostgresStore final : public LedgerStore {
 public:
  explicit PostgresStore(StorePlace place) : place_(std::move(place)) {
    const auto milliseconds = std::to_string(place_.patience.count());
    const auto seconds = std::to_string(std::max<std::int64_t>(2, place_.patience.count() / 1000));
    const char* const names[] = {"dbname",          "connect_timeout",  "fallback_application_name",
                                 "client_encoding", "tcp_user_timeout", nullptr};
    const char* const values[] = {place_.location.c_str(), seconds.c_str(), "sotto", "UTF8",
                                  milliseconds.c_str(),    nullptr};
    connection_.reset(libpq().connect(names, values, 1));
    if (libpq().status(connection_.get()) != CONNECTION_OK) {
      // libpq's message names host and user, never the password; but it is the server's text, so it is not
      // shown.
      throw ConnectionLost(
          ErrorCode::input_output,
          fmt::format("the ledger {}: no connection to the database; check address, user, password "
                      "(PGPASSFILE) and that the server runs",
                      place_.shown));
    }
    libpq().set_notice_processor(
        connection_.get(), [](void*, const char*) {}, nullptr);
    // Whatever the server's defaults are: a commit that returns is on its disk.
    run("SET synchronous_commit = on");
    run("SET bytea_output = hex");
    run(fmt::format("SET lock_timeout = {}", std::max<std::int64_t>(1, place_.patience.count())));
  }

  std::optional<LedgerIdentity> identity() override {
    if (text_of(run("SELECT to_regclass('sotto_ledger') IS NOT NULL").get(), 0, 0) != "t")
      return std::nullopt;
    const Result rows = run("SELECT schema, id, key_check FROM sotto_ledger");
    if (libpq().rows(rows.get()) != 1) {
      throw Error(ErrorCode::bad_data, fmt::format("the ledger {}: its tables are damaged", place_.shown));
    }
    LedgerIdentity out{.schema = number_of(rows.get(), 0, 0), .id = text_of(rows.get(), 0, 1)};
    read(rows.get(), 0, 2, out.key_check);
    return out;
  }

  // False: there was one already.
  bool create(const LedgerIdentity& identity) {
    run("BEGIN");
    try {
      run(fmt::format("SELECT pg_advisory_xact_lock({})", kCreationLock));
      if (this->identity()) {
        rollback();
        return false;
      }
      run(kPostgresTables);
      run("INSERT INTO sotto_ledger VALUES ($1,$2,$3)",
          {std::to_string(identity.schema), identity.id, as_bytes(identity.key_check)});
      run("COMMIT");
    } catch (...) {
      rollback();
      throw;
    }
    return true;
  }

  void begin() override {
    // One round trip; each of the two statements has a snapshot of its own.
    try {
      run("BEGIN ISOLATION LEVEL READ COMMITTED; SELECT 1 FROM sotto_ledger FOR UPDATE");
    } catch (...) {
      rollback();
      throw;
    }
  }

  std::optional<StoredEntry> last() override {
    return one(run(fmt::format("SELECT {} FROM sotto_entries ORDER BY number DESC LIMIT 1", kColumns)));
  }

  std::optional<StoredEntry> entry(std::int64_t number) override {
    return one(run(fmt::format("SELECT {} FROM sotto_entries WHERE number = $1", kColumns),
                   {std::to_string(number)}));
  }

  std::vector<std::optional<StoredEntry>> latest(std::span<const AccountKey> accounts) override {
    std::vector<std::optional<StoredEntry>> out(accounts.size());
    for (std::size_t begin = 0; begin < accounts.size(); begin += kRowsAtATime) {
      const auto part = accounts.subspan(begin, std::min(kRowsAtATime, accounts.size() - begin));
      Texts values;
      for (const AccountKey& key : part) {
        values.push_back(as_bytes(key.owner));
        values.push_back(as_bytes(key.account));
      }
      const Result rows = run(
          fmt::format(
              "SELECT e.* FROM (VALUES {}) AS k (owner, account) CROSS JOIN LATERAL (SELECT {} FROM "
              "sotto_entries s WHERE s.owner = k.owner AND s.account = k.account ORDER BY number DESC LIMIT "
              "1) AS e",
              places(part.size(), 2, "::bytea"), kColumns),
          values);
      for (int row = 0; row < libpq().rows(rows.get()); ++row) {
        StoredEntry found = entry_of(rows.get(), row);
        for (std::size_t i = 0; i < part.size(); ++i) {
          if (part[i].account == found.account && part[i].owner == found.owner) out[begin + i] = found;
        }
      }
    }
    return out;
  }

  std::optional<StoredAnswer> answer(const Mac& key) override {
    const Result rows =
        run("SELECT body, expires, sealed FROM sotto_answers WHERE key = $1", {as_bytes(key)});
    if (libpq().rows(rows.get()) == 0) return std::nullopt;
    StoredAnswer out{
        .key = key, .expires = number_of(rows.get(), 0, 1), .sealed = bytes_of(rows.get(), 0, 2)};
    read(rows.get(), 0, 0, out.body);
    return out;
  }

  void append(std::span<const StoredEntry> entries) override {
    for (std::size_t begin = 0; begin < entries.size(); begin += kRowsAtATime) {
      const auto part = entries.subspan(begin, std::min(kRowsAtATime, entries.size() - begin));
      Texts values;
      for (const StoredEntry& entry : part) {
        for (std::string text :
             {std::to_string(entry.number), std::to_string(entry.time), std::to_string(entry.role),
              as_bytes(entry.owner), as_bytes(entry.account), entry.model, entry.metric, entry.kind,
              std::to_string(entry.amount), std::to_string(entry.total), as_bytes(entry.nonce),
              as_bytes(entry.before), as_bytes(entry.mac)}) {
          values.push_back(std::move(text));
        }
      }
      run(fmt::format("INSERT INTO sotto_entries VALUES {}", places(part.size(), kColumnCount)), values);
    }
  }

  void put_answer(const StoredAnswer& answer) override {
    run("INSERT INTO sotto_answers VALUES ($1,$2,$3,$4)",
        {as_bytes(answer.key), as_bytes(answer.body), std::to_string(answer.expires),
         "\\x" + hex_of(answer.sealed)});
  }

  void delete_answers(std::int64_t expired_at) override {
    run("DELETE FROM sotto_answers WHERE expires <= $1", {std::to_string(expired_at)});
  }

  void commit() override {
    const Result result(libpq().execute(connection_.get(), "COMMIT"));
    const bool is_done = libpq().result_status(result.get()) == PGRES_COMMAND_OK;
    if (libpq().status(connection_.get()) != CONNECTION_OK ||
        (!is_done && is_lost(sql_state(result.get())))) {
      throw CommitInDoubt(
          ErrorCode::input_output,
          fmt::format("the ledger {}: the connection was lost during a commit. Nothing was released, "
                      "but the debit may have been counted",
                      place_.shown));
    }
    if (!is_done) fail(result.get());
    // A transaction that had failed ends here with another word.
    if (std::string_view(libpq().command_status(result.get())) != "COMMIT") {
      throw Error(ErrorCode::internal, "the ledger's transaction was rolled back instead of committed");
    }
  }

  void rollback() noexcept override { Result(libpq().execute(connection_.get(), "ROLLBACK")); }

  void for_each(const std::optional<Mac>& owner,
                const std::function<void(const StoredEntry&)>& visit) override {
    run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    try {
      run(fmt::format("DECLARE rows NO SCROLL CURSOR FOR SELECT {} FROM sotto_entries {} ORDER BY number",
                      kColumns, owner ? fmt::format("WHERE owner = '{}'", as_bytes(*owner)) : ""));
      for (;;) {
        const Result rows = run("FETCH 2000 FROM rows");
        if (libpq().rows(rows.get()) == 0) break;
        for (int row = 0; row < libpq().rows(rows.get()); ++row) visit(entry_of(rows.get(), row));
      }
    } catch (...) {
      rollback();
      throw;
    }
    run("COMMIT");
  }

 private:
  static std::optional<StoredEntry> one(const Result& rows) {
    return libpq().rows(rows.get()) == 0 ? std::nullopt : std::optional(entry_of(rows.get(), 0));
  }

  // One statement with values, or several without.
  Result run(const std::string& text, const Texts& values = {}) {
    std::vector<const char*> raw;
    for (const std::string& value : values) raw.push_back(value.c_str());
    Result result(values.empty()
                      ? libpq().execute(connection_.get(), text.c_str())
                      : libpq().execute_with(connection_.get(), text.c_str(), static_cast<int>(raw.size()),
                                             nullptr, raw.data(), nullptr, nullptr, 0));
    const ExecStatusType status = libpq().result_status(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail(result.get());
    return result;
  }

  static std::string_view sql_state(const PGresult* result) {
    const char* state = result == nullptr ? nullptr : libpq().error_field(result, PG_DIAG_SQLSTATE);
    return state == nullptr ? "" : state;
  }

  // Every error of the server has a state. One without is libpq's own: it could not send or receive, and the
  // status of the connection may still be good then (libpq 15 after a failed send).
  static bool is_lost(std::string_view state) {
    return state.empty() || state.starts_with("08") || state.starts_with("57P");
  }

  [[noreturn]] void fail(const PGresult* result) {
    const std::string_view state = sql_state(result);
    const auto message = [&](std::string_view what) {
      return fmt::format("the ledger {}: {}", place_.shown, what);
    };
    const bool try_again = is_lost(state) || state.starts_with("40");
    if (libpq().status(connection_.get()) != CONNECTION_OK || try_again) {
      throw ConnectionLost(ErrorCode::input_output, message("the connection to the database was lost"));
    }
    if (state == "55P03") {
      throw Error(ErrorCode::input_output, message("another process holds it; try again"));
    }
    if (state.starts_with("53")) {
      throw Error(ErrorCode::input_output,
                  message("the database server is out of disk, memory or connections"));
    }
    if (state == "25006" || state == "42501") {
      throw Error(ErrorCode::input_output, message("the database does not allow this user to write"));
    }
    if (state.starts_with("42") || state.starts_with("XX") || state.starts_with("23")) {
      throw Error(ErrorCode::bad_data,
                  message(fmt::format("its tables are damaged or not a ledger's ({})", state)));
    }
    throw Error(ErrorCode::input_output,
                message(fmt::format("the database refused a statement ({})", state)));
  }

  StorePlace place_;
  Connection connection_;
};

}  // namespace

bool create_postgres(const StorePlace& place, const LedgerIdentity& identity) {
  return PostgresStore(place).create(identity);
}

std::unique_ptr<LedgerStore> open_postgres(const StorePlace& place) {
  return std::make_unique<PostgresStore>(place);
}

}  // namespace sotto::ledger
