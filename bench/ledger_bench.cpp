// Debits a second, committed and on disk: a SQLite file in a temporary folder, and PostgreSQL if
// SOTTO_BENCH_POSTGRES holds its address and SOTTO_BENCH_POSTGRES_KEY the file of its key (bench/postgres.py
// starts a server). Each debit charges a document and a subject.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "sotto/ledger.h"

namespace sotto {
namespace {

std::unique_ptr<Ledger> ledger;
std::filesystem::path folder;
std::atomic<std::uint64_t> next_document;

Debit next_debit() {
  const AccountScope scope{.model = std::string(64, 'a'), .metric = "euclidean", .kind = "words"};
  const std::uint64_t number = next_document.fetch_add(1);
  return {
      .charges = {
          {.account = {.role = AccountRole::document, .id = fmt::format("letter {}", number), .scope = scope},
           .amount = Amount::charge(2, 1),
           .once = true},
          {.account = {.role = AccountRole::subject,
                       .id = fmt::format("patient {}", number % 1000),
                       .scope = scope},
           .amount = Amount::charge(2, 100)}}};
}

// An empty location: a file of its own.
void open_ledger(const std::string& location) {
  std::string name = (std::filesystem::temp_directory_path() / "sotto-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  folder = name;
  const char* key = std::getenv("SOTTO_BENCH_POSTGRES_KEY");
  ledger = std::make_unique<Ledger>(
      LedgerOptions{.location = location.empty() ? (folder / "ledger.db").string() : location,
                    .key_file = location.empty() || key == nullptr ? "" : key});
}

void close_ledger(const benchmark::State& /*state*/) {
  ledger.reset();
  std::filesystem::remove_all(folder);
}

void debits(benchmark::State& state) {
  for ([[maybe_unused]] const auto _ : state) benchmark::DoNotOptimize(ledger->debit(next_debit()));
  state.SetItemsProcessed(state.iterations());
}

void sqlite_debits(benchmark::State& state) {
  debits(state);
}
BENCHMARK(sqlite_debits)
    ->Setup([](const benchmark::State&) { open_ledger(""); })
    ->Teardown(close_ledger)
    ->Threads(1)
    ->Threads(32)
    ->MinTime(2)
    ->UseRealTime();

void postgres_debits(benchmark::State& state) {
  if (!ledger) {
    state.SkipWithError("SOTTO_BENCH_POSTGRES is not set");
    return;
  }
  debits(state);
}
BENCHMARK(postgres_debits)
    ->Setup([](const benchmark::State&) {
      if (const char* address = std::getenv("SOTTO_BENCH_POSTGRES")) open_ledger(address);
    })
    ->Teardown(close_ledger)
    ->Threads(1)
    ->Threads(32)
    ->MinTime(2)
    ->UseRealTime();

}  // namespace
}  // namespace sotto

BENCHMARK_MAIN();
