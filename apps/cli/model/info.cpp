// sotto model info: what a model holds, where it came from and what is cached for it.
#include <fmt/ranges.h>

#include <optional>

#include "cli/commands.h"
#include "cli/model/summary.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"

namespace sotto::cli {

namespace {

constexpr char kModelInfoHelp[] =
    R"(Show what a model contains and where it came from.

Usage: sotto model info [FILE.sotto] [options]   (no file: the default model)

  sotto model info
  sotto model info glove.sotto
  sotto model info glove.sotto --json)";

constexpr char kModelInfoNotes[] =
    R"(The answer also lists what is kept in the cache for the model. The identity is computed from the
words and vectors. Exit code 1: the file states another identity.

Read next: docs/model-format.md)";

struct ModelInfoArguments {
  std::string model;
  bool verify = false;
  bool json = false;
};

std::optional<ModelInfoArguments> parse_model_info(Words words) {
  ModelInfoArguments out;
  CommandLine command("model info", kModelInfoHelp);
  command.footer(kModelInfoNotes);
  command.text("model", out.model, "FILE", "");
  command.flag("--verify", out.verify, "also say so if the file states the right identity");
  command.flag("--json", out.json, kJsonHelp);
  if (command.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
  return out;
}

std::string cached_text(const api::ModelInfoAnswer& answer) {
  if (answer.is_cache_ignored) {
    return fmt::format("nothing: others may enter the folder {}; run `chmod 700` on it",
                       answer.cache_folder.string());
  }
  if (answer.cached.empty()) return "nothing";
  return fmt::format("{}, in {}", fmt::join(answer.cached, ", "), answer.cache_folder.string());
}

std::string info_text(const api::ModelInfoAnswer& answer) {
  const Model& model = *answer.model;
  const ModelOrigin& origin = model.origin();
  std::string out;
  const auto row = [&](std::string_view label, const std::string& text) {
    out += fmt::format("{:<17}{}\n", label, text);
  };
  row("file", answer.file.string());
  row("name", origin.name.empty() ? "none" : origin.name);
  row("words", grouped(model.size()));
  row("dimension", std::to_string(model.dim()));
  row("identity", model.identity());
  row("source", origin.source.empty() ? "not recorded" : origin.source);
  row("licence", origin.licence.empty() ? "not recorded" : origin.licence);
  row("rows read", grouped(origin.rows_read));
  row("dropped", dropped_text(origin));
  std::string_view label = "folding";
  for (const std::string& rule : answer.folding) {
    row(label, rule);
    label = "";
  }
  row("near-duplicates", "not computed");
  row("distances", "smallest and largest not computed");
  row("cached", cached_text(answer));
  if (!answer.old_folder.empty()) {
    row("", fmt::format("{} is from an earlier version of sotto, is not used and can be removed",
                        answer.old_folder.string()));
  }
  return out;
}

}  // namespace

int run_model_info(Words words) {
  const std::optional<ModelInfoArguments> parsed = parse_model_info(words);
  if (!parsed) return kDone;
  const ModelInfoArguments& arguments = *parsed;
  const api::ModelInfoAnswer answer =
      api::model_info({.place = model_place(arguments.model), .verify = arguments.verify});
  const bool differs = !answer.states_its_identity();
  if (arguments.json) {
    print_answer(api::to_json(answer));
  } else {
    print(info_text(answer));
    if (answer.tells_identity()) {
      print(differs ? "verified         NO: the file states another identity than its contents have\n"
                    : "verified         yes: the file states the identity of its contents\n");
    }
  }
  if (differs) {
    say("the file states another identity than its words and vectors have: somebody changed it after it was "
        "made; do not use it, and fetch or import it again");
  }
  return differs ? kAnswerIsNo : kDone;
}

}  // namespace sotto::cli
