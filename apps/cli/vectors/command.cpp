// sotto vectors: what is promised, said first; then the vectors, block after block; then what was done.
#include "cli/vectors/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <vector>

#include "cli/commands.h"
#include "cli/vectors/rows.h"
#include "core/byte_stream.h"
#include "core/parallel.h"
#include "core/utc_time.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "sotto/error.h"
#include "sotto/rng.h"
#include "text/vector_report.h"

namespace sotto::cli {

namespace {

namespace fs = std::filesystem;

constexpr char kHelp[] =
    R"(Releases vectors: each is projected by a public matrix, noise is added, and the
result is rounded to a public grid.

Usage: sotto vectors [FILE] --epsilon NUMBER --dimension M [-o FILE] [options]

  sotto vectors docs.npy --epsilon 10 --dimension 50 -o private.npy
  sotto vectors docs.npy --epsilon 10 --dimension 50 --model glove.sotto -o private.npy
  sotto vectors words.txt --epsilon 10 --dimension 50 --model glove.sotto > private.txt

Without a file, or with `-`, standard input is read.)";

constexpr char kNotes[] =
    R"(The input is a NumPy file (.npy, a matrix of float32 or float64, one vector per row), known by its
first bytes; or else text with one word of the model per line, whose vectors are released (the words are
not written). A line that is no word of the model counts as the public anchor word. Compressed input
(gzip, zstd) is recognised.

What epsilon means: for two vectors at Euclidean distance d, the probabilities of any output differ by a
factor of at most e^(epsilon d). The noise has mean length M times the sensitivity / epsilon: compare it
with the length of your vectors. Vectors of a matrix longer than --clip (100) are scaled to that length.

--model gives public vectors, from which the default projection, pca, is made; without it the projection
is random with orthonormal rows, from a public seed. For words, --model is the model that has them.

What stays in clear: the number and order of the vectors, and the type of the numbers. Output is whole or
absent: it appears under its name only when all went well.)";

std::optional<VectorsArguments> parse(Words words) {
  VectorsArguments out;
  std::string threads;
  std::string seed;
  CommandLine command("vectors", kHelp);
  command.footer(kNotes);
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

void check_streams(const VectorsArguments& arguments) {
  if (arguments.json && arguments.output == "-") {
    throw Error(ErrorCode::usage,
                "--json needs the data in a file (-o FILE): data and answers never share a stream");
  }
  if (arguments.report == "-") {
    throw Error(ErrorCode::usage, "--report goes to a file: standard output is for the data");
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

// One vector per line, each number in the shortest form that reads back as the same one.
void append_lines(std::span<const double> values, const NpyShape& shape, std::string& out) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (shape.type == NpyShape::Type::float32) {
      fmt::format_to(std::back_inserter(out), "{}", static_cast<float>(values[i]));
    } else {
      fmt::format_to(std::back_inserter(out), "{}", values[i]);
    }
    out += (i + 1) % shape.cols == 0 ? '\n' : ' ';
  }
}

struct VectorsRun {
  const VectorsArguments& arguments;
  OpenedVectors opened;
  Mechanism mechanism;
  RandomSource random;
  VectorReleaseFacts facts;
  double seconds = 0;
};

// A block of rows has a random stream of its own, and its size depends on the dimension only, so that a
// seeded run does not depend on the number of threads.
void release(VectorsRun& run, ByteSink& sink) {
  const VectorMechanism& vectors = *run.mechanism.vectors;
  const NpyShape in = run.opened.rows->shape();
  const NpyShape out{.rows = in.rows, .cols = vectors.output_dim(), .type = in.type};
  const bool as_npy = is_named_npy(run.arguments.output);
  if (as_npy) sink.write(npy_header(out));
  const std::size_t block = std::clamp<std::size_t>((std::size_t{1} << 18) / in.cols, 1, 512);
  const std::size_t blocks = std::size_t{4} * thread_count(run.arguments.threads);
  std::vector<double> rows(blocks * block * in.cols);
  std::uint64_t first_stream = 0;
  for (;;) {
    // Whole batches but for the last: the reader may give less at a time.
    std::size_t count = 0;
    while (const std::size_t more = run.opened.rows->read(std::span(rows).subspan(count * in.cols))) {
      count += more;
      if (count == blocks * block) break;
    }
    if (count == 0) break;
    std::vector<std::string> bytes(blocks);
    parallel_blocks(count, block, run.arguments.threads, [&](std::size_t begin, std::size_t end) {
      std::vector<double> released((end - begin) * out.cols);
      Rng rng = run.random.stream(first_stream + begin / block);
      vectors.release_batch(std::span(rows).subspan(begin * in.cols, (end - begin) * in.cols), released, rng);
      std::string& own = bytes[begin / block];
      if (as_npy) {
        append_npy_values(released, out.type, own);
      } else {
        append_lines(released, out, own);
      }
    });
    for (const std::string& part : bytes) sink.write(part);
    run.facts.rows += count;
    first_stream += blocks;
  }
}

void announce(const VectorsRun& run) {
  const Mechanism& mechanism = run.mechanism;
  if (!run.arguments.quiet) {
    say(fmt::format("{} with epsilon {} (nominal)", mechanism.info->name,
                    number_text(mechanism.claim.epsilon)));
    say("guarantee: " + mechanism.claim.guarantee);
    for (const auto& [name, value] : mechanism.facts) say(fmt::format("{}: {}", name, value));
    if (const auto& expected = run.facts.expected) {
      say(fmt::format("expected: {} of the vectors (+- {}) lie nearest to their own word",
                      percent(expected->unchanged), percent(expected->unchanged_margin)));
    }
  }
  if (run.facts.expected && strength_of(run.facts.expected->unchanged) != Strength::ok) {
    const Strength strength = strength_of(run.facts.expected->unchanged);
    say(fmt::format("warning: strength {}: {}", strength_name(strength),
                    strength_sentence(strength, Released::vectors)));
  }
  if (run.facts.seeded_not_private) say("warning: not private: whoever knows the seed can undo the noise");
  if (mechanism.claim.status != Status::proven) {
    say(fmt::format("warning: the status of this mechanism is {}: {}", status_name(mechanism.claim.status),
                    mechanism.claim.caveat));
  }
}

void summarise(const VectorsRun& run) {
  say(fmt::format(
      "{} of {} dimensions{} in {:.1f} s", counted(run.facts.rows, "vector"),
      run.mechanism.vectors->output_dim(),
      run.facts.words ? fmt::format(" ({} unknown)", counted(run.facts.words->unknown, "word")) : "",
      run.seconds));
  say(fmt::format("status: {}{}", status_name(release_status(run.mechanism, run.facts)),
                  run.arguments.report.empty() ? "" : "; report in " + run.arguments.report));
}

Json answer_of(const VectorsRun& run) {
  const Mechanism& mechanism = run.mechanism;
  Json answer = start_answer("sotto.vectors/1");
  answer["mechanism"] = mechanism.info->name;
  answer["parameters"] = mechanism.parameters.texts();
  answer["nominal_epsilon"] = mechanism.claim.epsilon;
  answer["status"] = status_name(release_status(mechanism, run.facts));
  answer["strength"] =
      run.facts.expected ? Json(strength_name(strength_of(run.facts.expected->unchanged))) : Json(nullptr);
  answer["guarantee"] = mechanism.claim.guarantee;
  answer["facts"] = Json::object();
  for (const auto& [name, value] : mechanism.facts) answer["facts"][name] = value;
  answer["rows"] = run.facts.rows;
  answer["number_type"] = run.facts.number_type;
  if (run.facts.words) answer["unknown_words"] = run.facts.words->unknown;
  answer["released"] = Json::array();
  for (const ReleasedFile& file : run.facts.released.value_or(std::vector<ReleasedFile>())) {
    answer["released"].push_back({{"name", file.name}, {"sha256", file.sha256}});
  }
  answer["seconds"] = run.seconds;
  answer["report"] = run.arguments.report.empty() ? Json(nullptr) : Json(run.arguments.report);
  return answer;
}

}  // namespace

