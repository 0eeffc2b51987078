// sotto columns: the names of the columns of a file, on request only.
#include <fmt/format.h>

#include "api/columns.h"
#include "cli/commands.h"
#include "core/descriptor.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr char kColumnsHelp[] =
    R"(Show the names and numbers of a file's columns, for --column and --field.

Usage: sotto columns FILE [options]

  sotto columns reviews.csv
  sotto columns export.csv --delimiter ";"
  sotto columns tickets.jsonl.gz)";

constexpr char kColumnsNotes[] =
    R"(Only the first record is read. The first row of a table is printed as it is. If the table has no header,
that row is data: no other command prints it. Of JSON lines the fields that hold text are shown.

Read next: docs/cli.md)";

}  // namespace

int run_columns(Words words) {
  std::string file;
  bool json = false;
  api::ColumnsRequest request;
  CommandLine command("columns", kColumnsHelp);
  command.footer(kColumnsNotes);
  command.text("FILE", file, "FILE", "a table or JSON lines");
  command.reading_options(request.reading);
  command.flag("--json", json, kJsonHelp);
  if (command.parse(words) == CommandLine::Outcome::helped) return kDone;
  if (file.empty()) throw Error(ErrorCode::usage, "give the file: sotto columns FILE");
  if (!request.reading["column"].empty() || !request.reading["field"].empty()) {
    throw Error(ErrorCode::usage, "`sotto columns` shows all columns: leave --column and --field out");
  }
  request.input = file;
  const api::ColumnsAnswer answer = api::list_columns(request);
  if (json) {
    print_answer(api::to_json(answer));
    return kDone;
  }
  for (std::size_t i = 0; i < answer.names.size(); ++i) {
    // Control characters of a cell must not reach the terminal.
    print(answer.format == "jsonl" ? shown(answer.names[i]) + "\n"
                                   : fmt::format("{:>4}  {}\n", i + 1, shown(answer.names[i])));
  }
  return kDone;
}

}  // namespace sotto::cli
