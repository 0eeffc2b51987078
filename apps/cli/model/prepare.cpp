// sotto model prepare: neighbourhoods of the most frequent words into the cache.
#include <fmt/format.h>

#include <limits>
#include <optional>

#include "cli/commands.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"

namespace sotto::cli {

namespace {

constexpr char kModelPrepareHelp[] =
    R"(Compute once what tem needs of each word, so that later runs start at full speed.

Usage: sotto model prepare [FILE.sotto] [options]   (no file: the default model)

  sotto model prepare
  sotto model prepare glove.sotto --words all
  sotto model prepare glove.sotto)";

constexpr char kModelPrepareNotes[] =
    R"(The command computes the nearest words of each word and the distances to the rest of the
vocabulary, and keeps them in the cache beside the model. It goes by the model's public word
order: nothing that depends on anyone's text is ever kept. Words that were not prepared still
work. They cost about a millisecond when they first occur.

Read next: docs/cli.md)";

struct ModelPrepareArguments {
  std::string model;  // empty: the default model
  std::string metric = "euclidean";
  std::size_t words = 50'000;  // 0: all
  unsigned threads = 0;
  bool quiet = false;
  bool json = false;
};

std::optional<ModelPrepareArguments> parse_model_prepare(Words words) {
  ModelPrepareArguments out;
  std::string count;
  std::string threads;
  CommandLine command("model prepare", kModelPrepareHelp);
  command.footer(kModelPrepareNotes);
  command.text("model", out.model, "FILE.sotto", "");
  command.text("--words", count, "N", "how many words, most frequent first, or all (default 50000)");
  command.text("--metric", out.metric, "NAME", "the metric that tem will use (default euclidean)");
  command.choices("--metric", {metric_names().begin(), metric_names().end()});
  command.text("--threads", threads, "N", kThreadsHelp);
  command.flag("-q,--quiet", out.quiet, "no progress and no summary");
  command.flag("--json", out.json, kJsonHelp);
  if (command.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
  if (count == "all") {
    out.words = 0;
  } else if (!count.empty()) {
    out.words =
        static_cast<std::size_t>(whole_number("--words", count, std::numeric_limits<std::uint32_t>::max()));
  }
  out.threads = thread_number(threads);
  (void)parse_metric(out.metric);
  return out;
}

}  // namespace

int run_model_prepare(Words words) {
  const std::optional<ModelPrepareArguments> parsed = parse_model_prepare(words);
  if (!parsed) return kDone;
  const ModelPrepareArguments& arguments = *parsed;
  ProgressBar bar(is_terminal(Stream::error) && !arguments.quiet ? ProgressBar::Mode::on
                                                                 : ProgressBar::Mode::off);
  bar.start("preparing");
  const api::PrepareAnswer answer = api::prepare_model(
      {.place = model_place(arguments.model), .metric = arguments.metric, .words = arguments.words},
      bar.work(arguments.threads));
  bar.clear();
  if (arguments.json) {
    print_answer(api::to_json(answer));
  } else if (!arguments.quiet) {
    say(fmt::format("{} of {} words prepared ({} metric) in {:.1f} s, {} MB in {}", grouped(answer.words),
                    grouped(answer.model_words), answer.metric, answer.seconds,
                    grouped(answer.bytes / 1'000'000), answer.file.string()));
  }
  return kDone;
}

}  // namespace sotto::cli
