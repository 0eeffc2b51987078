#include "lab/privemb/skipgram.h"

#include <fmt/format.h>

#include <chrono>

#include "api/models.h"
#include "core/outside_program.h"
#include "lab/run.h"
#include "sotto/error.h"

namespace sotto::lab {

namespace {

constexpr char kPath[] = "PATH=/usr/local/bin:/usr/bin:/bin";

}  // namespace

bool has_fasttext() {
  const ProgramRun run =
      run_outside_program({.command = "command -v fasttext >/dev/null", .environment = {kPath}}, RunLimits{});
  return run.end == ProgramRun::End::finished && run.status == 0;
}

std::string skipgram_command(const SkipGramTraining& training) {
  return fmt::format(
      "fasttext skipgram -input TEXT -output VECTORS -dim {} -epoch {} -minCount {} -maxn 0 -thread 1 "
      "-verbose 0",
      training.dim, training.epochs, training.least_count);
}

void train_skipgram(const std::filesystem::path& text, const SkipGramTraining& training, GuardedFolder& work,
                    const std::filesystem::path& model) {
  if (!has_fasttext()) {
    throw Error(ErrorCode::input_output,
                "there is no program fasttext; `make lab` installs Debian's package fasttext");
  }
  tell(fmt::format("training vectors in {} dimensions", training.dim));
  constexpr std::string_view kText = "TEXT";
  constexpr std::string_view kVectors = "VECTORS";
  std::string command = skipgram_command(training);
  command.replace(command.find(kText), kText.size(), R"("$1")");
  command.replace(command.find(kVectors), kVectors.size(), R"("$2")");
  const std::filesystem::path vectors = work.path() / "vectors";
  const ProgramRun run = run_outside_program(
      {.command = std::move(command), .environment = {kPath}, .arguments = {text.string(), vectors.string()}},
      {.patience = std::chrono::hours(24)}, [&](pid_t group) { work.also_end(group); });
  work.also_end(0);
  if (run.end != ProgramRun::End::finished || run.status != 0) {
    throw Error(ErrorCode::input_output, fmt::format("fasttext ended with status {}", run.status));
  }
  api::import_model({.input = vectors.string() + ".vec",
                     .output = model,
                     .format = "word2vec",
                     .name = fmt::format("skip-gram-{}d", training.dim),
                     .existing = Model::Existing::replace});
}

}  // namespace sotto::lab
