// sotto certify: what a mechanism really loses on the loaded vocabulary, over all pairs of words.
#include "cli/certify/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "cli/certify/answer.h"
#include "cli/certify/kept.h"
#include "cli/certify/page.h"
#include "cli/certify/sample.h"
#include "cli/commands.h"
#include "core/output_file.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"

namespace sotto::cli {

namespace {

namespace fs = std::filesystem;

constexpr char kHelp[] =
    R"(Computes what a mechanism really loses on this model: the realised epsilon over all
pairs of words, as an upper bound, the pair that loses most, and what goes with it.

Usage: sotto certify --epsilon NUMBER [--mechanism NAME] [--calibration NAME] [options]

  sotto certify --epsilon 2
  sotto certify --epsilon 2 --calibration exact --html certificate.html
  sotto certify --epsilon 2 --calibration flat --verify
  sotto certify --mechanism privemb --epsilon 10 --dimension 50 --json)";

constexpr char kNotes[] =
    R"(tem (all calibrations) and hyperbolic are computed for any number of words, in seconds. Other mechanisms
with a known law are computed up to 1,000 words; above that, and for laplace, mahalanobis and vickrey, the
proven bound stands, if there is one, with a lower bound from some pairs beside it.

Certificates are kept in the cache. One that is read again is checked by recomputing its worst pair and up to
1,000 rows chosen at random; if anything differs it is computed anew. The cache is no signature: --verify
trusts nothing and recomputes all.

Exit code 1: the loss is above the claimed epsilon (truncated-gumbel), or --verify found another figure.)";

std::optional<CertifyArguments> parse(Words words) {
  CertifyArguments arguments;
  std::string threads;
  CommandLine line("certify", kHelp);
  line.mechanism_choice(arguments.choice);
  line.flag("--verify", arguments.verify, "recompute everything, and compare with what was kept and claimed");
  line.text("--html", arguments.html, "FILE", "also write a report with figures, one HTML file");
  line.flag("--force", arguments.force, "replace an existing --html file");
  line.flag("--json", arguments.json, kJsonHelp);
  line.flag("-q,--quiet", arguments.quiet, "no progress bar");
  line.text("--threads", threads, "INTEGER", kThreadsHelp);
  line.footer(kNotes);
  if (line.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
  arguments.threads = thread_number(threads);
  arguments.command = {"sotto", "certify"};
  arguments.command.insert(arguments.command.end(), words.begin(), words.end());
  return arguments;
}

class Certifier {
 public:
  explicit Certifier(const CertifyArguments& arguments)
      : arguments_(arguments),
        bar_(is_terminal(Stream::error) && !arguments.quiet ? ProgressBar::Mode::on
                                                            : ProgressBar::Mode::off) {}

  CertifyAnswer run() {
    const KeptFile kept = find_kept_file(arguments_.choice);
    CertifiedMechanism built = build_chosen(
        arguments_.choice, {.threads = arguments_.threads,
                            .bar = arguments_.quiet ? ProgressBar::Mode::off : ProgressBar::Mode::on});
    CertifyAnswer answer{.mechanism = std::move(built.mechanism),
                         .certificate = std::move(built.certificate)};
    if (!answer.certificate) answer.certificate = cached_certificate(answer.mechanism, work("certifying"));
    // A law of at most kQuickWords words that needs no calibration is computed rather than read.
    const bool reads = answer.mechanism.claim.by_certificate || answer.mechanism.space->size() > kQuickWords;
    const bool untouched = kept.written && kept.written_now() == kept.written;
    if (answer.certificate && untouched && reads) answer.source = CertifyAnswer::Source::kept;
    if (!answer.certificate || (!kept.path.empty() && !kept.written_now())) {
      answer.certificate = certify_again(answer.mechanism, work("certifying"));
    }
    if (arguments_.verify && answer.certificate) verify(answer, kept);
    if (!answer.certificate) add_samples(answer, work("sampling"));
    answer.expected = forecast(answer.mechanism, {.threads = arguments_.threads});
    bar_.clear();
    return answer;
  }

  Work work(const char* label) {
    bar_.start(label);
    return bar_.work(arguments_.threads);
  }
  void clear() { bar_.clear(); }

 private:
  void verify(CertifyAnswer& answer, const KeptFile& kept) {
    Verification check;
    if (answer.source == CertifyAnswer::Source::kept)
      check.kept = Verification::Kept::used;
    else if (kept.written && kept.written_now() != kept.written)
      check.kept = Verification::Kept::refused;
    // What the file says counts also if loading found it out: that is left to chance.
    check.kept_epsilon = kept.stated ? kept.stated->epsilon : answer.certificate->realised_epsilon;
    check.kept_largest_loss = kept.stated ? kept.stated->largest_loss : answer.certificate->largest_loss;
    const auto again = certify_again(answer.mechanism, work("verifying"));
    check.epsilon = again->realised_epsilon;
    check.largest_loss = again->largest_loss;
    answer.certificate = again;
    answer.verification = check;
    // certify_again keeps what is sound; what is not must not be read again.
    std::error_code ignored;
    if (answer.breaks_claim() && !kept.path.empty()) fs::remove(kept.path, ignored);
  }

  const CertifyArguments& arguments_;
  ProgressBar bar_;
};

}  // namespace

int run_certify(Words words) {
  const std::optional<CertifyArguments> arguments = parse(words);
  if (!arguments) return kDone;
  (void)parse_setting(arguments->choice.mechanism, arguments->choice.parameters);
  if (find_mechanism(arguments->choice.mechanism).build_vectors != nullptr)
    return certify_vectors(*arguments);
  std::optional<OutputFile> page;  // opened first: a file in the way is told before the work
  if (!arguments->html.empty()) {
    page.emplace(arguments->html, arguments->force ? Overwrite::replace : Overwrite::refuse);
  }
  Certifier certifier(*arguments);
  const CertifyAnswer answer = certifier.run();
  if (page) {
    page->write(certify_page(answer, arguments->command, certifier.work("drawing for the page")));
    page->commit();
    certifier.clear();
  }
  if (arguments->json) {
    print_answer(certify_json(answer));
  } else {
    print(certify_text(answer, std::clamp<std::size_t>(terminal_width(Stream::output), 60, 100)));
  }
  const bool holds = !answer.breaks_claim() && (!answer.verification || answer.verification->agrees());
  return holds ? kDone : kAnswerIsNo;
}

}  // namespace sotto::cli
