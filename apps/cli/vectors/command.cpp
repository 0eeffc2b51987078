// sotto vectors: what is promised, said first; then the vectors, block after block; then what was done.
#include "cli/vectors/command.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "api/vectors.h"
#include "cli/commands.h"
#include "core/output_file.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/setting_choice.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"
#include "text/vector_rows.h"

namespace sotto::cli {

namespace {

namespace fs = std::filesystem;

constexpr char kVectorsHelp[] =
    R"(Add noise to vectors: the rows of a matrix (.npy, sparse .npz), or the vectors of words.

Usage: sotto vectors [FILE] --epsilon NUMBER --dimension M [-o FILE] [options]

  sotto vectors docs.npy --epsilon 10 --dimension 50 -o private.npy
  sotto vectors docs.npy --epsilon 10 --dimension 50 --model glove.sotto -o private.npy
  sotto vectors kgrams.npz --epsilon 1000 --dimension 100 --projection sparse -o private.npy
  sotto vectors words.txt --epsilon 10 --dimension 50 --model glove.sotto > private.txt

Without a file, or with `-`, standard input is read.)";

constexpr char kVectorsNotes[] =
    R"(Each vector is projected by a public matrix, noise is added, and the result is rounded to a
public grid.

The input is a NumPy file (.npy, a matrix of float32 or float64, one vector per row) or a sparse matrix of
scipy.sparse.save_npz (.npz, format csr), known by its first bytes; or else text with one word of the model
per line, whose vectors are released (the words are not written). A line that is no word of the model counts as the public anchor word. Compressed input
(gzip, zstd) is recognised.

What epsilon means: for two vectors at Euclidean distance d, the probabilities of any output differ by a
factor of at most e^(epsilon d). The noise has mean length M times the sensitivity / epsilon: compare it
with the length of your vectors. Vectors of a matrix longer than --clip (100) are scaled to that length.

--model gives public vectors, from which the default projection, pca, is made; without it the projection
is random with orthonormal rows, from a public seed. Making those rows takes minutes for a million
dimensions: --projection sparse is several times as fast. For words, --model is the model that has them.

What stays in clear: the number and order of the vectors, and the type of the numbers. Output is whole or
absent: it appears under its name only when all went well.

Read next: docs/specification.md)";

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
  declare_ledger(command, out.ledger);
  command.text("--threads", threads, "N", kThreadsHelp);
  command.text("--seed-not-private", seed, "N", kSeedHelp);
  command.flag("--json", out.json, kSummaryHelp);
  command.flag("-q,--quiet", out.quiet, "no summary; warnings stay");
  if (command.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
  out.threads = thread_number(threads);
  out.seed_not_private = seed_number(seed);
  return out;
}

void check_vector_streams(const VectorsArguments& arguments) {
  if (arguments.json && arguments.output == "-") {
    throw Error(ErrorCode::usage,
                "--json prints the answer to standard output, so the data must go to a file: add -o FILE");
  }
  if (arguments.report == "-") {
    throw Error(ErrorCode::usage,
                "--report - is not possible, because standard output is for the data; give a file, such as "
                "report.json");
  }
  std::error_code ignored;  // a file that is not there is none of the others
  for (const std::string& read : {arguments.input, arguments.choice.model}) {
    for (const std::string& written : {arguments.output, arguments.report}) {
      if (fs::equivalent(read, written, ignored)) {
        throw Error(ErrorCode::usage, "the output is an input (or the model); choose another name for it");
      }
    }
  }
  if (arguments.output == arguments.report || fs::equivalent(arguments.output, arguments.report, ignored)) {
    throw Error(ErrorCode::usage,
                "--report and the output are the same file; choose another name for one of them");
  }
}

void announce(const api::VectorsAnswer& promise, const VectorsArguments& arguments) {
  const Mechanism& mechanism = promise.mechanism;
  if (!arguments.quiet) {
    say(fmt::format("{} with epsilon {} (nominal)", mechanism.info->name,
                    number_text(mechanism.claim.epsilon)));
    say("guarantee: " + mechanism.claim.guarantee);
    for (const auto& [name, value] : mechanism.facts) say(fmt::format("{}: {}", name, value));
    if (const auto& expected = promise.facts.expected) {
      say(fmt::format("expected: {} of the vectors (+- {}) lie nearest to their own word",
                      percent(expected->unchanged), percent(expected->unchanged_margin)));
    }
  }
  if (const auto strength = promise.strength(); strength && *strength != Strength::ok) {
    say(fmt::format("warning: strength {}: {}", strength_name(*strength),
                    strength_sentence(*strength, Released::vectors)));
  }
  if (promise.facts.seeded_not_private) {
    say("warning: not private: whoever knows the seed can undo the noise");
  }
  if (mechanism.claim.status != Status::proven) {
    say(fmt::format("warning: the status of this mechanism is {}: {}", status_name(mechanism.claim.status),
                    mechanism.claim.caveat));
  }
}

void summarise(const api::VectorsAnswer& answer) {
  const auto& words = answer.facts.words;
  say(fmt::format("{} of {} dimensions{} in {:.1f} s", counted(answer.facts.rows, "vector"),
                  answer.mechanism.vectors->output_dim(),
                  words ? fmt::format(" ({} unknown)", counted(words->unknown, "word")) : "",
                  answer.seconds));
  say(fmt::format("status: {}{}", status_name(answer.status()),
                  answer.report_path.empty() ? "" : "; report in " + answer.report_path));
}

}  // namespace

int run_vectors(Words words) {
  const std::optional<VectorsArguments> parsed = parse_vectors(words);
  if (!parsed) return kDone;
  const VectorsArguments& arguments = *parsed;
  check_vector_streams(arguments);
  // Before anything is read.
  const Setting setting = chosen_setting(arguments.choice);
  if (setting.info->build_vectors == nullptr) (void)build_vector_mechanism(setting, {});  // says why not
  const std::string& model = arguments.choice.model;
  OpenedVectors opened = open_vectors(arguments.input, arguments.unknown_word,
                                      [&](VectorInput::Domain domain) -> std::shared_ptr<const Model> {
                                        if (domain == VectorInput::Domain::free && model.empty())
                                          return nullptr;
                                        return Model::open(model_path(model));
                                      });
  const Work work{.threads = arguments.threads};
  api::VectorRelease release({.mechanism = build_vector_mechanism(setting, opened.input),
                              .model = opened.input.model,
                              .words = std::move(opened.words),
                              .seed_not_private = arguments.seed_not_private,
                              .ledger = open_ledger_use(arguments.ledger)});
  announce(release.promise(work), arguments);

  const Overwrite overwrite = arguments.force ? Overwrite::replace : Overwrite::refuse;
  std::optional<OutputFile> report;
  if (!arguments.report.empty()) report.emplace(arguments.report, overwrite);
  saying_what_is_spent([&] { return !release.answer().spent.empty(); },
                       [&] {
                         const std::unique_ptr<ByteSink> sink =
                             release.file(*opened.rows, arguments.output, overwrite, work);
                         // The report first: data under its name means that all went well.
                         if (report) {
                           report->write(release.answer().report());
                           report->commit();
                         }
                         sink->finish();
                       });
  api::VectorsAnswer answer = release.answer();
  answer.report_path = arguments.report;
  if (!arguments.quiet) {
    summarise(answer);
    say_spent(answer.spent);
  }
  if (arguments.json) print_answer(api::to_json(answer));
  return kDone;
}

}  // namespace sotto::cli
