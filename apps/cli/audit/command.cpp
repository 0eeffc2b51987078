// sotto audit: does a mechanism, ours or anybody's, keep its claim, as far as draws can tell?
#include <unistd.h>

#include <algorithm>

#include "api/audit.h"
#include "cli/audit/page.h"
#include "cli/audit/text.h"
#include "cli/commands.h"
#include "core/output_file.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"
#include "shared/setting_choice.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr char kAuditHelp[] =
    R"(Test by sampling whether a mechanism, or any program, keeps the epsilon it claims.

Usage: sotto audit --epsilon NUMBER [--mechanism NAME] [options]
       sotto audit --command "PROGRAM ..." --epsilon NUMBER [--metric NAME] [options]

  sotto audit --mechanism vickrey --epsilon 5 --model small.sotto
  sotto audit --epsilon 2 --pair doctor,nurse --draws 1000000
  sotto audit --mechanism privemb --epsilon 0.5 --dimension 2 --model small.sotto
  sotto audit --command "python3 their_tool.py" --epsilon 2 --model small.sotto)";

constexpr char kAuditNotes[] =
    R"(The command draws many outputs for chosen pairs of words and tests whether the claimed epsilon
can be true. The answer is PASS, VIOLATED with the words and the output that show it, or
UNDECIDED with the number of draws that would decide. A program under test answers each word on
a line with one word on a line.

A third of the draws looks for outputs, or sets of outputs, that one word of a pair gives too often;
fresh draws then test these, with exact (Clopper-Pearson) bounds that hold together at the stated
level. PASS means that nothing was found with this many draws, not that there is nothing: near pairs and a
small epsilon are judged best. Exit code 1 means VIOLATED; PASS and UNDECIDED are 0.

Of a mechanism that releases vectors (privemb), cells of the space play the part of outputs. Audit it with a
few dimensions: in many, a release seldom shows its loss, and the answer says how little is seen.

With --command the program is run a few times by the shell. The claim is epsilon times the distance of the
metric. Two words that the model does not have are tried too: nothing may tell them apart
(--known-words-only leaves them out). The same lines are given twice: the answers must differ.

Read next: docs/audit.md)";

struct AuditArguments {
  MechanismChoice choice;
  std::string command;        // empty: a mechanism is audited
  api::AuditRequest request;  // without model and subject
  unsigned threads = 0;
  std::string html;  // empty: no page
  std::vector<std::string> command_line;
  bool force = false;
  bool json = false;
  bool quiet = false;
};

std::optional<AuditArguments> parse_audit(Words words) {
  AuditArguments arguments;
  std::string pairs;
  std::string draws;
  std::string deniability;
  std::string level;
  std::string threads;
  std::string seed;
  CommandLine line("audit", kAuditHelp);
  line.mechanism_choice(arguments.choice);
  line.text("--command", arguments.command, "TEXT",
            "audit this program instead of a mechanism, run by /bin/sh");
  line.text("--pairs", pairs, "INTEGER", "how many pairs of words (default 60, fewer where a draw is slow)");
  line.text("--draws", draws, "INTEGER",
            "draws for each word of a pair (default 100,000, fewer where a draw is slow)");
  line.texts("--pair", arguments.request.given_pairs, "A,B",
             "audit this pair of words too; may be given again");
  line.text("--level", level, "NUMBER", "largest probability of a false VIOLATED (default 0.001)");
  line.text("--deniability", deniability, "INTEGER", "words whose N_w and S_w are measured (0: none)");
  line.flag("--known-words-only", arguments.request.known_words_only,
            "with --command: no words from outside the model");
  line.text("--threads", threads, "INTEGER", kThreadsHelp);
  line.text("--seed-not-private", seed, "INTEGER", "repeatable draws");
  line.text("--html", arguments.html, "FILE", "also write a report with figures, one HTML file");
  line.flag("--force", arguments.force, "replace an existing --html file");
  line.flag("--json", arguments.json, kJsonHelp);
  line.flag("-q,--quiet", arguments.quiet, "no progress bar");
  line.footer(kAuditNotes);
  if (line.parse(words) == CommandLine::Outcome::helped) return std::nullopt;

  constexpr std::int64_t kMostDraws = 500'000'000;
  api::AuditRequest& request = arguments.request;
  if (!pairs.empty()) request.pairs = whole_number("--pairs", pairs, 100'000);
  if (!draws.empty()) request.draws = static_cast<std::uint32_t>(whole_number("--draws", draws, kMostDraws));
  if (!deniability.empty()) {
    request.deniability_words = whole_number("--deniability", deniability, 1'000'000);
  }
  if (!level.empty()) request.level = parse_number("--level", level, Infinity::refused);
  request.seed_not_private = seed_number(seed);
  arguments.threads = thread_number(threads);
  arguments.command_line = {"sotto", "audit"};
  arguments.command_line.insert(arguments.command_line.end(), words.begin(), words.end());
  const auto names_mechanism = [](const std::string& word) {
    return word == "--mechanism" || word.starts_with("--mechanism=");
  };
  if (!arguments.command.empty() && std::ranges::any_of(words, names_mechanism)) {
    throw Error(ErrorCode::usage,
                "--command and --mechanism were both given, and an audit tests one of them: leave one out");
  }
  return arguments;
}

OutsideProgram outside_program(const std::string& command) {
  OutsideProgram program{.command = command, .environment = {}};
  for (char** entry = environ; *entry != nullptr; ++entry) program.environment.emplace_back(*entry);
  return program;
}

}  // namespace

int run_audit(Words words) {
  std::optional<AuditArguments> parsed = parse_audit(words);
  if (!parsed) return kDone;
  AuditArguments& arguments = *parsed;
  const MechanismChoice& choice = arguments.choice;
  // Judged before the model is opened: a slip is told at once.
  if (arguments.command.empty()) {
    arguments.request.subject = chosen_setting(choice);
  } else {
    arguments.request.subject = api::parse_program(outside_program(arguments.command), choice.parameters);
  }
  // Opened before the work, so that a file in the way is told first.
  std::optional<OutputFile> page;
  if (!arguments.html.empty()) {
    page.emplace(arguments.html, arguments.force ? Overwrite::replace : Overwrite::refuse);
  }
  arguments.request.model = open_model(choice.model);
  ProgressBar bar(is_terminal(Stream::error) && !arguments.quiet ? ProgressBar::Mode::on
                                                                 : ProgressBar::Mode::off);
  const Work work = bar.work(arguments.threads);
  const api::AuditAnswer answer = api::audit(arguments.request, work);
  if (page) {
    page->write(audit_page(answer, arguments.command_line, work.at("drawing for the page")));
    page->commit();
  }
  bar.clear();
  if (arguments.json) {
    print_answer(api::to_json(answer));
  } else {
    print(audit_text(answer, std::clamp<std::size_t>(terminal_width(Stream::output), 60, 100)));
  }
  return answer.violated() ? kAnswerIsNo : kDone;
}

}  // namespace sotto::cli
