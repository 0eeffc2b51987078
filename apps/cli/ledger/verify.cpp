// sotto ledger verify, head and export: for the auditor of a ledger.
#include <fmt/format.h>

#include <memory>

#include "api/ledger.h"
#include "cli/commands.h"
#include "cli/ledger/flags.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/flag_names.h"
#include "sotto/byte_stream.h"

namespace sotto::cli {

namespace {

constexpr char kLedgerVerifyHelp[] =
    R"(Check that no entry of a ledger was changed, removed, inserted or moved.

Usage: sotto ledger verify FILE|URL [--head COUNT:HEX] [options]

  sotto ledger verify ledger.db
  sotto ledger verify ledger.db --head 128:5be7...
  sotto ledger verify ledger.db --json)";

constexpr char kLedgerVerifyNotes[] =
    R"(Each entry carries an HMAC of itself and of all entries before it.

Entries that were cut off at the end leave a shorter ledger that is valid in itself. Note the answer of
`sotto ledger head` now and then, in a place that others cannot change, and give it as --head.
Whoever has the key can write a new chain; an old head shows that, too.

Exit code 0: untouched; 1: changed.

Read next: docs/ledger.md)";

constexpr char kHeadHelp[] =
    R"(Print COUNT:HEX of a ledger; kept elsewhere, it shows later that no entry was cut off.

Usage: sotto ledger head FILE|URL [options]

  sotto ledger head ledger.db >> heads.txt
  sotto ledger head ledger.db
  sotto ledger head ledger.db --json)";

constexpr char kHeadNotes[] =
    R"(COUNT is the number of entries of the ledger, HEX the HMAC of the last one.

Read next: docs/ledger.md)";

constexpr char kExportHelp[] =
    R"(Write every entry of a ledger as a line of JSON, identifiers as HMACs.

Usage: sotto ledger export FILE|URL [-o FILE] [options]

  sotto ledger export ledger.db -o entries.jsonl
  sotto ledger export ledger.db > entries.jsonl
  sotto ledger export ledger.db --ledger-key safe/ledger.key -o entries.jsonl)";

constexpr char kExportNotes[] =
    R"(A line has number, time, account, amount, the account's total and an HMAC. Identifiers are not
in a ledger, so they are not in the export.

Read next: docs/ledger.md)";

std::string to_text(const api::LedgerVerifyAnswer& answer) {
  std::string out;
  for (const LedgerProblem& problem : answer.check.problems) {
    out +=
        problem.entry == 0 ? problem.what + "\n" : fmt::format("entry {}: {}\n", problem.entry, problem.what);
  }
  return out + with_flags(answer.verdict()) + "\n";
}

}  // namespace

int run_ledger_verify(Words words) {
  std::string ledger;
  std::string key;
  std::string head;
  bool json = false;
  CommandLine line("ledger verify", kLedgerVerifyHelp);
  line.text("ledger", ledger, "FILE", "");
  line.text("--ledger-key", key, "FILE", kLedgerKeyHelp);
  line.text("--head", head, "COUNT:HEX", "what `sotto ledger head` printed earlier");
  line.flag("--json", json, kJsonHelp);
  line.footer(kLedgerVerifyNotes);
  if (line.parse(words) == CommandLine::Outcome::helped) return kDone;
  api::LedgerVerifyRequest request;
  if (!head.empty()) request.head = LedgerHead::parse(head);
  request.ledger = open_existing_ledger(ledger, key);
  const api::LedgerVerifyAnswer answer = api::verify_ledger(request);
  if (json) {
    print_answer(api::to_json(answer));
  } else {
    print(to_text(answer));
  }
  return answer.holds() ? kDone : kAnswerIsNo;
}

int run_ledger_head(Words words) {
  std::string ledger;
  std::string key;
  bool json = false;
  CommandLine line("ledger head", kHeadHelp);
  line.footer(kHeadNotes);
  line.text("ledger", ledger, "FILE", "");
  line.text("--ledger-key", key, "FILE", kLedgerKeyHelp);
  line.flag("--json", json, kJsonHelp);
  if (line.parse(words) == CommandLine::Outcome::helped) return kDone;
  const api::LedgerHeadAnswer answer = api::head_of_ledger(*open_existing_ledger(ledger, key));
  if (json) {
    print_answer(api::to_json(answer));
  } else {
    print(answer.head.text() + "\n");
  }
  return kDone;
}

int run_ledger_export(Words words) {
  std::string ledger;
  std::string key;
  std::string output = "-";
  bool force = false;
  CommandLine line("ledger export", kExportHelp);
  line.footer(kExportNotes);
  line.text("ledger", ledger, "FILE", "");
  line.text("-o,--output", output, "FILE", "where to (default: standard output)");
  line.text("--ledger-key", key, "FILE", kLedgerKeyHelp);
  line.flag("--force", force, "replace an existing file");
  if (line.parse(words) == CommandLine::Outcome::helped) return kDone;
  const std::shared_ptr<Ledger> opened = open_existing_ledger(ledger, key);
  const std::unique_ptr<ByteSink> sink = open_sink(output, force ? Overwrite::replace : Overwrite::refuse);
  api::export_ledger(*opened, *sink);
  sink->finish();
  return kDone;
}

}  // namespace sotto::cli
