// sotto model prepare: neighbourhoods of the most frequent words into the cache.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "cli/commands.h"
#include "neighbours/prepared.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"

namespace sotto::cli {

namespace {

constexpr char kHelp[] =
    R"(Computes, once, what tem needs to know of each word (its nearest words and the
distances to the rest of the vocabulary), and keeps it in the cache beside the model, so
that later runs start at full speed. In the model's public word order; nothing that
depends on anyone's text is ever kept. Words that were not prepared still work: they
cost about a millisecond when they first occur.

Usage: sotto model prepare [FILE.sotto] [options]   (no file: the default model)

  sotto model prepare
  sotto model prepare glove.sotto --words all)";

struct ModelPrepareArguments {
  std::string model;  // empty: the default model
  std::string metric = "euclidean";
  std::size_t words = 50'000;  // 0: all
  unsigned threads = 0;
  bool quiet = false;
  bool json = false;
};

std::optional<ModelPrepareArguments> parse(Words words) {
  ModelPrepareArguments out;
  std::string count;
  std::string threads;
  CommandLine command("model prepare", kHelp);
  command.text("model", out.model, "FILE.sotto", "");
  command.text("--words", count, "N", "how many words, most frequent first, or all (default 50000)");
  command.text("--metric", out.metric, "NAME", "the metric that tem will use (default euclidean)");
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
  const std::optional<ModelPrepareArguments> parsed = parse(words);
  if (!parsed) return kDone;
  const ModelPrepareArguments& arguments = *parsed;
  const std::shared_ptr<const Model> model = Model::open(model_path(arguments.model), cache_folder());
  const auto space = Space::make(model, parse_metric(arguments.metric));
  const std::size_t count = arguments.words == 0 ? model->size() : std::min(arguments.words, model->size());
  const auto started = std::chrono::steady_clock::now();
  ProgressBar bar(is_terminal(Stream::error) && !arguments.quiet ? ProgressBar::Mode::on
                                                                 : ProgressBar::Mode::off);
  bar.start("preparing");
  const auto path =
      prepare_neighbourhoods(space, count, arguments.threads, [&](std::size_t done, std::size_t total) {
        bar.update(Steps{.done = done, .total = total, .unit = "words"});
      });
  bar.clear();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(path, ignored);
  if (arguments.json) {
    Json answer = start_answer("sotto.model-prepare/1");
    answer["words"] = count;
    answer["model_words"] = model->size();
    answer["metric"] = arguments.metric;
    answer["identity"] = model->identity();
    answer["file"] = path.string();
    answer["bytes"] = bytes;
    answer["seconds"] = seconds;
    print_answer(answer);
  } else if (!arguments.quiet) {
    say(fmt::format("{} of {} words prepared ({} metric) in {:.1f} s, {} MB in {}", grouped(count),
                    grouped(model->size()), arguments.metric, seconds, grouped(bytes / 1'000'000),
                    path.string()));
  }
  return kDone;
}

}  // namespace sotto::cli
