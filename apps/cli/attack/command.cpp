// sotto attack: how often an attacker who reads whole sentences guesses the original words.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "api/attack.h"
#include "api/evaluate.h"
#include "attack/documents.h"
#include "cli/attack/page.h"
#include "cli/attack/text.h"
#include "cli/commands.h"
#include "core/descriptor.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"
#include "shared/setting_choice.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr char kAttackHelp[] =
    R"(Attack a privatised text with a language model: how often are words guessed from context?

Usage: sotto attack FILE --epsilon NUMBER [--prior FILE.lm] [options]

  sotto lm fetch; sotto attack sample.txt --epsilon 3
  sotto lm train public.txt -o public.lm
  sotto attack sample.txt --epsilon 3 --prior public.lm
  sotto attack sample.csv --column text --mechanism laplace --epsilon 10 --prior public.lm --html attack.html
  sotto attack sample.txt --private private.txt --epsilon 3 --prior public.lm --json
  sotto attack sample.csv --column text --label-column stars --epsilon 3 --prior public.lm
  sotto attack sample.txt --epsilon 3 --prior command:./my-model)";

constexpr char kAttackNotes[] =
    R"(The attackers know the mechanism, its parameters and a language model of public text. They see a
release and guess every original word. The answer says how often each of them is wrong. The text
that you give is a stand-in for the private one: public, or your own. The command privatises it,
or --private names a release of it that exists already. Nothing of it is kept.

The errors are upper bounds of what is hidden: each attacker is real, and a better one errs less often.
Attack the mechanism with a language model of texts like yours: a poor one makes an attacker look weak.

The pair bound stands apart. It holds only if everything else leaves exactly two words equally likely.

Time: 100,000 tokens at 50,000 words took 323 s of processor time (tem). Other laws are first estimated by
draws (--draws), which takes minutes.

Read next: docs/attack.md)";

struct AttackArguments {
  MechanismChoice choice;
  std::string sample;
  std::string released;
  std::string html;
  std::string sentences;
  std::string label_column;
  std::string draws;
  std::string threads;
  std::string seed;
  ReadingTexts reading;
  api::AttackRequest request;
  bool json = false;
  bool force = false;
  bool quiet = false;
};

bool parse_attack(AttackArguments& out, Words words) {
  CommandLine line("attack", kAttackHelp);
  line.footer(kAttackNotes);
  line.text("sample", out.sample, "FILE", "the text to attack (`-`: standard input)");
  line.mechanism_choice(out.choice);
  line.text("--prior", out.request.prior, "FILE",
            "the language model, made by `sotto lm train` or `lm import`; or command:PROGRAM, any program "
            "that answers as one (docs/attack.md); default: general English, from `sotto lm fetch`");
  line.text("--private", out.released, "FILE", "a release of the text by this mechanism (default: make one)");
  line.reading_options(out.reading);
  line.flag("--strip-html", out.request.strip_html,
            "remove HTML tags such as <br /> and decode entities first");
  line.text("--unknown-word", out.request.unknown_word, "WORD", kAnchorHelp);
  line.text("--label-column", out.label_column, "NAME",
            "a column or field with the label of each document: also measure how well labels are guessed");
  line.texts("--labels", out.request.lexicon, "FILE",
             "with --label-column: a public lexicon, as NAME=FILE once for each label, one word per line");
  line.text("--draws", out.draws, "NUMBER",
            "draws that estimate a law without a closed form (default 500,000)");
  line.flag("--json", out.json, kJsonHelp);
  line.text("--html", out.html, "FILE", "also write a page with plots; it needs nothing else");
  line.text(
      "--show-sentences", out.sentences, "FILE",
      "also write the documents, their releases and the best guesses. The file holds the text in clear; "
      "only you can read it (mode 0600)");
  line.flag("--force", out.force, "replace existing --html and --show-sentences files");
  line.flag("-q,--quiet", out.quiet, "no progress bar; warnings stay");
  line.text("--threads", out.threads, "NUMBER", kThreadsHelp);
  line.text("--seed-not-private", out.seed, "NUMBER", kSeedHelp);
  if (line.parse(words) == CommandLine::Outcome::helped) return false;
  if (out.sample.empty()) {
    throw Error(ErrorCode::usage,
                "`sotto attack` needs a text to attack: sotto attack FILE --epsilon NUMBER");
  }
  if (out.sample == "-" && !out.label_column.empty()) {
    throw Error(ErrorCode::usage, "--label-column reads the text twice: give a file, not standard input");
  }
  if (!out.request.lexicon.empty() && out.label_column.empty()) {
    throw Error(ErrorCode::usage,
                "--labels needs --label-column: the column that holds the label of each document");
  }
  if (out.sample == "-" && out.released == "-") {
    throw Error(ErrorCode::usage,
                "the text and --private cannot both be standard input; name one of the files");
  }
  return true;
}

