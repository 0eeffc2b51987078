// A ledger in one SQLite file: write-ahead log, a sync for every commit, what is deleted is overwritten.
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/descriptor.h"
#include "ledger/crypto.h"
#include "ledger/key_file.h"
#include "ledger/store.h"

namespace sotto::ledger {

namespace {

constexpr int kApplicationId = 0x536f7474;  // "Sott", in the file's header

constexpr char kSqliteTables[] = R"(
CREATE TABLE ledger (schema INTEGER NOT NULL, id TEXT NOT NULL, key_check BLOB NOT NULL);
CREATE TABLE entries (
  number INTEGER PRIMARY KEY, time INTEGER NOT NULL, role INTEGER NOT NULL, owner BLOB NOT NULL,
  account BLOB NOT NULL, model TEXT NOT NULL, metric TEXT NOT NULL, kind TEXT NOT NULL,
  amount INTEGER NOT NULL, total INTEGER NOT NULL, nonce BLOB NOT NULL, before BLOB NOT NULL,
  mac BLOB NOT NULL);
CREATE INDEX entries_of_account ON entries (owner, account, number);
CREATE TABLE answers (key BLOB PRIMARY KEY, body BLOB NOT NULL, expires INTEGER NOT NULL, sealed BLOB NOT NULL)
  WITHOUT ROWID;
CREATE INDEX answers_by_time ON answers (expires);
)";

constexpr char kFromEntries[] =
    " number, time, role, owner, account, model, metric, kind, amount, total, nonce, before, mac FROM "
    "entries ";

struct Explained {
  ErrorCode kind;
  std::string what;
};

Explained explain(const StorePlace& place, int code, int system_error) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::input_output,
              fmt::format("another process holds it (waited {} ms); try again", place.patience.count())};
    case SQLITE_FULL:
      return {ErrorCode::input_output, "the disk is full; free some space"};
    case SQLITE_READONLY:
      return {ErrorCode::input_output,
              "it may not be written; give yourself write access to the file and its folder"};
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      return {ErrorCode::input_output, "it cannot be opened; its folder must exist and be writable"};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {ErrorCode::bad_data, "the file is damaged, or is no ledger; restore it from a copy"};
    case SQLITE_IOERR:
      return {ErrorCode::input_output,
              fmt::format("reading or writing failed{}{} (SQLite code {})", system_error != 0 ? ": " : "",
                          system_error != 0 ? system_message(system_error) : "", code)};
    case SQLITE_ERROR:
    case SQLITE_SCHEMA:
    case SQLITE_CONSTRAINT:
      return {ErrorCode::bad_data, "its tables are not those of a ledger; restore it from a copy"};
    default:
      return {ErrorCode::internal, fmt::format("SQLite code {}", code)};
  }
}

[[noreturn]] void sqlite_failed(const StorePlace& place, int code, int system_error = 0) {
  const Explained explained = explain(place, code, system_error);
  throw Error(explained.kind, fmt::format("the ledger {}: {}", place.shown, explained.what));
}

struct CloseDatabase {
  void operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

// A prepared statement; its values are numbered from 0.
class Statement {
 public:
  Statement(const StorePlace& place, sqlite3* database, const std::string& text)
      : place_(&place), database_(database) {
    check(sqlite3_prepare_v3(database, text.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr));
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int place, std::int64_t value) {
    check(sqlite3_bind_int64(statement_, place + 1, value));
    return *this;
  }
  Statement& bind(int place, const std::string& text) {
    check(
        sqlite3_bind_text(statement_, place + 1, text.data(), static_cast<int>(text.size()), SQLITE_STATIC));
    return *this;
  }
  template <std::size_t size>
  Statement& bind(int place, const std::array<unsigned char, size>& bytes) {
    check(sqlite3_bind_blob(statement_, place + 1, bytes.data(), size, SQLITE_STATIC));
    return *this;
  }
  Statement& bind_blob(int place, const std::string& bytes) {
    check(sqlite3_bind_blob(statement_, place + 1, bytes.data(), static_cast<int>(bytes.size()),
                            SQLITE_STATIC));
    return *this;
  }
  // True: there is a row.
  bool step() {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) {
      const int system_error = sqlite3_system_errno(database_);
      const int extended = sqlite3_extended_errcode(database_);
      sqlite3_reset(statement_);
      sqlite_failed(*place_, extended, system_error);
    }
    sqlite3_reset(statement_);
    return false;
  }
  void reset() { sqlite3_reset(statement_); }

