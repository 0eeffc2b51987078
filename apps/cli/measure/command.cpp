// sotto measure: what an adversary learns from the output, and what use is left of it.
#include <algorithm>

#include "cli/adversary.h"
#include "cli/commands.h"
#include "cli/measure/page.h"
#include "cli/measure/text.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"
#include "shared/setting_choice.h"
#include "sotto/byte_stream.h"
#include "sotto/measure.h"

namespace sotto::cli {

namespace {

constexpr char kMeasureHelp[] =
    R"(Measure how often an attacker guesses the original word, and how much utility remains.

Usage: sotto measure --epsilon NUMBER [options]

  sotto measure --epsilon 2
  sotto measure --mechanism laplace --epsilon 10 --prior uniform --json
  sotto measure --epsilon 2 --words lexicon.txt --labels positive=pos.txt --labels negative=neg.txt
  sotto measure --epsilon 2 --prior counts:frequencies.tsv --csv figures.csv
  sotto measure --epsilon 2 --prior uniform --bands density
  sotto measure --mechanism privemb --epsilon 10 --dimension 50)";

constexpr char kMeasureNotes[] =
    R"(The answer has the error of the attacker's best guess (E_opt) and of a guess drawn from the
posterior (E_post), expected utility losses, deniability, and the effect of repeated releases.
The numbers are exact where the law is known. Otherwise they come with a bracket and intervals.

An adversary who ignores the output and guesses the likeliest word is wrong with probability
constant_guess: no mechanism can push E_opt above it, so judge E_opt beside it. All adversaries know the
mechanism and the prior. E_opt <= E_post <= 2 E_opt always.

Of a mechanism that releases vectors (privemb), the attacker sees a word's released vector and knows the
projection and the law of the noise: the posterior of each drawn vector is exact.

On 50,000 words with a prior over all of them the exact figures take a few minutes; --words, or a prior of few
words, makes it quick. Larger models are measured by draws.

Read next: docs/measure.md)";

struct MeasureArguments {
  MechanismChoice choice;
  AdversaryArguments adversary;
  std::string copies = "8";
  std::string bands = "frequency";
  std::string draws;
  std::string csv;
  std::string html;
  std::string threads;
  std::string seed;
  bool by_draws = false;
  bool json = false;
  bool force = false;
};

api::MeasureRequest measure_request(const MeasureArguments& arguments) {
  api::MeasureRequest request{.setting = chosen_setting(arguments.choice),
                              .adversary = request_of(arguments.adversary),
                              .copies = whole_number("--copies", arguments.copies),
                              .by_draws = arguments.by_draws,
                              .bands = parse_bands(arguments.bands),
                              .seed_not_private = seed_number(arguments.seed)};
  if (!arguments.draws.empty()) request.draws = whole_number("--draws", arguments.draws);
  check(request);
  return request;
}

bool parse_measure(MeasureArguments& arguments, Words words) {
  CommandLine line("measure", kMeasureHelp);
  line.footer(kMeasureNotes);
  line.mechanism_choice(arguments.choice);
  adversary_options(line, arguments.adversary);
  line.text("--copies", arguments.copies, "NUMBER",
            "up to how many releases of the same text are attacked together (default 8; 0: none)");
  line.text("--draws", arguments.draws, "NUMBER", "where only draws are known (default 500,000)");
  line.flag("--by-draws", arguments.by_draws, "use draws only, also where the law is known");
  line.text("--bands", arguments.bands, "NAME",
            "the groups of words whose figures are shown beside each other: frequency (default), or density, "
            "by the distance to the 10th nearest word");
  line.choices("--bands", {"frequency", "density"});
  line.flag("--json", arguments.json, kJsonHelp);
  line.text("--csv", arguments.csv, "FILE", "also write every figure, one per line");
  line.text("--html", arguments.html, "FILE", "also write a page with plots; it needs nothing else");
  line.flag("--force", arguments.force, "replace existing --csv and --html files");
  line.text("--threads", arguments.threads, "NUMBER", kThreadsHelp);
  line.text("--seed-not-private", arguments.seed, "NUMBER", kSeedHelp);
  return line.parse(words) == CommandLine::Outcome::parsed;
}

}  // namespace

int run_measure(Words words) {
  MeasureArguments arguments;
  if (!parse_measure(arguments, words)) return kDone;
  const unsigned threads = thread_number(arguments.threads);
  api::MeasureRequest request = measure_request(arguments);
  const auto sink = [&](const std::string& path) {
    return path.empty() ? nullptr : open_sink(path, arguments.force ? Overwrite::replace : Overwrite::refuse);
  };
  const std::unique_ptr<ByteSink> csv = sink(arguments.csv);
  const std::unique_ptr<ByteSink> html = sink(arguments.html);
  request.model = open_model(arguments.choice.model);
  ProgressBar bar(is_terminal(Stream::error) ? ProgressBar::Mode::on : ProgressBar::Mode::off);
  const api::MeasureAnswer answer = api::measure(request, bar.work(threads));
  bar.clear();
  if (csv) {
    csv->write(to_csv(answer));
    csv->finish();
  }
  if (html) {
    html->write(measure_page(answer, public_command("measure", words), {.threads = threads}));
    html->finish();
  }
  if (arguments.json) {
    print_answer(to_json(answer));
  } else {
    print(measure_text(answer, std::clamp<std::size_t>(terminal_width(Stream::output), 100, 140)));
  }
  return kDone;
}

}  // namespace sotto::cli
