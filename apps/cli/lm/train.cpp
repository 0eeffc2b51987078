// sotto lm train: a language model of public text, over the words of a model.
#include <fmt/format.h>

#include "api/language.h"
#include "cli/commands.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr char kLmTrainHelp[] =
    R"(Make a language model of public text, for `sotto attack`.

Usage: sotto lm train FILE... -o OUT.lm [options]

  sotto lm train public.txt --order 3 -o public.lm --model glove.sotto
  sotto lm train reviews.csv.gz --column text --strip-html -o reviews.lm
  sotto lm train public.txt -o public.lm)";

constexpr char kLmTrainNotes[] =
    R"(The command counts which words follow each other (interpolated Kneser-Ney over the words of the
model). Words that the model does not have count as the anchor. One document in twenty, up to
6,000 tokens, is kept out of the counts and stored in the file, so that the combined attacker
can fit its weights. Give public text only.

Read next: docs/attack.md)";

}  // namespace

int run_lm_train(Words words) {
  std::vector<std::string> inputs;
  std::string output;
  std::string model;
  std::string order = "3";
  ReadingTexts reading;
  api::LanguageTrainRequest request;
  bool json = false;
  bool force = false;
  CommandLine line("lm train", kLmTrainHelp);
  line.footer(kLmTrainNotes);
  line.files(inputs);
  line.text("-o,--output", output, "OUT.lm", "where to");
  line.text("--model", model, "FILE", kModelFileHelp);
  line.text("--order", order, "N", "words that are looked at together: 1, 2 or 3 (default 3)");
  line.reading_options(reading);
  line.flag("--strip-html", request.strip_html, "remove HTML tags such as <br /> and decode entities first");
  line.text("--unknown-word", request.unknown_word, "WORD", kAnchorHelp);
  line.flag("--force", force, "replace an existing output file");
  line.flag("--json", json, kJsonHelp);
  if (line.parse(words) == CommandLine::Outcome::helped) return kDone;
  if (inputs.empty() || output.empty()) {
    throw Error(ErrorCode::usage, "`sotto lm train` needs files of public text and -o OUT.lm");
  }
  request.order = whole_number("--order", order);
  request.reading = ReadingOptions::parse(reading);
  request.text = std::vector<std::filesystem::path>(inputs.begin(), inputs.end());
  request.model = open_model(model);
  ProgressBar bar(is_terminal(Stream::error) ? ProgressBar::Mode::on : ProgressBar::Mode::off);
  const api::LanguageAnswer answer = api::train_language_model(request, bar.work(0));
  answer.file->save(output, force ? Overwrite::replace : Overwrite::refuse);
  bar.clear();
  if (json) {
    print_answer(to_json(answer));
    return kDone;
  }
  const LanguageModel& lm = answer.file->model();
  say(fmt::format("{}: order {}, {}, {}", output, lm.order, counted(lm.bigrams.words.size(), "bigram"),
                  counted(lm.trigrams.words.size(), "trigram")));
  say(fmt::format("{} read, {}, {} of them unknown; {} held out for fitting weights",
                  counted(answer.documents, "document"), counted(answer.tokens, "token"),
                  grouped(answer.unknown), counted(lm.held_out.size(), "token")));
  return kDone;
}

}  // namespace sotto::cli
