#include "arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <map>

#include "console.h"
#include "help_text.h"
#include "mechanism_flags.h"
#include "sotto/error.h"
#include "sotto/space.h"

namespace sotto::cli {

namespace {

constexpr char kParameterGroup[] = "Mechanism parameters";
// Understood, so that a slip is told by the mechanism's own message, but not in the help.
constexpr char kHiddenGroup[] = "Hidden";

// Options by group, their help in a column of its own, then the notes (the app's footer).
std::string help_of(const CLI::App& app) {
  constexpr std::size_t kColumn = 28;
  const std::size_t width = std::clamp<std::size_t>(terminal_width(Stream::output), 60, 106);
  std::string text = app.get_description() + "\n";
  for (const std::string& group : app.get_groups()) {
    const auto members = app.get_options(
        [&](const CLI::Option* option) { return option->get_group() == group && option->nonpositional(); });
    if (members.empty() || group == kHiddenGroup) continue;
    text += fmt::format("\n{}\n", group);
    for (const CLI::Option* option : members) {
      std::string names = fmt::format("  {} {}", option->get_name(false, true), option->get_option_text());
      while (names.ends_with(' ')) names.pop_back();
      names += names.size() + 1 < kColumn ? std::string(kColumn - names.size(), ' ')
                                          : "\n" + std::string(kColumn, ' ');
      text += names + wrapped(option->get_description(), width, kColumn) + "\n";
    }
  }
  const std::string footer = app.get_footer();
  std::string_view notes = footer;
  while (!notes.empty()) {
    const std::size_t end = std::min(notes.find("\n\n"), notes.size());
    std::string paragraph(notes.substr(0, end));
    std::ranges::replace(paragraph, '\n', ' ');
    text += "\n" + wrapped(paragraph, width, 0) + "\n";
    notes.remove_prefix(std::min(end + 2, notes.size()));
  }
  return text;
}

// A command's options. Values are taken as texts, also those that look like flags (`--epsilon -1`):
// our own parsers judge them.
class Command {
 public:
  Command(const char* name, const char* description) : app_(description, std::string("sotto ") + name) {
    app_.set_help_flag();
    app_.add_flag("-h,--help", help_, "show this text");
    app_.failure_message([](const CLI::App*, const CLI::Error&) { return std::string(); });
  }

  CLI::Option* text(const char* names, std::string& value, const char* placeholder, const std::string& help) {
    return app_.add_option(names, value, help)->option_text(placeholder);
  }
  // Limit: CLI11 reads a file called `[a,b]` as a list; `./[a,b]` is that file.
  void files(std::vector<std::string>& paths) { app_.add_option("files", paths); }
  CLI::Option* texts(const char* names, std::vector<std::string>& values, const char* placeholder,
                     const char* help) {
    return app_.add_option(names, values, help)->option_text(placeholder)->allow_extra_args(false);
  }
  void flag(const char* names, bool& value, const char* help) {
    app_.add_flag(names, value, help)->disable_flag_override();
  }
  void footer(const char* text) { app_.footer(text); }

  // --model, --mechanism, and one option for each parameter of any mechanism. The choice holds the default.
  void mechanism_choice(MechanismChoice& choice);

  enum class Outcome { parsed, helped };
  Outcome parse(Words words);

 private:
  [[noreturn]] void refuse(const CLI::ParseError& error) const;
  void check_values() const;
  [[noreturn]] void refuse_with(const std::string& message) const {
    throw Error(ErrorCode::usage,
                fmt::format("{} (`{} --help` lists the options)", message, app_.get_name()));
  }