  std::int64_t number(int place) { return sqlite3_column_int64(statement_, place); }
  std::string text(int place) {
    const void* bytes = sqlite3_column_blob(statement_, place);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, place));
    return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
  }
  // A value of another length is damage, which the chain then finds.
  template <std::size_t size>
  void read(int place, std::array<unsigned char, size>& out) {
    const std::string bytes = text(place);
    out = {};
    std::copy_n(bytes.begin(), std::min(bytes.size(), size), out.begin());
  }

 private:
  void check(int code) {
    if (code != SQLITE_OK)
      sqlite_failed(*place_, sqlite3_extended_errcode(database_), sqlite3_system_errno(database_));
  }
  const StorePlace* place_;
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
};

StoredEntry read_entry(Statement& row) {
  StoredEntry out;
  out.number = row.number(0);
  out.time = row.number(1);
  out.role = static_cast<int>(row.number(2));
  row.read(3, out.owner);
  row.read(4, out.account);
  out.model = row.text(5);
  out.metric = row.text(6);
  out.kind = row.text(7);
  out.amount = row.number(8);
  out.total = row.number(9);
  row.read(10, out.nonce);
  row.read(11, out.before);
  row.read(12, out.mac);
  return out;
}

void run(const StorePlace& place, sqlite3* database, const char* text) {
  if (sqlite3_exec(database, text, nullptr, nullptr, nullptr) != SQLITE_OK) {
    sqlite_failed(place, sqlite3_extended_errcode(database), sqlite3_system_errno(database));
  }
}

Database open_database(const StorePlace& place, const std::string& path, int more_flags) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX | more_flags, nullptr);
  Database database(raw);
  if (code != SQLITE_OK) sqlite_failed(place, code);
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, static_cast<int>(place.patience.count()));
  run(place, raw,
      "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA secure_delete = ON;"
      "PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL;");
  return database;
}

class SqliteStore final : public LedgerStore {
 public:
  explicit SqliteStore(StorePlace place)
      : place_(std::move(place)), database_(open_database(place_, place_.location, 0)) {
    if (sqlite3_db_readonly(database_.get(), "main") == 1) sqlite_failed(place_, SQLITE_READONLY);
    // Also says whether the file is a database at all.
    Statement mode(place_, database_.get(), "PRAGMA journal_mode = WAL");
    if (!mode.step() || mode.text(0) != "wal") {
      throw Error(ErrorCode::input_output,
                  fmt::format("the ledger {}: its folder does not allow a write-ahead log", place_.shown));
    }
  }

  std::optional<LedgerIdentity> identity() override {
    Statement application(place_, database_.get(), "PRAGMA application_id");
    if (!application.step() || application.number(0) != kApplicationId) sqlite_failed(place_, SQLITE_NOTADB);
    // The version first: the tables of another version may be others.
    Statement version(place_, database_.get(), "PRAGMA user_version");
    LedgerIdentity out;
    if (version.step()) out.schema = version.number(0);
    if (out.schema != kSchema) return out;
    Statement row(place_, database_.get(), "SELECT schema, id, key_check FROM ledger");
    if (!row.step()) sqlite_failed(place_, SQLITE_CORRUPT);
    out.schema = row.number(0);
    out.id = row.text(1);
    row.read(2, out.key_check);
    return out;
  }

