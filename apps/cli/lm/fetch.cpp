// sotto lm fetch: the default English language model into the cache.
#include <fmt/format.h>

#include "api/language.h"
#include "cli/commands.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/environment.h"
#include "shared/model_choice.h"

namespace sotto::cli {

namespace {

constexpr char kLmFetchHelp[] =
    R"(Download the default English language model for `sotto attack`. Needs apt-get.

Usage: sotto lm fetch [options]

  sotto lm fetch
  sotto lm fetch --model glove.sotto
  sudo apt-get install pocketsphinx-en-us; sotto lm fetch)";

constexpr char kLmFetchNotes[] =
    R"(The command takes a trigram model of 72,547 words from the Debian package pocketsphinx-en-us (24 MB,
BSD licence, Carnegie Mellon University). If the package is not installed, apt-get downloads it into a
folder that is removed; nothing is installed, and root is not needed. The command checks the SHA-256
of the file and keeps the language model for the words of the model, in the model's folder of
$XDG_CACHE_HOME/sotto (or ~/.cache/sotto). A sound file that is there is kept.

Read next: docs/attack.md)";

}  // namespace

int run_lm_fetch(Words words) {
  std::string model;
  bool json = false;
  CommandLine line("lm fetch", kLmFetchHelp);
  line.footer(kLmFetchNotes);
  line.text("--model", model, "FILE", kModelFileHelp);
  line.flag("--json", json, kJsonHelp);
  if (line.parse(words) == CommandLine::Outcome::helped) return kDone;
  const api::LanguageFetchRequest request{.model = open_model(model),
                                          .search_path = environment_value("PATH"),
                                          .environment = whole_environment(),
                                          .on_step = [](const std::string& step) { say(step); }};
  const api::LanguageAnswer answer = api::fetch_language_model(request, {});
  if (answer.was_there) say("the language model is there already");
  if (json) {
    print_answer(to_json(answer));
    return kDone;
  }
  const LanguageModel& lm = answer.file->model();
  say(fmt::format("{}: order {}, {}, {}", answer.path.string(), lm.order,
                  counted(lm.bigrams.words.size(), "bigram"), counted(lm.trigrams.words.size(), "trigram")));
  return kDone;
}

}  // namespace sotto::cli
