// sotto-lab: the papers' experiments, and three of our own. Chooses the experiment; lab/experiments.h lists
// them.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "html/text.h"
#include "lab/experiments.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/program.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr char kLabHelp[] = R"(Usage: sotto-lab EXPERIMENT [options]

  tem       reviews privatised by laplace and tem: classifiers trained on them, and who was in the
            training data (tem-2021 and tem-2023, section 5)
  privemb   private word and sentence vectors: distances, inner products, a linear SVM, five sentence
            tasks, vectors trained in fewer dimensions (privemb-2021, section 5 and appendix A)
  gumbel    how often words stay and what they become; classifiers under attack by private perturbations
            (truncated-gumbel-2021, section 6)
  vickrey   an attacker's error against epsilon and against the loss of three tasks: laplace, mahalanobis and
            vickrey (vickrey-2021, figures 1 to 3)
  learn     classifiers trained on private reviews, tweets, film sentences and questions, direct and lifted,
            between public data only and clear text (docs/learning.md)
  attack    how often attackers who read whole texts guess the words: tem at several epsilons, and four
            mechanisms at equal E_opt (docs/attack.md)
  embeddings  the same words under three embeddings and two metrics, and vectors fine-tuned on private text
            (docs/results/embeddings.md)

`sotto-lab EXPERIMENT --help` lists the options; docs/lab.md says what is computed and how long it takes.
)";

struct Experiment {
  const char* name;
  const char* description;
  void (*run)(const lab::RunRequest&);
  std::size_t words;                             // of the domain, 0: all
  std::span<const std::string_view> parts = {};  // what --part may name; empty: there is no --part
  bool has_folds = false;                        // --folds
  bool has_epsilons = false;                     // --part may name an epsilon: paper:2.5
};
constexpr std::string_view kTemParts[] = {"baselines", "laplace", "paper", "exact", "flat"};
constexpr std::string_view kGumbelParts[] = {"table1", "figures", "table2", "table3", "beyond"};
constexpr std::string_view kPrivembParts[] = {"pairs", "lexicon", "table1", "beyond", "figure4"};
constexpr std::string_view kVickreyParts[] = {"figure1", "products", "choices", "twitter", "imdb"};
constexpr std::string_view kLearnParts[] = {"reviews",   "tweets",    "public",  "metric",   "mechanisms",
                                            "sentences", "questions", "without", "attackers"};
constexpr std::string_view kAttackParts[] = {"epsilons", "equal"};
constexpr std::string_view kEmbeddingsParts[] = {"laws", "reviews", "adaptation"};
constexpr Experiment kExperiments[] = {
    {.name = "tem",
     .description = "tem-2021/2023, section 5: accuracy and membership inference against epsilon",
     .run = lab::run_tem,
     .words = 20'000,
     .parts = kTemParts,
     .has_epsilons = true},
    {.name = "privemb",
     .description = "privemb-2021, section 5 and appendix A: figures 1 to 4 and table 1",
     .run = lab::run_privemb,
     .words = 0,
     .parts = kPrivembParts,
     .has_folds = true},
    {.name = "gumbel",
     .description = "truncated-gumbel-2021, section 6: tables 1 to 3 and figures 1 and 2",
     .run = lab::run_gumbel,
     .words = 50'000,
     .parts = kGumbelParts},
    {.name = "vickrey",
     .description = "vickrey-2021: figures 1 to 3, Product Reviews, Twitter and IMDb",
     .run = lab::run_vickrey,
     .words = 0,
     .parts = kVickreyParts},
    {.name = "learn",
     .description = "learning from private text: accuracy against E_opt, direct and lifted",
     .run = lab::run_learn,
     .words = 0,
     .parts = kLearnParts},
    {.name = "attack",
     .description = "attackers who read whole texts: reviews and tweets, four mechanisms",
     .run = lab::run_attack,
     .words = 10'000,
     .parts = kAttackParts},
    {.name = "embeddings",
     .description = "the same words under several embeddings; vectors fine-tuned on private text",
     .run = lab::run_embeddings,
     .words = 0,
     .parts = kEmbeddingsParts},
};

