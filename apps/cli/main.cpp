// sotto: the command line. Chooses the command.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/analysis_commands.h"
#include "cli/arguments.h"
#include "cli/help_text.h"
#include "shared/console.h"
#include "shared/program.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

template <typename Arguments>
int run(std::optional<Arguments> (*parse)(Words), int (*command)(const Arguments&), Words words) {
  const std::optional<Arguments> arguments = parse(words);
  return arguments ? command(*arguments) : kDone;
}

bool asks_help(const std::string& word) {
  return word == "--help" || word == "-h" || word == "help";
}

int run_model(Words words) {
  if (words.empty())
    throw Error(ErrorCode::usage, "`sotto model` needs one of: fetch, import, info, prepare");
  const std::string& verb = words.front();
  const Words rest = words.subspan(1);
  if (asks_help(verb)) {
    print(kModelHelp);
    return kDone;
  }
  if (verb == "import") return run(parse_model_import, model_import, rest);
  if (verb == "info") return run(parse_model_info, model_info, rest);
  if (verb == "prepare") return run(parse_model_prepare, model_prepare, rest);
  if (verb == "fetch") return run(parse_model_fetch, model_fetch, rest);
  throw Error(ErrorCode::usage,
              fmt::format("`sotto model {}` does not exist; there are: fetch, import, info, prepare", verb));
}

int run_command(Words words) {
  if (words.empty()) {
    say_raw(kMainHelp);
    return static_cast<int>(ErrorCode::usage);
  }
  const std::string& name = words.front();
  const Words rest = words.subspan(1);
  if (asks_help(name)) {
    print(fmt::format("sotto {}\n\n{}", SOTTO_VERSION, kMainHelp));
    return kDone;
  }
  if (name == "--version" || name == "-V") {
    print(fmt::format("sotto {}\n", SOTTO_VERSION));
    return kDone;
  }
  if (name == "privatize" || name == "privatise") return run(parse_privatize, privatize, rest);
  if (name == "vectors") return run(parse_vectors, vectors, rest);
  if (name == "explain") return run(parse_explain, explain, rest);
  if (name == "certify") return certify_command(rest);
  if (name == "audit") return audit_command(rest);
  if (name == "measure") return measure_command(rest);
  if (name == "tune") return tune_command(rest);
  if (name == "verify") return verify_command(rest);
  if (name == "mechanisms") return run(parse_mechanisms, list_mechanisms, rest);
  if (name == "model") return run_model(rest);
  throw Error(ErrorCode::usage,
              fmt::format("`sotto {}` does not exist; the commands are: privatize, vectors, explain, "
                          "certify, audit, measure, tune, verify, mechanisms, model fetch, model import, "
                          "model info, model prepare "
                          "(`sotto --help`)",
                          name));
}

}  // namespace

}  // namespace sotto::cli

int main(int argc, char** argv) {
  return sotto::cli::run_program({argv + 1, argv + argc}, sotto::cli::run_command);
}
