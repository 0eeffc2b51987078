// sotto lm import: a language model of another program, over the words of a model.
#include <fmt/format.h>

#include "api/language.h"
#include "cli/commands.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr char kLmImportHelp[] =
    R"(Make a language model for `sotto attack` from an ARPA file or a binary Sphinx file.

Usage: sotto lm import FILE -o OUT.lm [options]

  sotto lm import english.arpa.gz -o english.lm --model glove.sotto
  sotto lm import en-us.lm.bin -o english.lm
  sotto lm import english.arpa.gz -o english.lm --force)";

constexpr char kLmImportNotes[] =
    R"(SRILM, KenLM and others write ARPA files. CMU Sphinx writes binary files (`.lm.bin`), which the
command recognises. Words that the model does not have are left out, and every context is scaled
so that its words sum to 1. An imported file holds no text, so the attacker `combined` is left out.

Read next: docs/attack.md)";

}  // namespace

int run_lm_import(Words words) {
  std::string input;
  std::string output;
  std::string model;
  api::LanguageImportRequest request;
  bool json = false;
  bool force = false;
  CommandLine line("lm import", kLmImportHelp);
  line.footer(kLmImportNotes);
  line.text("file", input, "FILE", "the language model; compressed ARPA files are recognised");
  line.text("-o,--output", output, "OUT.lm", "where to");
  line.text("--model", model, "FILE", kModelFileHelp);
  line.text("--unknown-word", request.unknown_word, "WORD", kAnchorHelp);
  line.flag("--force", force, "replace an existing output file");
  line.flag("--json", json, kJsonHelp);
  if (line.parse(words) == CommandLine::Outcome::helped) return kDone;
  if (input.empty() || output.empty()) {
    throw Error(ErrorCode::usage, "`sotto lm import` needs a file and -o OUT.lm");
  }
  request.file = input;
  request.model = open_model(model);
  const api::LanguageAnswer answer = api::import_language_model(request, {});
  answer.file->save(output, force ? Overwrite::replace : Overwrite::refuse);
  if (json) {
    print_answer(to_json(answer));
    return kDone;
  }
  const LanguageModel& lm = answer.file->model();
  say(fmt::format("{}: order {}, {}, {}; {} of {} words are not in the model", output, lm.order,
                  counted(lm.bigrams.words.size(), "bigram"), counted(lm.trigrams.words.size(), "trigram"),
                  grouped(answer.unknown), grouped(answer.tokens)));
  return kDone;
}

}  // namespace sotto::cli
