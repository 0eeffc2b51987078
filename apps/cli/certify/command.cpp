// sotto certify: what a mechanism really loses on the loaded vocabulary, over all pairs of words.
#include <algorithm>
#include <optional>

#include "cli/certify/page.h"
#include "cli/certify/text.h"
#include "cli/commands.h"
#include "core/output_file.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"
#include "shared/setting_choice.h"
#include "sotto/certify.h"

namespace sotto::cli {

namespace {

constexpr char kCertifyHelp[] =
    R"(Compute the actual worst-case privacy loss (epsilon) on your vocabulary.

Usage: sotto certify --epsilon NUMBER [--mechanism NAME] [--calibration NAME] [options]

  sotto certify --epsilon 2
  sotto certify --epsilon 2 --calibration exact --html certificate.html
  sotto certify --epsilon 2 --calibration flat --verify
  sotto certify --mechanism privemb --epsilon 10 --dimension 50 --json)";

constexpr char kCertifyNotes[] =
    R"(The answer is the largest loss per distance over all pairs of words, as an upper bound, and the
pair that loses most.

tem (all calibrations) and hyperbolic are computed for any number of words, in seconds. Other mechanisms
with a known law are computed up to 1,000 words; above that, and for laplace, mahalanobis and vickrey, the
proven bound stands, if there is one, with a lower bound from some pairs beside it.

Certificates are kept in the cache. One that is read again is checked by recomputing its worst pair and up to
1,000 rows chosen at random; if anything differs it is computed anew. The cache is no signature: --verify
trusts nothing and recomputes all.

Exit code 1: the loss is above the claimed epsilon (truncated-gumbel), or --verify found another figure.

Read next: docs/certificate.md)";

struct CertifyArguments {
  MechanismChoice choice;
  std::string html;  // empty: no page
  unsigned threads = 0;
  bool verify = false;
  bool force = false;
  bool json = false;
  bool quiet = false;
  std::vector<std::string> command;  // as typed, for the page
};

std::optional<CertifyArguments> parse_certify(Words words) {
  CertifyArguments arguments;
  std::string threads;
  CommandLine line("certify", kCertifyHelp);
  line.mechanism_choice(arguments.choice);
  line.flag("--verify", arguments.verify, "recompute everything, and compare with what was kept and claimed");
  line.text("--html", arguments.html, "FILE", "also write a report with figures, one HTML file");
  line.flag("--force", arguments.force, "replace an existing --html file");
  line.flag("--json", arguments.json, kJsonHelp);
  line.flag("-q,--quiet", arguments.quiet, "no progress bar");
  line.text("--threads", threads, "INTEGER", kThreadsHelp);
  line.footer(kCertifyNotes);
  if (line.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
  arguments.threads = thread_number(threads);
  arguments.command = {"sotto", "certify"};
  arguments.command.insert(arguments.command.end(), words.begin(), words.end());
  return arguments;
}

}  // namespace

int run_certify(Words words) {
  const std::optional<CertifyArguments> arguments = parse_certify(words);
  if (!arguments) return kDone;
  Setting setting = chosen_setting(arguments->choice);
  std::optional<OutputFile> page;  // opened first: a file in the way is told before the work
  if (!arguments->html.empty()) {
    page.emplace(arguments->html, arguments->force ? Overwrite::replace : Overwrite::refuse);
  }
  ProgressBar bar(is_terminal(Stream::error) && !arguments->quiet ? ProgressBar::Mode::on
                                                                  : ProgressBar::Mode::off);
  const Work work = bar.work(arguments->threads);
  const api::CertifyAnswer answer = api::certify({.model = open_model(arguments->choice.model),
                                                  .setting = std::move(setting),
                                                  .verify = arguments->verify},
                                                 work);
  if (page) {
    page->write(certify_page(answer, arguments->command, work.at("drawing for the page")));
    page->commit();
  }
  bar.clear();
  if (arguments->json) {
    print_answer(api::to_json(answer));
  } else {
    print(certify_text(answer, std::clamp<std::size_t>(terminal_width(Stream::output), 60, 100)));
  }
  return answer.passes() ? kDone : kAnswerIsNo;
}

}  // namespace sotto::cli