  CLI::App app_;
  bool help_ = false;
  MechanismChoice* choice_ = nullptr;
  std::map<std::string, std::string> parameter_values_;
  std::map<std::string, bool> parameter_switches_;
};

void Command::mechanism_choice(MechanismChoice& choice) {
  choice_ = &choice;
  text("--model", choice.model, "FILE", "the .sotto model (default: the one that `sotto model fetch` gets)");
  text(
      "--mechanism", choice.mechanism, "NAME",
      fmt::format("what is done to words or vectors (default {}); see `sotto mechanisms`", choice.mechanism));
  for (const MechanismFlag& flag : mechanism_flags(find_mechanism(choice.mechanism))) {
    const std::string dashed = "--" + flag.name;
    CLI::Option* option =
        flag.placeholder.empty()
            ? app_.add_flag(dashed, parameter_switches_[flag.name], flag.help)->disable_flag_override()
            : text(dashed.c_str(), parameter_values_[flag.name], flag.placeholder.c_str(), flag.help);
    option->group(flag.help.empty() ? kHiddenGroup : kParameterGroup);
  }
}

// An option that took the next option for its value: a slip, and never a file that is called so.
void Command::check_values() const {
  for (const CLI::Option* option : app_.get_options()) {
    for (const std::string& value : option->results()) {
      if (!option->nonpositional() || !value.starts_with("--") || value.size() == 2) continue;
      const std::string name = value.substr(0, value.find('='));
      if (app_.get_option_no_throw(name) != nullptr) {
        refuse_with(fmt::format("{} needs a value before {}", option->get_name(), name));
      }
    }
  }
}

void Command::refuse(const CLI::ParseError& error) const {
  check_values();
  if (const auto extras = app_.remaining(); !extras.empty()) {
    refuse_with(fmt::format("not an option, or one argument too many: {}", fmt::join(extras, " ")));
  }
  // The parser's own message is not shown; it starts with the option's name, dashed or not.
  const std::string_view what = error.what();
  std::string name(what.substr(0, what.find_first_of(":, ")));
  if (!name.starts_with('-')) name.insert(0, "--");
  if (app_.get_option_no_throw(name) != nullptr) {
    const bool is_switch = app_.get_option_no_throw(name)->get_items_expected_max() == 0;
    refuse_with(fmt::format("{} {}", name, is_switch ? "takes no value" : "takes exactly one value, once"));
  }
  refuse_with("these arguments do not fit together");
}

Command::Outcome Command::parse(Words words) {
  std::vector<std::string> reversed;
  bool options_ended = false;
  for (const std::string& word : words) {
    options_ended = options_ended || word == "--";
    // CLI11 takes the next word for the value of `--name=`; an empty value is meant.
    if (!options_ended && word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1) {
      reversed.push_back(word.substr(0, word.size() - 1));
      reversed.emplace_back();
    } else {
      reversed.push_back(word);
    }
  }
  std::ranges::reverse(reversed);
  // Help is worth having also when the rest of the line is wrong.
  const bool asks_help = std::ranges::find(words, "--help") != words.end();
  try {
    if (!asks_help) app_.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    refuse(error);
  }
  check_values();
  if (asks_help || help_) {
    print(help_of(app_));
    return Outcome::helped;
  }
  if (choice_ != nullptr) {
    for (const auto& [name, value] : parameter_values_) {
      if (app_.count("--" + name) > 0) choice_->parameters[name] = value;
    }
    for (const auto& [name, given] : parameter_switches_) {
      if (given) choice_->parameters[name] = "true";
    }
  }
  return Outcome::parsed;
}

std::uint64_t whole_number(const char* flag, const std::string& text,
                           std::int64_t largest = std::numeric_limits<std::int64_t>::max()) {
  const std::int64_t value = parse_integer(flag, text);
  if (value >= 0 && value <= largest) return static_cast<std::uint64_t>(value);
  throw Error(ErrorCode::usage, fmt::format("{} {}: it must be from 0 to {}", flag, value, largest));
}

// 0 if not given: one per core.
unsigned thread_number(const std::string& given) {
  constexpr std::int64_t kMost = 1024;
  return given.empty() ? 0 : static_cast<unsigned>(whole_number("--threads", given, kMost));
}

std::optional<std::uint64_t> seed_number(const std::string& given) {
  if (given.empty()) return std::nullopt;
  return whole_number("--seed-not-private", given);
}

constexpr char kJsonHelp[] = "the answer as JSON on standard output";
constexpr char kThreadsHelp[] = "how many (default: one per core); the result does not depend on it";
constexpr char kSeedHelp[] = "repeatable output, for tests: whoever knows the seed can undo the noise";
constexpr char kSummaryHelp[] = "the summary as JSON on standard output (the data must go to a file)";
constexpr char kAnchorHelp[] =
    "the public anchor word that stands for unknown ones (default `something`, or the word nearest to the "
    "mean)";

}  // namespace

std::optional<ModelImportArguments> parse_model_import(Words words) {
  ModelImportArguments out;
  std::string limit;
  Command command("model import", kModelImportHelp);
  command.footer(kModelImportNotes);
  command.text("input", out.input, "FILE", "");
  command.text("-o,--output", out.output, "FILE", "the model to write, usually named .sotto (required)");
  command.text("--words", out.words, "FILE", "the words of an .npy matrix, one per line, for each row");
  command.text("--limit", limit, "N", "keep the first N words only");
  command.text("--vocabulary", out.vocabulary, "FILE", "keep only the words of this file, one per line");
  command.text("--format", out.format, "NAME",
               "glove | word2vec (also fastText .vec) | word2vec-binary | fasttext (.bin) | npm-json | npy | "
               "detect (default)");
  command.text("--name", out.name, "NAME", "the model's name (default: that of the output file)");
  command.flag("--alphabetic-only", out.alphabetic_only, "drop words that hold anything but letters");
  command.flag("--force", out.force, "replace an existing output file");
  command.flag("--json", out.json, kJsonHelp);
  if (command.parse(words) == Command::Outcome::helped) return std::nullopt;
  if (out.input.empty() || out.output.empty()) {
    throw Error(ErrorCode::usage, "`sotto model import` needs a file of word vectors and -o OUT.sotto");
  }
  if (!limit.empty()) out.limit = whole_number("--limit", limit);
  return out;
}

std::optional<ModelInfoArguments> parse_model_info(Words words) {
  ModelInfoArguments out;
  Command command("model info", kModelInfoHelp);
  command.text("model", out.model, "FILE", "");
  command.flag("--verify", out.verify, "recompute the identity from the contents (exit 1 if it differs)");
  command.flag("--json", out.json, kJsonHelp);
  if (command.parse(words) == Command::Outcome::helped) return std::nullopt;
  return out;
}

std::optional<ModelFetchArguments> parse_model_fetch(Words words) {
  ModelFetchArguments out;
  Command command("model fetch", kModelFetchHelp);
  command.flag("--json", out.json, kJsonHelp);
  if (command.parse(words) == Command::Outcome::helped) return std::nullopt;
  return out;
}

std::optional<ModelPrepareArguments> parse_model_prepare(Words words) {
  ModelPrepareArguments out;
  std::string count;
  std::string threads;
  Command command("model prepare", kModelPrepareHelp);
  command.text("model", out.model, "FILE.sotto", "");
  command.text("--words", count, "N", "how many words, most frequent first, or all (default 50000)");
  command.text("--metric", out.metric, "NAME", "the metric that tem will use (default euclidean)");
  command.text("--threads", threads, "N", kThreadsHelp);
  command.flag("-q,--quiet", out.quiet, "no progress and no summary");
  command.flag("--json", out.json, kJsonHelp);
  if (command.parse(words) == Command::Outcome::helped) return std::nullopt;
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

std::optional<MechanismsArguments> parse_mechanisms(Words words) {
  MechanismsArguments out;
  Command command("mechanisms", kMechanismsHelp);
  command.text("name", out.name, "NAME", "");
  command.flag("--json", out.json, kJsonHelp);
  command.flag("--markdown", out.markdown, "as Markdown (docs/mechanisms.md is made so)");
  if (command.parse(words) == Command::Outcome::helped) return std::nullopt;
  if (out.json && out.markdown) throw Error(ErrorCode::usage, "choose one of --json and --markdown");
  return out;
}

std::optional<PrivatizeArguments> parse_privatize(Words words) {
  PrivatizeArguments out;
  std::string threads;
  std::string seed;
  Command command("privatize", kPrivatizeHelp);
  command.footer(kPrivatizeNotes);
  command.files(out.inputs);
  command.text("-o,--output", out.output, "FILE",
               "where to (default: standard output); a folder for many inputs");
  command.mechanism_choice(out.choice);
  command.text("--format", out.format, "NAME", "text | csv | tsv | jsonl (default: by the file's extension)");
  command.texts("--column", out.columns, "NAME",
                "CSV, TSV: a column to privatise, by name or 1-based number; repeatable");
  command.flag("--no-header", out.no_header, "CSV, TSV: the first row is data");
  command.texts("--field", out.fields, "PATH",
                "JSONL: a field to privatise, nested as in `review.text`; repeatable");
  command.flag("--strip-html", out.strip_html, "remove HTML tags such as <br /> and decode entities first");
  command.text(
      "--unknown", out.unknown, "POLICY",
      "words that the model does not have: anchor (default) | mask | drop | keep. Only anchor is private");
  command.text("--unknown-word", out.unknown_word, "WORD", kAnchorHelp);
  command.text("--report", out.report, "FILE", "write the report of the release (JSON, for the data holder)");
  command.flag("--public-report", out.public_report,
               "leave every count taken from the input out of the report");
  command.flag("--force", out.force, "replace existing files; in a folder, do finished files again");
  command.flag("--allow-weak", out.allow_weak,
               "go on even if more than 90% of the words are expected to stay");
  command.text("--threads", threads, "N", kThreadsHelp);
  command.text("--seed-not-private", seed, "N", kSeedHelp);
  command.flag("--json", out.json, kSummaryHelp);
  command.flag("-q,--quiet", out.quiet, "no progress and no summary; warnings stay");
  if (command.parse(words) == Command::Outcome::helped) return std::nullopt;
  out.threads = thread_number(threads);
  out.seed_not_private = seed_number(seed);
  return out;
}

std::optional<VectorsArguments> parse_vectors(Words words) {
  VectorsArguments out;
  std::string threads;
  std::string seed;
  Command command("vectors", kVectorsHelp);
  command.footer(kVectorsNotes);
  command.text("input", out.input, "FILE", "");
  command.text("-o,--output", out.output, "FILE",
               "where to (default: standard output, as text); a name in .npy makes a matrix, others text");
  command.mechanism_choice(out.choice);
  command.text("--unknown-word", out.unknown_word, "WORD", kAnchorHelp);
  command.text("--report", out.report, "FILE", "write the report of the release (JSON, for the data holder)");
  command.flag("--force", out.force, "replace existing files");
  command.text("--threads", threads, "N", kThreadsHelp);
  command.text("--seed-not-private", seed, "N", kSeedHelp);
  command.flag("--json", out.json, kSummaryHelp);
  command.flag("-q,--quiet", out.quiet, "no summary; warnings stay");
  if (command.parse(words) == Command::Outcome::helped) return std::nullopt;
  out.threads = thread_number(threads);
  out.seed_not_private = seed_number(seed);
  return out;
}

std::optional<ExplainArguments> parse_explain(Words words) {
  ExplainArguments out;
  std::string top = "10";
  std::string draws = "0";
  Command command("explain", kExplainHelp);
  command.text("word", out.word, "WORD", "");
  command.mechanism_choice(out.choice);
  command.text("--top", top, "N", "how many outputs to show (default 10; 0: all)");
  command.text("--draws", draws, "N", "draws for an estimate (default: as many as take a few seconds)");
  command.text("--unknown-word", out.unknown_word, "WORD", kAnchorHelp);
  command.flag("--json", out.json, kJsonHelp);
  if (command.parse(words) == Command::Outcome::helped) return std::nullopt;
  if (out.word.empty())
    throw Error(ErrorCode::usage, "`sotto explain` needs a word: `sotto explain doctor --epsilon 2`");
  out.top = whole_number("--top", top);
  out.draws = whole_number("--draws", draws);
  return out;
}

}  // namespace sotto::cli
