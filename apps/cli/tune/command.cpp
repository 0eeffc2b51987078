// sotto tune: which mechanism at which epsilon.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>

#include "api/tune.h"
#include "cli/adversary.h"
#include "cli/commands.h"
#include "cli/tune/page.h"
#include "cli/tune/text.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/environment.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"
#include "sotto/reading.h"

namespace sotto::cli {

namespace {

constexpr char kTuneHelp[] =
    R"(Find the mechanism and the epsilon that protect best at a utility loss that you accept.

Usage: sotto tune [options]

  sotto tune --max-loss 0.5
  sotto tune --words lexicon.txt --labels positive=pos.txt --labels negative=neg.txt --max-loss 0.4
  sotto tune --min-inference-error 0.6 --html frontier.html --csv points.csv
  sotto tune --max-certified-epsilon 2 --mechanisms tem,laplace
  sotto tune --algorithm paper --max-loss 0.5
  sotto tune --candidates settings.txt --csv points.csv
  sotto tune --loss command:./my-task --input reviews.csv --column text --max-loss 0.2)";

constexpr char kTuneNotes[] =
    R"(The command tries all proven mechanisms. It shows the error of the best attacker (E_opt) against
the loss of utility (L), the settings that no other setting beats, and for a given bound the
`sotto privatize` command to run. Exit code 1: nothing keeps the bounds.

With --max-loss the largest E_opt wins; with --min-inference-error or --max-certified-epsilon alone the
smallest L. Decisions are made on the pessimistic end of each interval: E_opt by its low end, L by its high end.
laplace, mahalanobis and vickrey are known from draws only, so their E_opt is a bracket; more --draws narrow it.
Equal epsilons are not equal privacy in practice: the answer shows the other mechanisms at the same certified
epsilon and at the same E_opt.

The default loss is label if labels are given (the output has not the label of the input: another one, or none),
else changed. Draws use a fixed seed, the same for every setting: they are estimates about a public model, and
nothing is released.

--candidates: one line for each mechanism with its flags, epsilon a list: `vickrey --t 0.5 --epsilon 1,2,5,10`.
Exactly these are measured.

--loss command:PROGRAM runs PROGRAM (a shell command) once for each setting, with the path of a private copy of
--input as its last argument. It must print what the copy loses, one number from 0 to 1, such as 1 - accuracy, and
nothing else. Anything else, another exit status than 0, or more than --loss-timeout seconds is exit code 4. The
copy has the format of --input, mode 0600, and is removed. L then depends on your text: the answer is not private.
Settings that `sotto privatize` refuses are skipped unless --allow-weak.

--algorithm paper compares estimates of L and of the paper's E (eq. 4), as printed; the answer says what that lacks.

--resume keeps finished settings in a file of mode 0600; its figures depend on the prior, so treat it as you treat
the prior. Settings whose law has a closed form share one pass over all words. They are finished together, so a run
that is cut off in its first pass has kept nothing.

Read next: docs/tune.md)";

struct TuneArguments {
  std::string model;
  AdversaryArguments adversary;
  std::string loss;
  std::string input;
  ReadingTexts reading;
  std::string loss_timeout;
  std::string max_loss;
  std::string min_inference_error;
  std::string max_certified_epsilon;
  std::string mechanisms;
  std::string calibrations = "paper";
  std::string algorithm = "frontier";
  std::string first_epsilon = "1";
  std::string candidates;
  std::string draws;
  std::string csv;
  std::string html;
  std::string svg;
  std::string resume;
  std::string threads;
  std::string seed;
  bool exclude_input = false;
  bool allow_weak = false;
  bool certify = false;
  bool json = false;
  bool force = false;
  bool quiet = false;
};

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    if (!part.empty()) out.push_back(part);
  }
  return out;
}

std::optional<double> bound(const char* flag, const std::string& text) {
  if (text.empty()) return std::nullopt;
  return parse_number(flag, text, Infinity::refused);
}