int run_vectors(Words words) {
  const std::optional<VectorsArguments> parsed = parse(words);
  if (!parsed) return kDone;
  const VectorsArguments& arguments = *parsed;
  check_streams(arguments);
  (void)parse_setting(arguments.choice.mechanism, arguments.choice.parameters);  // before anything is read
  if (find_mechanism(arguments.choice.mechanism).build_vectors == nullptr) {
    (void)build_vector_mechanism(arguments.choice.mechanism, {},
                                 arguments.choice.parameters);  // says why not
  }
  OpenedVectors opened = open_vectors(arguments);
  Mechanism mechanism =
      build_vector_mechanism(arguments.choice.mechanism, opened.input, arguments.choice.parameters);
  VectorsRun run{arguments,
                 std::move(opened),
                 std::move(mechanism),
                 arguments.seed_not_private ? RandomSource::seeded_not_private(*arguments.seed_not_private)
                                            : RandomSource::fresh(),
                 {}};
  run.facts.seeded_not_private = run.random.is_seeded();
  run.facts.model = run.opened.input.model;
  run.facts.words = run.opened.words;
  run.facts.number_type = run.opened.rows->shape().type == NpyShape::Type::float32 ? "float32" : "float64";
  run.facts.released_at = utc_now();
  if (run.facts.words) {
    run.facts.expected = vector_forecast(run.mechanism, *run.facts.model, arguments.threads);
  }
  announce(run);

  const Overwrite overwrite = arguments.force ? Overwrite::replace : Overwrite::refuse;
  std::optional<OutputFile> report;
  if (!arguments.report.empty()) report.emplace(arguments.report, overwrite);
  Sha256 hash;
  const std::unique_ptr<ByteSink> sink = open_sink(arguments.output, overwrite, &hash);
  const auto started = std::chrono::steady_clock::now();
  release(run, *sink);
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  sink->close();
  run.facts.released = {
      {.name = fs::path(arguments.output).filename().string(), .sha256 = hex_text(hash.digest())}};
  // The report first: data under its name means that all went well.
  if (report) {
    report->write(vector_report(run.mechanism, run.facts));
    report->commit();
  }
  sink->finish();
  if (!arguments.quiet) summarise(run);
  if (arguments.json) print_answer(answer_of(run));
  return kDone;
}

}  // namespace sotto::cli
