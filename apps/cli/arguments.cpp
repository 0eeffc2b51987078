#include "cli/arguments.h"

#include <limits>

#include "cli/help_text.h"
#include "sotto/error.h"
#include "sotto/space.h"

namespace sotto::cli {

namespace {

constexpr char kSummaryHelp[] = "the summary as JSON on standard output (the data must go to a file)";
constexpr char kAnchorHelp[] =
    "the public anchor word that stands for unknown ones (default `something`, or the word nearest to the "
    "mean)";

}  // namespace

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

std::optional<ModelInfoArguments> parse_model_info(Words words) {
  ModelInfoArguments out;
  CommandLine command("model info", kModelInfoHelp);
  command.text("model", out.model, "FILE", "");
  command.flag("--verify", out.verify, "also say so if the file states the right identity");
  command.flag("--json", out.json, kJsonHelp);
  if (command.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
  return out;
}

std::optional<ModelFetchArguments> parse_model_fetch(Words words) {
  ModelFetchArguments out;
  CommandLine command("model fetch", kModelFetchHelp);
  command.flag("--json", out.json, kJsonHelp);
  if (command.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
  return out;
}

std::optional<ModelPrepareArguments> parse_model_prepare(Words words) {
  ModelPrepareArguments out;
  std::string count;
  std::string threads;
  CommandLine command("model prepare", kModelPrepareHelp);
  command.text("model", out.model, "FILE.sotto", "");
  command.text("--words", count, "N", "how many words, most frequent first, or all (default 50000)");
  command.text("--metric", out.metric, "NAME", "the metric that tem will use (default euclidean)");
  command.text("--threads", threads, "N", kThreadsHelp);
  command.flag("-q,--quiet", out.quiet, "no progress and no summary");
  command.flag("--json", out.json, kJsonHelp);
  if (command.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
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
  CommandLine command("mechanisms", kMechanismsHelp);
  command.text("name", out.name, "NAME", "");
  command.flag("--json", out.json, kJsonHelp);
  command.flag("--markdown", out.markdown, "as Markdown (docs/mechanisms.md is made so)");
  if (command.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
  if (out.json && out.markdown) throw Error(ErrorCode::usage, "choose one of --json and --markdown");
  return out;
}

std::optional<PrivatizeArguments> parse_privatize(Words words) {
  PrivatizeArguments out;
  std::string threads;
  std::string seed;
  CommandLine command("privatize", kPrivatizeHelp);
  command.footer(kPrivatizeNotes);
  command.files(out.inputs);
  command.text("-o,--output", out.output, "FILE",
               "where to (default: standard output); a folder for many inputs");
  command.mechanism_choice(out.choice);
  command.text("--format", out.format, "NAME", "text | csv | tsv | jsonl (default: by the file's extension)");
  command.texts(
      "--column", out.columns, "NAME",
      "CSV, TSV: a column to privatise, by name or 1-based number (=NAME is always a name, #N always a "
      "number); repeatable");
  command.flag("--header", out.header, "CSV, TSV: the first row holds names, although it looks like data");
  command.flag("--no-header", out.no_header, "CSV, TSV: the first row is data");
  command.text("--tsv-quotes", out.tsv_quotes, "HOW",
               "TSV: what a quote at the start of a cell means: literal (an ordinary character) | excel (it "
               "encloses the cell, as in CSV). Not said: such a cell is an error");
  command.text(
      "--short-rows", out.short_rows, "HOW",
      "CSV, TSV: rows with fewer cells than the first: refuse (default) | pass (counted, and a leak)");
  command.texts("--field", out.fields, "PATH",
                "JSONL: a field to privatise, nested as in `review.text`; repeatable");
  command.text(
      "--missing-field", out.missing_field, "HOW",
      "JSONL: records without text at a chosen field: refuse (default) | pass (in clear; counted, and "
      "a leak)");
  command.flag("--strip-html", out.strip_html, "remove HTML tags such as <br /> and decode entities first");
  command.text(
      "--unknown", out.unknown, "POLICY",
      "words that the model does not have: anchor (default) | mask | drop | keep. Only anchor is private");
  command.text("--unknown-word", out.unknown_word, "WORD", kAnchorHelp);
  command.text("--report", out.report, "FILE", "write the report of the release (JSON, for the data holder)");
  command.flag("--public-report", out.public_report,
               "leave every count taken from the input out of the report");
  command.flag("--certify", out.certify,
               "put the certificate of this model into the report: computed if it is missing (seconds to a "
               "minute)");
  command.flag("--force", out.force, "replace existing files; in a folder, do finished files again");
  command.flag("--allow-weak", out.allow_weak,
               "go on even if more than 90% of the words are expected to stay");
  command.text("--threads", threads, "N", kThreadsHelp);
  command.text("--seed-not-private", seed, "N", kSeedHelp);
  command.flag("--json", out.json, kSummaryHelp);
  command.flag("-q,--quiet", out.quiet, "no progress and no summary; warnings stay");
  if (command.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
  out.threads = thread_number(threads);
  out.seed_not_private = seed_number(seed);
  return out;
}

std::optional<VectorsArguments> parse_vectors(Words words) {
  VectorsArguments out;
  std::string threads;
  std::string seed;
  CommandLine command("vectors", kVectorsHelp);
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
  if (command.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
  out.threads = thread_number(threads);
  out.seed_not_private = seed_number(seed);
  return out;
}

std::optional<ExplainArguments> parse_explain(Words words) {
  ExplainArguments out;
  std::string top = "10";
  std::string draws = "0";
  CommandLine command("explain", kExplainHelp);
  command.text("word", out.word, "WORD", "");
  command.mechanism_choice(out.choice);
  command.text("--top", top, "N", "how many outputs to show (default 10; 0: all)");
  command.text("--draws", draws, "N", "draws for an estimate (default: as many as take a few seconds)");
  command.text("--unknown-word", out.unknown_word, "WORD", kAnchorHelp);
  command.flag("--json", out.json, kJsonHelp);
  if (command.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
  if (out.word.empty())
    throw Error(ErrorCode::usage, "`sotto explain` needs a word: `sotto explain doctor --epsilon 2`");
  out.top = whole_number("--top", top);
  out.draws = whole_number("--draws", draws);
  return out;
}

}  // namespace sotto::cli
