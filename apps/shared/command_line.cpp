#include "shared/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>

#include "core/suggestion.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/flag_names.h"
#include "shared/mechanism_flags.h"
#include "sotto/error.h"
#include "text/format.h"

namespace sotto::cli {

namespace {

// Groups of the help, in this order. Options that belong to no other group are the command's own.
constexpr char kOwnGroup[] = "Options";
constexpr char kReadingGroup[] = "Reading the input";
constexpr char kChoiceGroup[] = "Model and mechanism";
constexpr char kParameterGroup[] = "Mechanism parameters";
constexpr char kLedgerGroup[] = "Ledger";
constexpr char kRunningGroup[] = "Running";
constexpr std::array kGroups = {kOwnGroup,       kReadingGroup, kChoiceGroup,
                                kParameterGroup, kLedgerGroup,  kRunningGroup};
// Options of several commands that are known by their names alone.
constexpr std::array kRunningOptions = {"help",  "config",  "force",           "json",
                                        "quiet", "threads", "seed-not-private"};
constexpr std::array kLedgerOptions = {"ledger",          "ledger-key",     "subject", "document",
                                       "document-budget", "subject-budget", "require", "idempotency-hours"};
// Understood, so that a slip is told by the mechanism's own message, but not in the help.
constexpr char kHiddenGroup[] = "Hidden";

// Where the help lists an option.
std::string shown_group(const CLI::Option& option) {
  if (option.get_group() != kOwnGroup) return option.get_group();
  for (const std::string& name : option.get_lnames()) {
    if (std::ranges::find(kRunningOptions, name) != kRunningOptions.end()) return kRunningGroup;
    if (std::ranges::find(kLedgerOptions, name) != kLedgerOptions.end()) return kLedgerGroup;
    if (name == "model" || name == "mechanism") return kChoiceGroup;
  }
  return kOwnGroup;
}

// Options by group, their help in a column of its own, then the notes (the app's footer).
std::string help_of(const CLI::App& app) {
  constexpr std::size_t kColumn = 28;
  const std::size_t width = std::clamp<std::size_t>(terminal_width(Stream::output), 60, 106);
  std::string text = app.get_description() + "\n";
  for (const std::string_view group : kGroups) {
    const auto members = app.get_options(
        [&](const CLI::Option* option) { return shown_group(*option) == group && option->nonpositional(); });
    if (members.empty()) continue;
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

}  // namespace

class CommandLine::Parser {
 public:
  Parser(const char* name, const char* description) : app_(description, std::string("sotto ") + name) {
    app_.set_help_flag();
    app_.add_flag("-h,--help", help_, "show this text");
    app_.failure_message([](const CLI::App*, const CLI::Error&) { return std::string(); });
  }

  CLI::Option* text(const char* names, std::string& value, const char* placeholder, const std::string& help) {
    return app_.add_option(names, value, help)->option_text(placeholder);
  }
  // Limit: CLI11 reads a file called `[a,b]` as a list; `./[a,b]` is that file.
  void files(std::vector<std::string>& paths) { app_.add_option("files", paths)->option_text("FILE..."); }
  CLI::Option* texts(const std::string& names, std::vector<std::string>& values,
                     const std::string& placeholder, const std::string& help) {
    return app_.add_option(names, values, help)->option_text(placeholder)->allow_extra_args(false);
  }
  void flag(const char* names, bool& value, const char* help) {
    app_.add_flag(names, value, help)->disable_flag_override();
  }
  void footer(const char* text) { app_.footer(text); }
  void choices(const std::string& name, std::vector<std::string> values) {
    choices_[app_.get_option(name)] = std::move(values);
  }
  void config_file() {
    app_.set_config("--config", "", "a file in which every option may stand: `listen = \"127.0.0.1:7411\"`")
        ->option_text("FILE");
    app_.allow_config_extras(CLI::config_extras_mode::error);
  }

  // --model, --mechanism, and one option for each parameter of any mechanism. The choice holds the default.
  void mechanism_choice(MechanismChoice& choice);
  void reading_options(ReadingTexts& texts);

  Outcome parse(Words words);

 private:
  [[noreturn]] void refuse(const CLI::ParseError& error) const;
  [[noreturn]] void refuse_extra(const std::vector<std::string>& extras) const;
  void check_values() const;
  [[nodiscard]] api::Json description() const;
  [[noreturn]] void refuse_with(const std::string& message) const {
    throw Error(ErrorCode::usage,
                fmt::format("{} (`{} --help` lists the options)", message, app_.get_name()));
  }

  CLI::App app_;
  bool help_ = false;
  MechanismChoice* choice_ = nullptr;
  std::map<std::string, std::string> parameter_values_;
  std::map<std::string, bool> parameter_switches_;
  std::map<const CLI::Option*, std::vector<std::string>> choices_;
};

void CommandLine::Parser::mechanism_choice(MechanismChoice& choice) {
  choice_ = &choice;
  text("--model", choice.model, "FILE", kModelFileHelp);
  text(
      "--mechanism", choice.mechanism, "NAME",
      fmt::format("what is done to words or vectors (default {}); see `sotto mechanisms`", choice.mechanism));
  const MechanismInfo& example = find_mechanism(choice.mechanism);
  choices("--mechanism", mechanism_names(example));
  for (const MechanismFlag& flag : mechanism_flags(example)) {
    const std::string dashed = "--" + flag.name;
    CLI::Option* option =
        flag.placeholder.empty()
            ? app_.add_flag(dashed, parameter_switches_[flag.name], flag.help)->disable_flag_override()
            : text(dashed.c_str(), parameter_values_[flag.name], flag.placeholder.c_str(), flag.help);
    option->group(flag.help.empty() ? kHiddenGroup : kParameterGroup);
    choices_[option] = flag.choices;
  }
}

// `said` gets what is given, without a step after parsing: an option that is not given stays without texts.
void CommandLine::Parser::reading_options(ReadingTexts& said) {
  const auto listed = [](const std::vector<const FormatInfo*>& found, const char* separator) {
    std::vector<std::string_view> names;
    std::ranges::transform(found, std::back_inserter(names), &FormatInfo::name);
    return fmt::format("{}", fmt::join(names, separator));
  };
  std::vector<const FormatInfo*> all;
  all.reserve(formats().size());
  for (const FormatInfo& format : formats()) all.push_back(&format);
  texts("--format", said["format"], "NAME", listed(all, " | ") + " (default: by the file's extension)")
      ->group(kReadingGroup);
  for (const FormatInfo* format : all) choices_[app_.get_option("--format")].emplace_back(format->name);
  for (const ReadingOption* option : sotto::reading_options()) {
    const std::string owners = listed(formats_with(*option), ", ") + ": ";
    const std::string name(option->name);
    if (option->kind != ReadingOption::Kind::flags) {
      const CLI::Option* made =
          texts("--" + name, said[name], std::string(option->placeholder), owners + std::string(option->help))
              ->group(kReadingGroup);
      for (const ReadingOption::Value& value : option->values) choices_[made].emplace_back(value.text);
      continue;
    }
    for (const ReadingOption::Value& value : option->values) {
      if (value.flag.empty()) continue;
      const std::string flag(value.flag);
      app_.add_flag_callback(
              "--" + flag, [&said, flag] { said[flag] = {}; }, owners + std::string(value.help))
          ->disable_flag_override()
          ->group(kReadingGroup);
    }
  }
}

// An option that took the next option for its value: a slip, and never a file that is called so.
void CommandLine::Parser::check_values() const {
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

void CommandLine::Parser::refuse_extra(const std::vector<std::string>& extras) const {
  std::vector<std::string> options;
  for (const CLI::Option* option : app_.get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  }
  const std::vector<std::string_view> names(options.begin(), options.end());
  for (const std::string& extra : extras) {
    if (!extra.starts_with("--") || extra.size() == 2) continue;
    const std::string typed = extra.substr(0, extra.find('='));
    if (const std::string meant = suggestion(typed, names); !meant.empty()) {
      refuse_with(fmt::format("there is no option {}{}", typed, meant));
    }
  }
  refuse_with(fmt::format("not an option, or one argument too many: {}", fmt::join(extras, " ")));
}

void CommandLine::Parser::refuse(const CLI::ParseError& error) const {
  check_values();
  if (const auto extras = app_.remaining(); !extras.empty()) {
    refuse_extra(extras);
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

api::Json CommandLine::Parser::description() const {
  api::Json out = {{"name", app_.get_name()},
                   {"description", app_.get_description()},
                   {"notes", with_flags(app_.get_footer())},
                   {"groups", kGroups},
                   {"options", api::Json::array()},
                   {"arguments", api::Json::array()}};
  for (const CLI::Option* option : app_.get_options()) {
    if (option->get_group() == kHiddenGroup) continue;
    api::Json row = {{"value", option->get_option_text()}, {"help", with_flags(option->get_description())}};
    row["choices"] = choices_.contains(option) ? choices_.at(option) : std::vector<std::string>();
    if (option->nonpositional()) {
      row["group"] = shown_group(*option);
      for (const std::string& name : option->get_snames()) row["names"].push_back("-" + name);
      for (const std::string& name : option->get_lnames()) row["names"].push_back("--" + name);
    }
    out[option->nonpositional() ? "options" : "arguments"].push_back(std::move(row));
  }
  return out;
}

CommandLine::Outcome CommandLine::Parser::parse(Words words) {
  for (const CLI::Option* option : app_.get_options()) {
    for (const std::string& name : option->get_lnames()) declare_flag(name);
  }
  if (words.size() == 1 && words.front() == kPrintOptions) {
    print_answer(description());
    return Outcome::helped;
  }
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

CommandLine::CommandLine(const char* name, const char* description)
    : parser_(std::make_unique<Parser>(name, description)) {}
CommandLine::~CommandLine() = default;
void CommandLine::text(const char* names, std::string& value, const char* placeholder,
                       const std::string& help) {
  parser_->text(names, value, placeholder, help);
}
void CommandLine::files(std::vector<std::string>& paths) {
  parser_->files(paths);
}
void CommandLine::texts(const char* names, std::vector<std::string>& values, const char* placeholder,
                        const char* help) {
  parser_->texts(names, values, placeholder, help);
}
void CommandLine::flag(const char* names, bool& value, const char* help) {
  parser_->flag(names, value, help);
}
void CommandLine::choices(const char* name, std::vector<std::string> values) {
  parser_->choices(name, std::move(values));
}
void CommandLine::config_file() {
  parser_->config_file();
}

void CommandLine::footer(const char* text) {
  parser_->footer(text);
}
void CommandLine::mechanism_choice(MechanismChoice& choice) {
  parser_->mechanism_choice(choice);
}
void CommandLine::reading_options(ReadingTexts& texts) {
  parser_->reading_options(texts);
}
CommandLine::Outcome CommandLine::parse(Words words) {
  return parser_->parse(words);
}

std::vector<std::string> reading_words(const ReadingTexts& said) {
  std::vector<std::string> words;
  const auto add_values = [&](std::string_view name) {
    const auto given = said.find(name);
    if (given == said.end()) return;
    for (const std::string& value : given->second) {
      words.insert(words.end(), {fmt::format("--{}", name), value});
    }
  };
  add_values("format");
  for (const ReadingOption* option : sotto::reading_options()) {
    if (option->kind != ReadingOption::Kind::flags) {
      add_values(option->name);
      continue;
    }
    for (const ReadingOption::Value& value : option->values) {
      if (!value.flag.empty() && said.contains(value.flag)) words.push_back(fmt::format("--{}", value.flag));
    }
  }
  return words;
}

std::uint64_t whole_number(const char* flag, const std::string& text, std::int64_t largest) {
  const std::int64_t value = parse_integer(flag, text);
  if (value >= 0 && value <= largest) return static_cast<std::uint64_t>(value);
  throw Error(ErrorCode::usage, fmt::format("{} {}: it must be from 0 to {}", flag, value, largest));
}

unsigned thread_number(const std::string& given) {
  constexpr std::int64_t kMost = 1024;
  return given.empty() ? 0 : static_cast<unsigned>(whole_number("--threads", given, kMost));
}

std::optional<std::uint64_t> seed_number(const std::string& given) {
  if (given.empty()) return std::nullopt;
  return whole_number("--seed-not-private", given);
}

}  // namespace sotto::cli