  void begin() override {
    int has_moved = 0;
    sqlite3_file_control(database_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
    if (has_moved != 0) {
      throw Error(
          ErrorCode::input_output,
          fmt::format("the ledger {}: the file was moved or removed while it was open", place_.shown));
    }
    run(place_, database_.get(), "BEGIN IMMEDIATE");
  }

  std::optional<StoredEntry> last() override {
    return one(statement(last_, "SELECT", kFromEntries, "ORDER BY number DESC LIMIT 1"));
  }

  std::optional<StoredEntry> entry(std::int64_t number) override {
    return one(statement(entry_, "SELECT", kFromEntries, "WHERE number = ?").bind(0, number));
  }

  std::vector<std::optional<StoredEntry>> latest(std::span<const AccountKey> accounts) override {
    std::vector<std::optional<StoredEntry>> out;
    for (const AccountKey& key : accounts) {
      out.push_back(one(statement(latest_, "SELECT", kFromEntries,
                                  "WHERE owner = ? AND account = ? ORDER BY number DESC LIMIT 1")
                            .bind(0, key.owner)
                            .bind(1, key.account)));
    }
    return out;
  }

  std::optional<StoredAnswer> answer(const Mac& key) override {
    Statement& row =
        statement(answer_, "SELECT body, expires, sealed FROM answers WHERE key = ?").bind(0, key);
    if (!row.step()) return std::nullopt;
    StoredAnswer out{.key = key, .expires = row.number(1), .sealed = row.text(2)};
    row.read(0, out.body);
    row.reset();
    return out;
  }

  void append(std::span<const StoredEntry> entries) override {
    for (const StoredEntry& entry : entries) {
      statement(append_, "INSERT INTO entries VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)")
          .bind(0, entry.number)
          .bind(1, entry.time)
          .bind(2, std::int64_t{entry.role})
          .bind(3, entry.owner)
          .bind(4, entry.account)
          .bind(5, entry.model)
          .bind(6, entry.metric)
          .bind(7, entry.kind)
          .bind(8, entry.amount)
          .bind(9, entry.total)
          .bind(10, entry.nonce)
          .bind(11, entry.before)
          .bind(12, entry.mac)
          .step();
    }
  }

  void put_answer(const StoredAnswer& answer) override {
    statement(put_, "INSERT INTO answers VALUES (?,?,?,?)")
        .bind(0, answer.key)
        .bind(1, answer.body)
        .bind(2, answer.expires)
        .bind_blob(3, answer.sealed)
        .step();
  }

  void delete_answers(std::int64_t expired_at) override {
    statement(delete_, "DELETE FROM answers WHERE expires <= ?").bind(0, expired_at).step();
  }

  void commit() override { run(place_, database_.get(), "COMMIT"); }

  void rollback() noexcept override {
    for (const auto& used : {&last_, &entry_, &latest_, &answer_, &append_, &put_, &delete_}) {
      if (*used) (*used)->reset();
    }
    if (sqlite3_get_autocommit(database_.get()) == 0) {
      sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
  }

  void for_each(const std::optional<Mac>& owner,
                const std::function<void(const StoredEntry&)>& visit) override {
    Statement rows(
        place_, database_.get(),
        std::string("SELECT") + kFromEntries + (owner ? "WHERE owner = ? " : "") + "ORDER BY number");
    if (owner) rows.bind(0, *owner);
    while (rows.step()) visit(read_entry(rows));
  }

  std::string damage() override {
    Statement check(place_, database_.get(), "PRAGMA integrity_check(1)");
    if (!check.step()) return "SQLite could not check the file";
    return check.text(0) == "ok" ? "" : "SQLite finds the file damaged";
  }

 private:
  using Slot = std::unique_ptr<Statement>;

  template <typename... Texts>
  Statement& statement(Slot& slot, const Texts&... parts) {
    if (!slot) slot = std::make_unique<Statement>(place_, database_.get(), (std::string() + ... + parts));
    return *slot;
  }

  static std::optional<StoredEntry> one(Statement& statement) {
    if (!statement.step()) return std::nullopt;
    StoredEntry out = read_entry(statement);
    statement.reset();
    return out;
  }

  StorePlace place_;
  Database database_;
  Slot last_, entry_, latest_, answer_, append_, put_, delete_;  // after the database: finalised before it
};

}  // namespace

bool sqlite_exists(const StorePlace& place) {
  struct stat status {};
  if (::stat(place.location.c_str(), &status) == 0) return true;
  if (errno == ENOENT) return false;
  throw Error(ErrorCode::input_output,
              fmt::format("the ledger {} cannot be opened: {}", place.shown, system_message(errno)));
}

bool create_sqlite(const StorePlace& place, const LedgerIdentity& identity) {
  const std::string temporary = fmt::format("{}.new-{}", place.location, hex_of(random_array<6>()));
  // SQLite would make it readable for all; its -wal and -shm take the mode of the file.
  const Descriptor file(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) {
    throw Error(ErrorCode::input_output,
                fmt::format("cannot make the ledger {}: {}", place.shown, system_message(errno)));
  }
  bool is_ours = false;
  int error_number = 0;
  try {
    {
      const Database database = open_database(place, temporary, 0);
      run(place, database.get(),
          fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", kApplicationId,
                      identity.schema)
              .c_str());
      run(place, database.get(), "PRAGMA journal_mode = WAL; BEGIN IMMEDIATE;");
      run(place, database.get(), kSqliteTables);
      Statement(place, database.get(), "INSERT INTO ledger VALUES (?,?,?)")
          .bind(0, identity.schema)
          .bind(1, identity.id)
          .bind(2, identity.key_check)
          .step();
      run(place, database.get(), "COMMIT; PRAGMA wal_checkpoint(TRUNCATE);");
    }
    is_ours = ::link(temporary.c_str(), place.location.c_str()) == 0;
    error_number = errno;
  } catch (...) {
    for (const char* suffix : {"", "-wal", "-shm"}) ::unlink((temporary + suffix).c_str());
    throw;
  }
  for (const char* suffix : {"", "-wal", "-shm"}) ::unlink((temporary + suffix).c_str());
  if (!is_ours && error_number != EEXIST) {
    throw Error(ErrorCode::input_output,
                fmt::format("cannot make the ledger {}: {}", place.shown, system_message(error_number)));
  }
  sync_folder_of(place.location);
  return is_ours;
}

std::unique_ptr<LedgerStore> open_sqlite(const StorePlace& place) {
  return std::make_unique<SqliteStore>(place);
}

}  // namespace sotto::ledger