std::vector<std::string> documents_of(const std::string& path, const ReadingOptions& reading) {
  std::vector<std::string> out;
  for_each_document(path, reading, [&](std::string_view text) { out.emplace_back(text); });
  return out;
}

// A file of the user alone from its first byte on.
class ClearTextFile {
 public:
  ClearTextFile(const std::string& path, Overwrite overwrite) : path_(path) {
    const int how = overwrite == Overwrite::replace ? O_TRUNC : O_EXCL;
    file_ = Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | how, 0600));
    const int error = errno;
    if (!file_.is_open() && error == EEXIST) {
      throw Error(ErrorCode::usage, shown(path) + " exists; use --force to replace it, or another name");
    }
    if (!file_.is_open() || ::fchmod(file_.get(), 0600) != 0) {
      throw Error(ErrorCode::input_output,
                  "cannot write " + shown(path) + ": " + system_message(file_.is_open() ? errno : error));
    }
  }
  void write(std::string_view text) { write_all(file_.get(), text, shown(path_)); }

 private:
  std::string path_;
  Descriptor file_;
};

}  // namespace

int run_attack(Words words) {
  AttackArguments arguments;
  if (!parse_attack(arguments, words)) return kDone;
  api::AttackRequest& request = arguments.request;
  const unsigned threads = thread_number(arguments.threads);
  const Overwrite overwrite = arguments.force ? Overwrite::replace : Overwrite::refuse;
  request.setting = chosen_setting(arguments.choice);
  request.seed_not_private = seed_number(arguments.seed);
  if (!arguments.draws.empty()) request.draws = whole_number("--draws", arguments.draws, 100'000'000);
  const ReadingOptions reading = ReadingOptions::parse(arguments.reading);
  if (arguments.label_column.empty()) {
    request.sample = documents_of(arguments.sample, reading);
  } else {
    api::LabelledTexts labelled =
        api::read_labelled(arguments.sample, arguments.reading, arguments.label_column);
    request.sample = std::move(labelled.texts);
    request.labels = std::move(labelled.labels);
  }
  if (!arguments.released.empty()) request.released = documents_of(arguments.released, reading);
  const std::unique_ptr<ByteSink> html =
      arguments.html.empty() ? nullptr : open_sink(arguments.html, overwrite);
  std::optional<ClearTextFile> sentences;
  if (!arguments.sentences.empty()) sentences.emplace(arguments.sentences, overwrite);
  request.keep_sentences = sentences.has_value();
  request.model = open_model(arguments.choice.model);

  ProgressBar bar(is_terminal(Stream::error) && !arguments.quiet ? ProgressBar::Mode::on
                                                                 : ProgressBar::Mode::off);
  const api::AttackAnswer answer = api::attack(request, bar.work(threads));
  bar.clear();
  if (html) {
    html->write(attack_page(answer));
    html->finish();
  }
  if (sentences) {
    sentences->write(sentences_text(answer));
    say(arguments.sentences + " holds the text in clear: keep it as you keep the original, or delete it");
  }
  if (arguments.json) {
    print_answer(to_json(answer));
  } else {
    print(attack_text(answer, std::clamp<std::size_t>(terminal_width(Stream::output), 100, 140)));
  }
  return kDone;
}

}  // namespace sotto::cli
