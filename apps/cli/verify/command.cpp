// sotto verify: do the claims of a report follow from the model and the parameters that it names?
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "api/verify.h"
#include "cli/commands.h"
#include "core/sha256.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr char kVerifyHelp[] =
    R"(Check that the claims of a report follow from the model that it names.

Usage: sotto verify REPORT.json [--model FILE] [--released FILE]... [options]

  sotto verify report.json
  sotto verify report.json --released private.csv
  sotto verify report.json --model glove.sotto --json)";

constexpr char kVerifyNotes[] =
    R"(The command builds and computes everything again, over all pairs of words.

Each claim is ok, WRONG or not checked. What no report can prove is not checked: that the noise was fresh,
that the counts are those of the text. --released FILE compares the SHA-256 of a file with those of the
report. The strength is how much the release hides: ok, weak (over half of the words are expected to stay as
they are) or none (over 90%). A report may follow from the model and the release may still hide nothing.

Exit code 0: nothing is wrong; 1: something is; 3: it is no report.

Read next: docs/certificate.md)";

struct VerifyArguments {
  std::string report;
  std::string model;
  std::vector<std::string> released;
  std::string threads;
  bool json = false;
  bool quiet = false;
};

std::string verify_text(const api::VerifyAnswer& answer, std::size_t width) {
  constexpr std::size_t kIndent = 13;
  std::string out;
  for (const VerifyCheck& check : answer.result.checks) {
    out += fmt::format("{:<{}}{}\n", api::outcome_name(check.outcome), kIndent,
                       wrapped(fmt::format("{}: {}", check.name, check.reason), width, kIndent));
  }
  return out + "\n" + answer.verdict() + "\n";
}

}  // namespace

int run_verify(Words words) {
  VerifyArguments arguments;
  CommandLine line("verify", kVerifyHelp);
  line.text("report", arguments.report, "REPORT", "the report to judge");
  line.text("--model", arguments.model, "FILE", kModelFileHelp);
  line.texts("--released", arguments.released, "FILE",
             "a file that the report should be about: its SHA-256 must be in it; repeatable");
  line.flag("--json", arguments.json, kJsonHelp);
  line.flag("-q,--quiet", arguments.quiet, "no progress bar");
  line.text("--threads", arguments.threads, "INTEGER", kThreadsHelp);
  line.footer(kVerifyNotes);
  if (line.parse(words) == CommandLine::Outcome::helped) return kDone;
  if (arguments.report.empty()) {
    throw Error(ErrorCode::usage,
                "`sotto verify` needs a report: sotto verify report.json --model FILE.sotto");
  }
  api::VerifyRequest request{.model = {}, .report = api::read_report(arguments.report)};
  for (const std::string& path : arguments.released) request.released.push_back(sha256_of_file(path));
  request.model = open_model(arguments.model);
  ProgressBar bar(is_terminal(Stream::error) && !arguments.quiet ? ProgressBar::Mode::on
                                                                 : ProgressBar::Mode::off);
  bar.start("verifying");
  const api::VerifyAnswer answer = api::verify(request, bar.work(thread_number(arguments.threads)));
  bar.clear();
  if (arguments.json) {
    print_answer(api::to_json(answer));
  } else {
    print(verify_text(answer, std::clamp<std::size_t>(terminal_width(Stream::output), 60, 110)));
  }
  return answer.follows() ? kDone : kAnswerIsNo;
}

}  // namespace sotto::cli
