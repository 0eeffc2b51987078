// sotto tune: which mechanism at which epsilon.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "cli/commands.h"
#include "cli/measure/request.h"
#include "cli/tune/page.h"
#include "cli/tune/text.h"
#include "core/byte_stream.h"
#include "html/text.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr char kHelp[] =
    R"(Finds which mechanism at which epsilon serves best: over all proven mechanisms, the error of the
best adversary (E_opt) against the loss of utility (L), the frontier of the two, and for a given bound
the `sotto privatize` command to run. Exit code 1 if nothing keeps the bounds.

Usage: sotto tune [options]

  sotto tune --max-loss 0.5
  sotto tune --words lexicon.txt --labels positive=pos.txt --labels negative=neg.txt --max-loss 0.4
  sotto tune --min-inference-error 0.6 --html frontier.html --csv points.csv
  sotto tune --max-certified-epsilon 2 --mechanisms tem,laplace
  sotto tune --algorithm paper --max-loss 0.5
  sotto tune --candidates settings.txt --csv points.csv)";

constexpr char kNotes[] =
    R"(With --max-loss the largest E_opt wins; with --min-inference-error or --max-certified-epsilon alone the
smallest L. Decisions are made on the pessimistic end of each interval: E_opt by its low end, L by its high end.
laplace, mahalanobis and vickrey are known from draws only, so their E_opt is a bracket; more --draws narrow it.
Equal epsilons are not equal privacy in practice: the answer shows the other mechanisms at the same certified
epsilon and at the same E_opt.

The default loss is label if labels are given (the output has not the label of the input: another one, or none),
else changed. Draws use a fixed seed, the same for every setting: they are estimates about a public model, and
nothing is released.

--candidates: one line for each mechanism with its flags, epsilon a list: `vickrey --t 0.5 --epsilon 1,2,5,10`.
Exactly these are measured. --resume keeps finished settings in a file of mode 0600; its figures depend on the
prior, so treat it as you treat the prior.)";

constexpr std::int64_t kMostDraws = 100'000'000;