api::TaskRequest task_of(const TuneArguments& arguments) {
  constexpr std::int64_t kLongest = 1'000'000;
  api::TaskRequest task{.input = std::filesystem::path(arguments.input),
                        .reading = arguments.reading,
                        .judge = OutsideProgram{.command = "", .environment = whole_environment()},
                        .folder = std::filesystem::temp_directory_path(),
                        .allow_weak = arguments.allow_weak};
  if (!arguments.loss_timeout.empty()) {
    task.patience = std::chrono::seconds(whole_number("--loss-timeout", arguments.loss_timeout, kLongest));
  }
  return task;
}

api::TuneRequest tune_request(const TuneArguments& arguments) {
  api::TuneRequest request{
      .adversary = request_of(arguments.adversary),
      .constraints = {.max_loss = bound("--max-loss", arguments.max_loss),
                      .min_inference_error = bound("--min-inference-error", arguments.min_inference_error),
                      .max_certified_epsilon =
                          bound("--max-certified-epsilon", arguments.max_certified_epsilon)},
      .algorithm = api::parse_algorithm(arguments.algorithm),
      .scope = {.mechanisms = listed(arguments.mechanisms), .calibrations = listed(arguments.calibrations)},
      .candidates = std::filesystem::path(arguments.candidates),
      .first_epsilon = parse_number("--first-epsilon", arguments.first_epsilon, Infinity::refused),
      .exclude_input = arguments.exclude_input,
      .resume = arguments.resume,
      .certify = arguments.certify};
  api::choose_loss(request, arguments.loss, task_of(arguments));
  if (!arguments.draws.empty()) request.draws = whole_number("--draws", arguments.draws);
  request.seed = seed_number(arguments.seed);
  check(request);
  return request;
}

bool parse_tune(TuneArguments& arguments, Words words) {
  CommandLine line("tune", kTuneHelp);
  line.footer(kTuneNotes);
  line.text("--model", arguments.model, "FILE", kModelFileHelp);
  adversary_options(line, arguments.adversary);
  line.text("--loss", arguments.loss, "LOSS",
            "what L counts: changed, distance, label or flip; or command:PROGRAM, what a program says of a "
            "private copy of --input");
  line.choices("--loss", {"changed", "distance", "label", "flip"});
  line.text("--input", arguments.input, "FILE", "with --loss command:PROGRAM: the text to copy");
  line.text("--loss-timeout", arguments.loss_timeout, "SECONDS",
            "with --loss command:PROGRAM: the longest time for one copy (default 600)");
  line.flag(
      "--allow-weak", arguments.allow_weak,
      "with --loss command:PROGRAM: also copies of which more than 90% of the words are expected to stay");
  line.reading_options(arguments.reading);
  line.text("--max-loss", arguments.max_loss, "NUMBER", "the largest L that is acceptable");
  line.text("--min-inference-error", arguments.min_inference_error, "NUMBER",
            "the smallest E_opt that is acceptable");
  line.text("--max-certified-epsilon", arguments.max_certified_epsilon, "NUMBER",
            "the largest epsilon that is acceptable: certified if known, else by theorem");
  line.text("--mechanisms", arguments.mechanisms, "NAMES",
            "only these, separated by commas (default: all proven ones)");
  line.text("--calibrations", arguments.calibrations, "NAMES",
            "of tem: paper, exact, flat (default paper; the others may take minutes for each epsilon)");
  line.text("--algorithm", arguments.algorithm, "NAME",
            "frontier (default), or paper: Algorithm 2 of vickrey-2021 as printed");
  line.choices("--calibrations", {"paper", "exact", "flat"});
  line.choices("--algorithm", {"frontier", "paper"});
  line.text("--first-epsilon", arguments.first_epsilon, "NUMBER",
            "where --algorithm paper starts to double (default 1)");
  line.flag("--exclude-input", arguments.exclude_input,
            "with --algorithm paper: vickrey as printed, NOT PRIVATE, for comparisons only");
  line.text("--candidates", arguments.candidates, "FILE", "measure exactly these settings");
  line.text("--draws", arguments.draws, "NUMBER", "where only draws are known (default 32,768)");
  line.flag("--certify", arguments.certify,
            "compute the certificate of every setting, where that is possible (seconds to a minute each)");
  line.flag("--json", arguments.json, kJsonHelp);
  line.text("--csv", arguments.csv, "FILE", "also write every point, one per line");
  line.text("--html", arguments.html, "FILE", "also write a page with plots; it needs nothing else");
  line.text("--svg", arguments.svg, "FOLDER", "also write each plot as a file of its own");
  line.text("--resume", arguments.resume, "FILE", "keep finished settings there, and go on from them");
  line.flag("--force", arguments.force, "replace existing --csv, --html and --svg files");
  line.flag("--quiet", arguments.quiet, "no progress bar, and no word on how long it takes");
  line.text("--threads", arguments.threads, "NUMBER", kThreadsHelp);
  line.text("--seed-not-private", arguments.seed, "NUMBER", "another seed of the estimates (default 1)");
  return line.parse(words) == CommandLine::Outcome::parsed;
}

