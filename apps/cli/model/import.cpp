// sotto model import: a .sotto model from a file of word vectors.
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "api/models.h"
#include "cli/commands.h"
#include "cli/model/summary.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

namespace fs = std::filesystem;

constexpr char kModelImportHelp[] =
    R"(Make a .sotto model from a file of word vectors.

Usage: sotto model import FILE -o OUT.sotto [options]

  sotto model import glove.6B.100d.txt.gz -o glove.sotto --limit 50000
  sotto model import wiki.en.vec -o wiki.sotto --vocabulary words.txt
  sotto model import cc.en.300.bin -o cc.sotto --limit 100000
  sotto model import vectors.npy --words words.txt -o mine.sotto)";

constexpr char kModelImportNotes[] =
    R"(The file may be gzipped. Its order is taken for the order of frequency, as such files have it.

Words are folded (NFC, case, curly to straight apostrophes); of several that fold to one, the
first wins. What the tokeniser would not return whole, and vectors with NaN or of another length,
are dropped and counted.

Read next: docs/model-format.md)";

struct ModelImportArguments {
  std::string input;
  std::string output;
  std::string words;  // of an .npy file
  std::string vocabulary;
  std::string format = "detect";
  std::string name;
  std::size_t limit = 0;  // 0: all
  bool alphabetic_only = false;
  bool force = false;
  bool json = false;
};

std::optional<ModelImportArguments> parse_model_import(Words words) {
  ModelImportArguments out;
  std::string limit;
  CommandLine command("model import", kModelImportHelp);
  command.footer(kModelImportNotes);
  command.text("input", out.input, "FILE", "");
  command.text("-o,--output", out.output, "FILE", "the model to write, usually named .sotto (required)");
  command.text("--words", out.words, "FILE", "the words of an .npy matrix, one per line, for each row");
  command.text("--limit", limit, "N", "keep the first N words only");
  command.text("--vocabulary", out.vocabulary, "FILE", "keep only the words of this file, one per line");
  command.text("--format", out.format, "NAME",
               "glove | word2vec (also fastText .vec) | word2vec-binary | fasttext (.bin) | npm-json | npy | "
               "detect (default)");
  command.choices("--format",
                  {"glove", "word2vec", "word2vec-binary", "fasttext", "npm-json", "npy", "detect"});
  command.text("--name", out.name, "NAME", "the model's name (default: that of the output file)");
  command.flag("--alphabetic-only", out.alphabetic_only, "drop words that hold anything but letters");
  command.flag("--force", out.force, "replace an existing output file");
  command.flag("--json", out.json, kJsonHelp);
  if (command.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
  if (out.input.empty() || out.output.empty()) {
    throw Error(ErrorCode::usage, "`sotto model import` needs a file of word vectors and -o OUT.sotto");
  }
  if (!limit.empty()) out.limit = whole_number("--limit", limit);
  return out;
}

// Refused before an import of minutes rather than after it.
void check_files(const ModelImportArguments& arguments) {
  if (arguments.input == "-" && arguments.words == "-") {
    throw Error(ErrorCode::usage,
                "the vectors and --words cannot both be standard input; name one of the files");
  }
  std::error_code error;
  if (!fs::exists(arguments.output, error)) return;
  for (const std::string& input : {arguments.input, arguments.words}) {
    if (fs::equivalent(input, arguments.output, error)) {
      throw Error(ErrorCode::usage, "the output is the input file; choose another name for -o");
    }
  }
  if (fs::is_directory(arguments.output, error)) {
    throw Error(ErrorCode::usage, fmt::format("{} is a folder; -o names the model file", arguments.output));
  }
  if (!arguments.force && fs::is_regular_file(arguments.output, error)) {
    throw Error(ErrorCode::usage,
                fmt::format("{} exists; use --force to replace it, or another name", arguments.output));
  }
}

}  // namespace

int run_model_import(Words words) {
  const std::optional<ModelImportArguments> parsed = parse_model_import(words);
  if (!parsed) return kDone;
  const ModelImportArguments& arguments = *parsed;
  (void)parse_vector_format(arguments.format);
  check_files(arguments);
  const api::ImportAnswer answer =
      api::import_model({.input = arguments.input,
                         .output = arguments.output,
                         .format = arguments.format,
                         .words = arguments.words,
                         .vocabulary = arguments.vocabulary,
                         .name = arguments.name,
                         .limit = arguments.limit,
                         .alphabetic_only = arguments.alphabetic_only,
                         .existing = arguments.force ? Model::Existing::replace : Model::Existing::refuse});
  if (arguments.json) {
    print_answer(api::to_json(answer));
  } else {
    say(fmt::format("{}: {}, {}", arguments.output, counted(answer.model->size(), "word"),
                    counted(answer.model->dim(), "dimension")));
    say(fmt::format("{} read; dropped: {}", counted(answer.model->origin().rows_read, "row"),
                    dropped_text(answer.model->origin())));
  }
  return kDone;
}

}  // namespace sotto::cli