// Throws Error(usage) for a part that the experiment does not have.
void check_parts(const Experiment& experiment, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    const std::string_view name =
        experiment.has_epsilons ? std::string_view(part).substr(0, part.find(':')) : std::string_view(part);
    if (std::ranges::find(experiment.parts, name) != experiment.parts.end()) continue;
    throw Error(ErrorCode::usage,
                fmt::format("--part must be one of: {}", fmt::join(experiment.parts, ", ")));
  }
}

int run_experiment(const Experiment& experiment, Words words) {
  std::string data = "../shared/data";
  std::string output = fmt::format("lab-{}", experiment.name);
  std::string model;
  std::string domain = std::to_string(experiment.words);
  std::string trials;
  std::string folds;
  std::string threads;
  std::string seed;
  std::vector<std::string> parts;
  bool quick = false;
  CommandLine line(experiment.name, experiment.description);
  line.text("--data", data, "DIR", "the folder with the data sets (default ../shared/data)");
  line.text(
      "-o,--output", output, "DIR",
      fmt::format("points, figures and tables (default {}); the same command goes on where it was stopped",
                  output));
  line.text("--model", model, "FILE", kModelFileHelp);
  line.text("--words", domain, "N",
            fmt::format("the domain: the model's N most frequent words, 0 for all (default {})", domain));
  if (!experiment.parts.empty()) {
    line.texts("--part", parts, "PART", "only this part, repeatable (default: all, in order)");
  }
  line.flag("--quick", quick, "a small form of a few minutes, to see that all works");
  line.text("--trials", trials, "N", "of each point (default: as many as the results pages have)");
  if (experiment.has_folds) {
    line.text("--folds", folds, "N", "of the sentence tasks (default 5; SentEval's published runs have 10)");
  }
  line.text("--threads", threads, "N", kThreadsHelp);
  line.text("--seed-not-private", seed, "N", "another seed (default 1); every run can be repeated");
  if (line.parse(words) == CommandLine::Outcome::helped) return kDone;

  check_parts(experiment, parts);

  std::vector<std::string> command = {"sotto-lab", experiment.name};
  command.insert(command.end(), words.begin(), words.end());
  lab::RunRequest request{.data = data,
                          .output = output,
                          .model = model_path(model),
                          .cache = model_place(model).cache,
                          .words = whole_number("--words", domain),
                          .extent = quick ? lab::Extent::quick : lab::Extent::full,
                          .threads = thread_number(threads),
                          .seed = seed_number(seed).value_or(1),
                          .command = html::shell_line(command),
                          .parts = parts};
  if (!trials.empty()) {
    request.trials = whole_number("--trials", trials, 1000);
    if (request.trials == 0) throw Error(ErrorCode::usage, "--trials must be at least 1");
  }
  if (!folds.empty()) {
    request.folds = whole_number("--folds", folds, 100);
    if (request.folds < 2) throw Error(ErrorCode::usage, "--folds must be at least 2");
  }
  experiment.run(request);
  lab::tell(fmt::format("finished: tables and figures are in {}", output));
  return kDone;
}

int run_lab(Words words) {
  if (words.empty()) {
    say_raw(kLabHelp);
    return static_cast<int>(ErrorCode::usage);
  }
  const std::string& name = words.front();
  if (name == "--help" || name == "-h" || name == "help") {
    print(kLabHelp);
    return kDone;
  }
  for (const Experiment& experiment : kExperiments) {
    if (name == experiment.name) return run_experiment(experiment, words.subspan(1));
  }
  throw Error(ErrorCode::usage,
              fmt::format("`sotto-lab {}` does not exist; there are: tem, privemb, gumbel, vickrey, "
                          "learn, attack, embeddings (`sotto-lab --help`)",
                          name));
}

}  // namespace

}  // namespace sotto::cli

int main(int argc, char** argv) {
  return sotto::cli::run_program({argv + 1, argv + argc}, sotto::cli::run_lab);
}
