// sotto verify: do the claims of a report follow from the model and the parameters that it names?
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "cli/commands.h"
#include "core/byte_stream.h"
#include "core/sha256.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"
#include "sotto/error.h"
#include "text/verify.h"

namespace sotto::cli {

namespace {

constexpr char kHelp[] =
    R"(Tells whether a report (of `privatize` or `vectors`, --report) says what follows
from the model and the parameters that it names: everything is built and computed
again, over all pairs of words.

Usage: sotto verify REPORT.json [--model FILE] [--released FILE]... [options]

  sotto verify report.json
  sotto verify report.json --released private.csv
  sotto verify report.json --model glove.sotto --json)";

constexpr char kNotes[] =
    R"(Each claim is ok, WRONG or not checked. What no report can prove is not checked: that the noise was fresh,
that the counts are those of the text. --released FILE compares the SHA-256 of a file with those of the
report. The strength is how much the release hides: ok, weak (over half of the words are expected to stay as
they are) or none (over 90%). A report may follow from the model and the release may still hide nothing.

Exit code 0: nothing is wrong; 1: something is; 3: it is no report.)";

struct Arguments {
  std::string report;
  std::string model;
  std::vector<std::string> released;
  std::string threads;
  bool json = false;
  bool quiet = false;
};

std::string read_report(const std::string& path) {
  const auto source = open_source(path);
  std::string text;
  std::string buffer(std::size_t{1} << 16, '\0');
  // A little more than is allowed: the parser then says that it is too large.
  while (text.size() <= kLargestReport) {
    const std::size_t got = source->read(buffer.data(), buffer.size());
    if (got == 0) break;
    text.append(buffer, 0, got);
  }
  return text;
}

std::string_view outcome_name(VerifyCheck::Outcome outcome) {
  switch (outcome) {
    case VerifyCheck::Outcome::ok:
      return "ok";
    case VerifyCheck::Outcome::wrong:
      return "WRONG";
    case VerifyCheck::Outcome::not_checked:
      break;
  }
  return "not checked";
}

std::string verdict(const VerifyResult& result) {
  const std::size_t wrong = result.count(VerifyCheck::Outcome::wrong);
  if (wrong > 0) return fmt::format("the report does NOT follow from the model: {} wrong", wrong);
  const std::string counts = fmt::format("{} ok, {} not checked", result.count(VerifyCheck::Outcome::ok),
                                         result.count(VerifyCheck::Outcome::not_checked));
  if (result.strength.value_or(Strength::ok) == Strength::ok) {
    return fmt::format("the report follows from the model ({})", counts);
  }
  // Never a bare approval of a release that can be read.
  return fmt::format(
      "the claims follow from the model ({}), and the release hides {} (expected unchanged: "
      "{})",
      counts, result.strength == Strength::weak ? "little" : "next to nothing",
      percent(result.expected_unchanged));
}

std::string to_text(const VerifyResult& result, std::size_t width) {
  constexpr std::size_t kIndent = 13;
  std::string out;
  for (const VerifyCheck& check : result.checks) {
    out += fmt::format("{:<{}}{}\n", outcome_name(check.outcome), kIndent,
                       wrapped(fmt::format("{}: {}", check.name, check.reason), width, kIndent));
  }
  return out + "\n" + verdict(result) + "\n";
}

Json to_json(const VerifyResult& result) {
  Json answer = start_answer("sotto.verify/1");
  answer["report_schema"] = result.schema;
  answer["follows"] = result.follows();
  answer["strength"] = result.strength ? Json(strength_name(*result.strength)) : Json(nullptr);
  answer["verdict"] = verdict(result);
  answer["checks"] = Json::array();
  for (const VerifyCheck& check : result.checks) {
    answer["checks"].push_back(
        {{"name", check.name}, {"outcome", outcome_name(check.outcome)}, {"reason", check.reason}});
  }
  return answer;
}

}  // namespace

int run_verify(Words words) {
  Arguments arguments;
  CommandLine line("verify", kHelp);
  line.text("report", arguments.report, "REPORT", "the report to judge");
  line.text("--model", arguments.model, "FILE", kModelFileHelp);
  line.texts("--released", arguments.released, "FILE",
             "a file that the report should be about: its SHA-256 must be in it; repeatable");
  line.flag("--json", arguments.json, kJsonHelp);
  line.flag("-q,--quiet", arguments.quiet, "no progress bar");
  line.text("--threads", arguments.threads, "INTEGER", kThreadsHelp);
  line.footer(kNotes);
  if (line.parse(words) == CommandLine::Outcome::helped) return kDone;
  if (arguments.report.empty()) {
    throw Error(ErrorCode::usage,
                "`sotto verify` needs a report: sotto verify report.json --model FILE.sotto");
  }
  const std::string report = read_report(arguments.report);
  std::vector<std::string> released;
  for (const std::string& path : arguments.released) released.push_back(sha256_of_file(path));
  const auto model = open_model(arguments.model);
  ProgressBar bar(is_terminal(Stream::error) && !arguments.quiet ? ProgressBar::Mode::on
                                                                 : ProgressBar::Mode::off);
  bar.start("verifying");
  const VerifyResult result =
      verify_report(report, model, bar.work(thread_number(arguments.threads)), released);
  bar.clear();
  if (arguments.json) {
    print_answer(to_json(result));
  } else {
    print(to_text(result, std::clamp<std::size_t>(terminal_width(Stream::output), 60, 110)));
  }
  return result.follows() ? kDone : kAnswerIsNo;
}

}  // namespace sotto::cli
