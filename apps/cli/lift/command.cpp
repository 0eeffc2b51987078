// sotto lift: the expected features of the input word, given the output word.
#include <fmt/format.h>

#include "api/lift.h"
#include "cli/adversary.h"
#include "cli/commands.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"
#include "shared/setting_choice.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr char kLiftHelp[] =
    R"(Compute the expected features of the original word for each output word, to learn from them.

Usage: sotto lift [FILE] --epsilon NUMBER [-o FILE] [options]

  sotto lift features.npy --epsilon 2 -o lifted.npy
  sotto lift features.npy --epsilon 2 --prior counts:public.tsv -o lifted.npy
  sotto lift features.npy --epsilon 2 --prior release:private.txt -o lifted.npy

Without a file, or with `-`, standard input is read.)";

constexpr char kLiftNotes[] =
    R"(A learner that reads private text with lifted features loses much less accuracy than one that
takes the private words for the true ones. Lifting uses the release and public data only, so it
costs no privacy.

The input is a NumPy matrix (.npy, float32 or float64) with one row for each word of the model, in its
order. The output has the same shape and type. Row o is the mean of the input rows over the words that may
have become o, weighted by prior and law. An output that no word of the prior can become gets the mean over
the prior.

The result is exact where the law of the mechanism is known (tem, hyperbolic, gumbel-topk, ...) and the model
has up to 50,000 words. Otherwise it comes from draws, and the message states the error. --prior release:FILE
estimates the word frequencies from a release (plain text, one document per line) made by this mechanism.

Read next: docs/learning.md)";

struct LiftArguments {
  MechanismChoice choice;
  std::string input = "-";
  std::string output = "-";
  std::string prior;
  std::string draws;
  std::string threads;
  std::string seed;
  bool by_draws = false;
  bool json = false;
  bool force = false;
};

bool parse_lift(LiftArguments& arguments, Words words) {
  CommandLine line("lift", kLiftHelp);
  line.footer(kLiftNotes);
  line.text("input", arguments.input, "FILE", "");
  line.text("-o,--output", arguments.output, "FILE", "where to (default: standard output)");
  line.mechanism_choice(arguments.choice);
  line.text("--prior", arguments.prior, "PRIOR",
            "how often each word occurs: rank (the model's public word frequencies; default), uniform, "
            "counts:FILE (two columns, word and count), corpus:FILE (word frequencies of a text), "
            "release:FILE (estimated from private text)");
  line.text("--draws", arguments.draws, "NUMBER", "where only draws are known (default 2,000,000)");
  line.flag("--by-draws", arguments.by_draws, "use draws only, also where the law is known");
  line.flag("--json", arguments.json, kSummaryHelp);
  line.flag("--force", arguments.force, "replace an existing file");
  line.text("--threads", arguments.threads, "NUMBER", kThreadsHelp);
  line.text("--seed-not-private", arguments.seed, "NUMBER",
            "repeatable draws, which are of public words only");
  return line.parse(words) == CommandLine::Outcome::parsed;
}

void summarise_lift(const api::LiftAnswer& answer) {
  const Lifted& lifted = answer.lifted;
  say(fmt::format("{} of {} features lifted through {}", counted(lifted.features.rows, "word"),
                  lifted.features.columns, api::setting_text(answer.built.mechanism)));
  say("prior: " + prior_text(answer.prior));
  if (lifted.draws == 0) {
    say("exact: the law of the mechanism is known");
  } else {
    say(
        fmt::format("from {} draws: the standard error of a lifted feature is {:.3f} of the feature's "
                    "standard deviation",
                    grouped(lifted.draws), lifted.error.value_or(0)));
  }
  if (lifted.impossible > 0) {
    say(fmt::format("outputs {}: {}, each gets the prior mean",
                    lifted.draws == 0 ? "of probability 0" : "that were never drawn", lifted.impossible));
  }
}

}  // namespace

int run_lift(Words words) {
  LiftArguments arguments;
  if (!parse_lift(arguments, words)) return kDone;
  if (arguments.json && arguments.output == "-") {
    throw Error(ErrorCode::usage,
                "--json prints the answer to standard output, so the data must go to a file: add -o FILE");
  }
  const unsigned threads = thread_number(arguments.threads);
  api::LiftRequest request{.setting = chosen_setting(arguments.choice),
                           .adversary = {.prior = arguments.prior},
                           .by_draws = arguments.by_draws,
                           .seed_not_private = seed_number(arguments.seed)};
  if (!arguments.draws.empty()) request.draws = whole_number("--draws", arguments.draws);
  request.model = open_model(arguments.choice.model);
  api::FeatureFile file = api::read_features(arguments.input, *request.model);
  request.features = std::move(file.features);
  const std::unique_ptr<ByteSink> sink =
      open_sink(arguments.output, arguments.force ? Overwrite::replace : Overwrite::refuse);
  ProgressBar bar(is_terminal(Stream::error) ? ProgressBar::Mode::on : ProgressBar::Mode::off);
  const api::LiftAnswer answer = api::lift(request, bar.work(threads));
  bar.clear();
  file.features = answer.lifted.features;
  api::write_features(file, *sink);
  sink->close();
  sink->finish();
  summarise_lift(answer);
  if (arguments.json) print_answer(to_json(answer));
  return kDone;
}

}  // namespace sotto::cli
