#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/parameters.h"
#include "sotto/reading.h"

namespace sotto::cli {

// The words of a command line after the name of the command.
using Words = std::span<const std::string>;

// A command throws sotto::Error or returns one of these exit codes.
inline constexpr int kDone = 0;
inline constexpr int kAnswerIsNo = 1;  // completed, but a check failed

// Hidden from the help: what the options are, for programs.
inline constexpr char kPrintOptions[] = "--print-options";

struct MechanismChoice {
  std::string model;  // empty: the default model
  std::string mechanism = "tem";
  ParameterTexts parameters;  // only those given on the command line
};

// A command's options. Values are taken as texts, also those that look like flags (`--epsilon -1`):
// our own parsers judge them. Only command_line.cpp includes CLI11, which is slow to compile.
class CommandLine {
 public:
  CommandLine(const char* name, const char* description);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // An option with a value, or, if `names` has no dash, the next positional argument.
  void text(const char* names, std::string& value, const char* placeholder, const std::string& help);
  // Limit: CLI11 reads a file called `[a,b]` as a list; `./[a,b]` is that file.
  void files(std::vector<std::string>& paths);
  void texts(const char* names, std::vector<std::string>& values, const char* placeholder, const char* help);
  void flag(const char* names, bool& value, const char* help);
  void footer(const char* text);
  // The values that an option or a positional argument declared before may have, for completion in a shell.
  // Nothing is checked here: our own parsers judge values.
  void choices(const char* name, std::vector<std::string> values);
  // --config FILE: a file (TOML or INI) in which every option of the command may stand, without its dashes.
  void config_file();
  // --model, --mechanism, and one option for each parameter of any mechanism. The choice holds the default.
  void mechanism_choice(MechanismChoice& choice);
  // --format, and the options of all formats; `texts` gets what is given, and outlives parse().
  void reading_options(ReadingTexts& texts);

  // Throws Error(usage). helped: help was asked for, and printed. The only word kPrintOptions prints the
  // options as JSON instead; packaging/manual.py makes man pages and completions from it.
  enum class Outcome { parsed, helped };
  Outcome parse(Words words);

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

// What CommandLine::reading_options was given, as words of a command line.
std::vector<std::string> reading_words(const ReadingTexts& said);

// Values of options, or Error(usage) that names the flag and what is allowed.
std::uint64_t whole_number(const char* flag, const std::string& text,
                           std::int64_t largest = std::numeric_limits<std::int64_t>::max());
unsigned thread_number(const std::string& given);  // 0 if not given: one per core
std::optional<std::uint64_t> seed_number(const std::string& given);

// Help of options that several commands have.
inline constexpr char kModelFileHelp[] = "the .sotto model (default: the one that `sotto model fetch` gets)";
inline constexpr char kJsonHelp[] = "the answer as JSON on standard output";
inline constexpr char kThreadsHelp[] = "how many (default: one per core); the result does not depend on it";
inline constexpr char kSeedHelp[] = "repeatable output, for tests: whoever knows the seed can undo the noise";
inline constexpr char kSummaryHelp[] = "the summary as JSON on standard output (the data must go to a file)";
inline constexpr char kAnchorHelp[] =
    "the public anchor word that stands for unknown ones (default `something`, or the word nearest to the "
    "mean)";

}  // namespace sotto::cli
