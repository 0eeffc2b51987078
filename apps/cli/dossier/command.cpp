// sotto dossier: everything that is known about one release, for an impact assessment.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "api/dossier.h"
#include "cli/commands.h"
#include "cli/dossier/page.h"
#include "cli/ledger/flags.h"
#include "core/sha256.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr char kDossierHelp[] =
    R"(Join everything known about a release into a page for an impact assessment (GDPR).

Usage: sotto dossier --report REPORT.json -o FILE.html [options]

  sotto dossier --report report.json -o dossier.html
  sotto dossier --report report.json --certificate certificate.json --audit audit.json -o dossier.html
  sotto dossier --report report.json --attack attack.json --ledger ledger.db --subject patient-17 -o dossier.html)";

constexpr char kDossierNotes[] =
    R"(The parts are the --json answers of the other commands with the same model and parameters. A part about another
model or other parameters is refused (exit code 3). The report is computed again from the model, as `sotto verify`
does. Named blanks are left where only you can answer. The page is for the data holder: do not publish it.

Exit code 1: the page was written, and it says why the release should not be relied on.

Read next: docs/officer.md)";

struct DossierArguments {
  std::string report;
  std::string certificate;
  std::string audit;
  std::string attack;
  std::string output;
  std::string model;
  std::string threads;
  std::vector<std::string> released;
  LedgerFlags ledger;
  bool force = false;
  bool json = false;
};

std::optional<std::string> read_part(const std::string& path) {
  if (path.empty()) return std::nullopt;
  return api::read_report(path);
}

bool parse_dossier(DossierArguments& arguments, Words words) {
  CommandLine line("dossier", kDossierHelp);
  line.text("--report", arguments.report, "FILE",
            "the JSON report of the release (`privatize --report FILE.json`)");
  line.text("-o,--output", arguments.output, "FILE", "the page to write");
  line.text("--certificate", arguments.certificate, "FILE", "what `certify --json` printed");
  line.text("--audit", arguments.audit, "FILE", "what `audit --json` printed");
  line.text("--attack", arguments.attack, "FILE", "what `attack --json` printed");
  line.texts("--released", arguments.released, "FILE",
             "a file that the report should be about: its SHA-256 must be in it; repeatable");
  line.text("--ledger", arguments.ledger.ledger, "FILE",
            "the ledger that counted the release; needs --subject");
  line.text("--ledger-key", arguments.ledger.key, "FILE", kLedgerKeyHelp);
  line.text("--subject", arguments.ledger.subject, "ID", "the person or tenant whose accounts are shown");
  line.text("--model", arguments.model, "FILE", kModelFileHelp);
  line.flag("--force", arguments.force, "replace an existing page");
  line.flag("--json", arguments.json, kSummaryHelp);
  line.text("--threads", arguments.threads, "N", kThreadsHelp);
  line.footer(kDossierNotes);
  return line.parse(words) == CommandLine::Outcome::parsed;
}

void check_dossier(const DossierArguments& arguments) {
  if (arguments.report.empty() || arguments.output.empty()) {
    throw Error(ErrorCode::usage,
                "`sotto dossier` needs a report and a file to write: sotto dossier --report report.json -o "
                "dossier.html");
  }
  if (arguments.ledger.ledger.empty() != arguments.ledger.subject.empty()) {
    throw Error(ErrorCode::usage, "--ledger and --subject belong together: give both or none");
  }
}

}  // namespace

int run_dossier(Words words) {
  DossierArguments arguments;
  if (!parse_dossier(arguments, words)) return kDone;
  check_dossier(arguments);
  const unsigned threads = thread_number(arguments.threads);
  const auto sink = open_sink(arguments.output, arguments.force ? Overwrite::replace : Overwrite::refuse);
  api::DossierRequest request{.report = api::read_report(arguments.report),
                              .certificate = read_part(arguments.certificate),
                              .audit = read_part(arguments.audit),
                              .attack = read_part(arguments.attack),
                              .subject = arguments.ledger.subject};
  for (const std::string& path : arguments.released) request.released.push_back(sha256_of_file(path));
  if (!arguments.ledger.ledger.empty()) {
    request.ledger = open_existing_ledger(arguments.ledger.ledger, arguments.ledger.key);
  }
  request.model = open_model(arguments.model);
  ProgressBar bar(is_terminal(Stream::error) ? ProgressBar::Mode::on : ProgressBar::Mode::off);
  const api::DossierAnswer answer = api::make_dossier(request, bar.work(threads));
  bar.clear();
  sink->write(dossier_page(answer));
  sink->finish();
  for (const std::string& objection : answer.objections()) say(objection);
  if (arguments.json) print_answer(api::to_json(answer));
  return answer.holds() ? kDone : kAnswerIsNo;
}

}  // namespace sotto::cli