// The files and options of `privatize` for the text that --input names.
std::vector<std::string> files_of(const TuneArguments& arguments) {
  if (arguments.input.empty()) return PrivatizeLine{}.files;
  const std::filesystem::path input = arguments.input;
  std::string ending = input.extension();
  if (ending == ".gz" || ending == ".zst") ending = input.stem().extension().string() + ending;
  std::vector<std::string> out = {arguments.input, "-o", "private" + ending};
  const std::vector<std::string> reading = reading_words(arguments.reading);
  out.insert(out.end(), reading.begin(), reading.end());
  return out;
}

// Opened before the work: a name that is taken is told at once.
struct Outputs {
  std::unique_ptr<ByteSink> csv;
  std::unique_ptr<ByteSink> html;

  static std::unique_ptr<ByteSink> sink(const std::string& path, const TuneArguments& arguments) {
    if (path.empty()) return nullptr;
    return open_sink(path, arguments.force ? Overwrite::replace : Overwrite::refuse);
  }
  explicit Outputs(const TuneArguments& arguments)
      : csv(sink(arguments.csv, arguments)), html(sink(arguments.html, arguments)) {}
};

void write_plots(const TuneArguments& arguments, const api::TuneAnswer& answer) {
  if (arguments.svg.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(arguments.svg, failed);
  if (failed) throw Error(ErrorCode::input_output, fmt::format("cannot make the folder {}", arguments.svg));
  for (const auto& [name, plot] : tune_plots(answer)) {
    const auto file =
        Outputs::sink((std::filesystem::path(arguments.svg) / (name + ".svg")).string(), arguments);
    file->write(html::svg(plot));
    file->finish();
  }
}

}  // namespace

int run_tune(Words words) {
  TuneArguments arguments;
  if (!parse_tune(arguments, words)) return kDone;
  const unsigned threads = thread_number(arguments.threads);
  api::TuneRequest request = tune_request(arguments);
  const Outputs outputs(arguments);
  request.model = open_model(arguments.model);
  ProgressBar bar(is_terminal(Stream::error) && !arguments.quiet ? ProgressBar::Mode::on
                                                                 : ProgressBar::Mode::off);
  if (!arguments.quiet) {
    request.on_estimate = [&](const TuneEstimate& estimate) {
      const std::string line = estimate_line(estimate);
      bar.clear();
      if (!line.empty()) say(line);
    };
  }
  const api::TuneAnswer answer = api::tune(request, bar.work(threads));
  bar.clear();
  const PrivatizeLine line{.model = arguments.model};
  if (outputs.csv) {
    outputs.csv->write(to_csv(answer));
    outputs.csv->finish();
  }
  if (outputs.html) {
    outputs.html->write(tune_page(answer, line, public_command("tune", words)));
    outputs.html->finish();
  }
  write_plots(arguments, answer);
  if (arguments.json) {
    print_answer(to_json(answer, line));
  } else {
    const PrivatizeLine own{.model = arguments.model, .files = files_of(arguments)};
    print(tune_text(answer, own, std::clamp<std::size_t>(terminal_width(Stream::output), 100, 140)));
  }
  return answer.fails() ? kAnswerIsNo : kDone;
}

}  // namespace sotto::cli
