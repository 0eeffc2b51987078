// sotto model list: the models of the cache folder.
#include <fmt/format.h>

#include "cli/commands.h"
#include "core/count_text.h"
#include "shared/answer.h"
#include "shared/command_line.h"
#include "shared/console.h"
#include "shared/model_choice.h"

namespace sotto::cli {

namespace {

constexpr char kModelListHelp[] =
    R"(List the models in the cache folder; --model takes their names.

Usage: sotto model list [options]

  sotto model list
  sotto model list --json
  sotto explain doctor --epsilon 3 --model glove-6b-100d)";

constexpr char kModelListNotes[] = R"(Read next: docs/cli.md)";

std::string list_text(const api::ModelListAnswer& answer) {
  if (answer.models.empty()) {
    return fmt::format("no models in {}: `sotto model fetch` gets the default model\n",
                       answer.folder.string());
  }
  std::string out = fmt::format("{:<24}{:>12}{:>12}\n", "name", "words", "dimension");
  for (const api::CachedModel& found : answer.models) {
    if (found.model) {
      out += fmt::format("{:<24}{:>12}{:>12}{}\n", found.name, grouped(found.model->size()),
                         found.model->dim(), found.is_default ? "  (default)" : "");
    } else {
      out += fmt::format("{:<24}cannot be used: {}\n", found.name, found.problem);
    }
  }
  return out + fmt::format("in {}\n", answer.folder.string());
}

}  // namespace

int run_model_list(Words words) {
  bool json = false;
  CommandLine command("model list", kModelListHelp);
  command.footer(kModelListNotes);
  command.flag("--json", json, kJsonHelp);
  if (command.parse(words) == CommandLine::Outcome::helped) return kDone;
  const api::ModelListAnswer answer = api::list_models(model_place("").cache);
  if (json) {
    print_answer(api::to_json(answer));
  } else {
    print(list_text(answer));
  }
  return kDone;
}

}  // namespace sotto::cli