struct TuneArguments {
  std::string model;
  AdversaryArguments adversary;
  std::string loss;
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

UtilityLoss chosen_loss(const TuneArguments& arguments) {
  const bool labels = !arguments.adversary.labels.empty();
  if (arguments.loss.empty()) return labels ? UtilityLoss::label : UtilityLoss::changed;
  for (const UtilityLoss loss :
       {UtilityLoss::changed, UtilityLoss::distance, UtilityLoss::label, UtilityLoss::flip}) {
    if (loss_name(loss) != arguments.loss) continue;
    if (!labels && (loss == UtilityLoss::label || loss == UtilityLoss::flip)) {
      throw Error(ErrorCode::usage, fmt::format("--loss {} needs --labels", arguments.loss));
    }
    return loss;
  }
  throw Error(ErrorCode::usage,
              fmt::format("--loss {}: it must be changed, distance, label or flip", arguments.loss));
}

enum class Limit { none, share };
std::optional<double> bound(const char* flag, const std::string& text, Limit limit) {
  if (text.empty()) return std::nullopt;
  const double value = parse_number(flag, text, Infinity::refused);
  if (value < 0 || (limit == Limit::share && value > 1)) {
    throw Error(ErrorCode::usage,
                fmt::format("{} {}: it must be {}", flag, text,
                            limit == Limit::share ? "from 0 to 1, as a probability" : "at least 0"));
  }
  return value;
}

Constraints chosen_constraints(const TuneArguments& arguments, UtilityLoss loss) {
  return {.max_loss = bound("--max-loss", arguments.max_loss,
                            loss == UtilityLoss::distance ? Limit::none : Limit::share),
          .min_inference_error = bound("--min-inference-error", arguments.min_inference_error, Limit::share),
          .max_certified_epsilon =
              bound("--max-certified-epsilon", arguments.max_certified_epsilon, Limit::none)};
}

void check(const TuneArguments& arguments) {
  const bool paper = arguments.algorithm == "paper";
  if (!paper && arguments.algorithm != "frontier") {
    throw Error(ErrorCode::usage,
                fmt::format("--algorithm {}: it must be frontier or paper", arguments.algorithm));
  }
  if (paper && arguments.max_loss.empty()) {
    throw Error(ErrorCode::usage, "--algorithm paper needs --max-loss, the C of the paper's Algorithm 2");
  }
  if (paper && (!arguments.min_inference_error.empty() || !arguments.max_certified_epsilon.empty() ||
                !arguments.mechanisms.empty() || !arguments.candidates.empty())) {
    throw Error(ErrorCode::usage,
                "--algorithm paper searches vickrey for --max-loss alone: leave away --min-inference-error, "
                "--max-certified-epsilon, --mechanisms and --candidates");
  }
  if (!paper && arguments.exclude_input) {
    throw Error(
        ErrorCode::usage,
        "--exclude-input goes with --algorithm paper; in --candidates it is a flag of vickrey's lines");
  }
  if (!arguments.candidates.empty() && !arguments.mechanisms.empty()) {
    throw Error(ErrorCode::usage, "--candidates names the settings already: leave away --mechanisms");
  }
}

bool parse(TuneArguments& arguments, Words words) {
  CommandLine line("tune", kHelp);
  line.footer(kNotes);
  line.text("--model", arguments.model, "FILE", kModelFileHelp);
  adversary_options(line, arguments.adversary);
  line.text("--loss", arguments.loss, "LOSS", "what L counts: changed, distance, label or flip");
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
  line.text("--first-epsilon", arguments.first_epsilon, "NUMBER",
            "where --algorithm paper starts to double (default 1)");
  line.flag("--exclude-input", arguments.exclude_input,
            "with --algorithm paper: vickrey as printed, NOT PRIVATE, for comparisons only");
  line.text("--candidates", arguments.candidates, "FILE", "measure exactly these settings");
  line.text("--draws", arguments.draws, "NUMBER", "where only draws are known (default 32,768)");
  line.flag("--json", arguments.json, kJsonHelp);
  line.text("--csv", arguments.csv, "FILE", "also write every point, one per line");
  line.text("--html", arguments.html, "FILE", "also write a page with plots; it needs nothing else");
  line.text("--svg", arguments.svg, "FOLDER", "also write each plot as a file of its own");
  line.text("--resume", arguments.resume, "FILE", "keep finished settings there, and go on from them");
  line.flag("--force", arguments.force, "replace existing --csv, --html and --svg files");
  line.flag("--quiet", arguments.quiet, "no progress bar");
  line.text("--threads", arguments.threads, "NUMBER", kThreadsHelp);
  line.text("--seed-not-private", arguments.seed, "NUMBER", "another seed of the estimates (default 1)");
  return line.parse(words) == CommandLine::Outcome::parsed;
}

TuneAnswer search(const TuneArguments& arguments, TuneBench& bench, const Constraints& constraints,
                  TuneStore* store, const Work& work) {
  if (arguments.algorithm == "paper") {
    PaperSearch paper{
        .max_loss = *constraints.max_loss,
        .first_epsilon = parse_number("--first-epsilon", arguments.first_epsilon, Infinity::refused)};
    if (arguments.exclude_input) paper.parameters["exclude-input"] = "true";
    return tune_as_printed(bench, paper, store, work);
  }
  if (!arguments.candidates.empty()) {
    return tune_candidates(bench, read_candidates(*open_source(arguments.candidates)), constraints, store,
                           work);
  }
  return tune(bench,
              {.mechanisms = listed(arguments.mechanisms), .calibrations = listed(arguments.calibrations)},
              constraints, store, work);
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

void write_plots(const TuneArguments& arguments, const TuneSubject& subject) {
  if (arguments.svg.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(arguments.svg, failed);
  if (failed) throw Error(ErrorCode::input_output, fmt::format("cannot make the folder {}", arguments.svg));
  for (const auto& [name, plot] : tune_plots(subject)) {
    const auto file =
        Outputs::sink((std::filesystem::path(arguments.svg) / (name + ".svg")).string(), arguments);
    file->write(html::svg(plot));
    file->finish();
  }
}

}  // namespace

int run_tune(Words words) {
  TuneArguments arguments;
  if (!parse(arguments, words)) return kDone;
  check(arguments);
  const unsigned threads = thread_number(arguments.threads);
  const UtilityLoss loss = chosen_loss(arguments);
  const Constraints constraints = chosen_constraints(arguments, loss);
  const auto model = open_model(arguments.model);
  TuneQuestion question{.prior = chosen_prior(arguments.adversary, model),
                        .labels = chosen_labels(arguments.adversary, model),
                        .loss = loss};
  if (!arguments.draws.empty()) question.draws = whole_number("--draws", arguments.draws, kMostDraws);
  if (const auto seed = seed_number(arguments.seed)) question.seed = *seed;
  TuneBench bench(model, std::move(question));
  const Outputs outputs(arguments);
  std::unique_ptr<TuneStore> store;
  if (!arguments.resume.empty()) store = std::make_unique<TuneStore>(arguments.resume, bench);

  ProgressBar bar(is_terminal(Stream::error) && !arguments.quiet ? ProgressBar::Mode::on
                                                                 : ProgressBar::Mode::off);
  bar.start("tuning");
  const TuneAnswer answer = search(arguments, bench, constraints, store.get(), bar.work(threads));
  bar.clear();

  const TuneSubject subject{.bench = bench,
                            .answer = answer,
                            .constraints = constraints,
                            .model_flag = arguments.model.empty() ? ""
                                                                  : html::shell_line(std::vector<std::string>{
                                                                        "--model", arguments.model}),
                            .algorithm = arguments.candidates.empty() ? arguments.algorithm : "candidates"};
  if (outputs.csv) {
    outputs.csv->write(tune_csv(subject));
    outputs.csv->finish();
  }
  if (outputs.html) {
    std::vector<std::string> command = {"sotto", "tune"};
    command.insert(command.end(), words.begin(), words.end());
    outputs.html->write(tune_page(subject, command));
    outputs.html->finish();
  }
  write_plots(arguments, subject);
  if (arguments.json) {
    print_answer(tune_json(subject));
  } else {
    print(tune_text(subject, std::clamp<std::size_t>(terminal_width(Stream::output), 100, 140)));
  }
  return constraints.any() && !answer.choice.recommended ? kAnswerIsNo : kDone;
}

}  // namespace sotto::cli
