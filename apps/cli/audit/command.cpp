// sotto audit: does a mechanism, ours or anybody's, keep its claim, as far as draws can tell?
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "cli/audit/page.h"
#include "cli/audit/report.h"
#include "cli/commands.h"
#include "core/output_file.h"
#include "core/uniform.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"
#include "sotto/certificate.h"
#include "sotto/error.h"
#include "sotto/forecast.h"
#include "text/lookup.h"

namespace sotto::cli {

namespace {

constexpr char kHelp[] =
    R"(Draws many outputs for chosen pairs of words and tests whether the claimed epsilon
can be true: PASS, VIOLATED with the words and the output that show it, or UNDECIDED
with the number of draws that would decide. Takes every mechanism, and every program
that answers each word on a line with one word on a line.

Usage: sotto audit --epsilon NUMBER [--mechanism NAME] [options]
       sotto audit --command "PROGRAM ..." --epsilon NUMBER [--metric NAME] [options]

  sotto audit --mechanism vickrey --epsilon 5 --model small.sotto
  sotto audit --epsilon 2 --pair doctor,nurse --draws 1000000
  sotto audit --command "python3 their_tool.py" --epsilon 2 --model small.sotto)";

constexpr char kNotes[] =
    R"(A third of the draws looks for outputs, or sets of outputs, that one word of a pair gives too often;
fresh draws then test these, with exact (Clopper-Pearson) bounds that hold together at the stated
level. PASS means that nothing was found with this many draws, not that there is nothing: near pairs and a
small epsilon are judged best. Exit code 1 means VIOLATED; PASS and UNDECIDED are 0.

With --command the program is run a few times by the shell. The claim is epsilon times the distance of the
metric. Two words that the model does not have are tried too: nothing may tell them apart
(--known-words-only leaves them out). The same lines are given twice: the answers must differ.)";

struct Arguments {
  MechanismChoice choice;
  std::string command;
  std::optional<std::size_t> pairs;
  std::optional<std::uint32_t> draws;
  std::optional<std::size_t> deniability_words;
  double level = 1e-3;
  std::vector<std::string> given;
  unsigned threads = 0;
  std::optional<std::uint64_t> seed;
  std::string html;  // empty: no page
  std::vector<std::string> command_line;
  bool force = false;
  bool known_words_only = false;
  bool json = false;
  bool quiet = false;
};

std::optional<Arguments> parse(Words words) {
  Arguments arguments;
  std::string pairs;
  std::string draws;
  std::string deniability;
  std::string level;
  std::string threads;
  std::string seed;
  CommandLine line("audit", kHelp);
  line.mechanism_choice(arguments.choice);
  line.text("--command", arguments.command, "TEXT",
            "audit this program instead of a mechanism, run by /bin/sh");
  line.text("--pairs", pairs, "INTEGER", "how many pairs of words (default 60, fewer where a draw is slow)");
  line.text("--draws", draws, "INTEGER",
            "draws for each word of a pair (default 100,000, fewer where a draw is slow)");
  line.texts("--pair", arguments.given, "A,B", "audit this pair of words too; may be given again");
  line.text("--level", level, "NUMBER", "largest probability of a false VIOLATED (default 0.001)");
  line.text("--deniability", deniability, "INTEGER", "words whose N_w and S_w are measured (0: none)");
  line.flag("--known-words-only", arguments.known_words_only,
            "with --command: no words from outside the model");
  line.text("--threads", threads, "INTEGER", kThreadsHelp);
  line.text("--seed-not-private", seed, "INTEGER", "repeatable draws");
  line.text("--html", arguments.html, "FILE", "also write a report with figures, one HTML file");
  line.flag("--force", arguments.force, "replace an existing --html file");
  line.flag("--json", arguments.json, kJsonHelp);
  line.flag("-q,--quiet", arguments.quiet, "no progress bar");
  line.footer(kNotes);
  if (line.parse(words) == CommandLine::Outcome::helped) return std::nullopt;

  constexpr std::int64_t kMostDraws = 500'000'000;
  if (!pairs.empty()) arguments.pairs = whole_number("--pairs", pairs, 100'000);
  if (!draws.empty())
    arguments.draws = static_cast<std::uint32_t>(whole_number("--draws", draws, kMostDraws));
  if (!deniability.empty())
    arguments.deniability_words = whole_number("--deniability", deniability, 1'000'000);
  if (!level.empty()) arguments.level = parse_number("--level", level, Infinity::refused);
  if (!(arguments.level > 0 && arguments.level < 1)) {
    throw Error(ErrorCode::usage, fmt::format("--level {}: it must be above 0 and below 1", level));
  }
  arguments.threads = thread_number(threads);
  arguments.command_line = {"sotto", "audit"};
  arguments.command_line.insert(arguments.command_line.end(), words.begin(), words.end());
  arguments.seed = seed_number(seed);
  const auto names_mechanism = [](const std::string& word) {
    return word == "--mechanism" || word.starts_with("--mechanism=");
  };
  if (!arguments.command.empty() && std::ranges::any_of(words, names_mechanism)) {
    throw Error(ErrorCode::usage, "--command and --mechanism exclude each other: one subject at a time");
  }
  if (arguments.command.empty() && arguments.known_words_only) {
    throw Error(ErrorCode::usage,
                "--known-words-only is for --command: a mechanism only sees words of the model");
  }
  return arguments;
}

RandomSource random_source(const Arguments& arguments, std::uint64_t purpose) {
  return arguments.seed ? RandomSource::seeded_not_private(*arguments.seed * 4 + purpose)
                        : RandomSource::fresh();
}

WordPair parse_pair(const std::string& text, const Lookup& lookup) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) {
    throw Error(ErrorCode::usage,
                fmt::format("--pair {}: give two words with a comma between, as doctor,nurse", text));
  }
  const auto first = lookup.find(text.substr(0, comma));
  const auto second = lookup.find(text.substr(comma + 1));
  if (!first || !second) {
    throw Error(ErrorCode::usage, fmt::format("--pair {}: the model does not have the {} word", text,
                                              first ? "second" : "first"));
  }
  if (*first == *second) throw Error(ErrorCode::usage, fmt::format("--pair {}: these are one word", text));
  return *first < *second ? WordPair{*first, *second} : WordPair{*second, *first};
}

// The pair of words that loses most, where the certificate is part of the claim or quickly computed.
std::optional<WordPair> worst_pair(const CertifiedMechanism& built, const Work& work) {
  constexpr std::size_t kMostWords = 400;
  std::optional<Certificate> certificate = built.certificate;
  if (!certificate && built.mechanism.space->size() <= kMostWords)
    certificate = certify(built.mechanism, work);
  if (!certificate || certificate->worst_first == certificate->worst_second) return std::nullopt;
  return WordPair{certificate->worst_first, certificate->worst_second};
}

// A draw costs a microsecond where the law is known, and a search of the model otherwise.
struct Effort {
  std::size_t pairs = 60;
  std::uint32_t draws = 100'000;
  std::size_t deniability_words = 500;
};
Effort usual_effort(const Mechanism& mechanism) {
  if (mechanism.words->log_law(word_id(0))) return {};
  const double row =
      static_cast<double>(mechanism.space->size()) * static_cast<double>(mechanism.space->model().dim());
  constexpr double kCheapRow = 5e4;
  if (row <= kCheapRow) return {};
  const double slower = row / kCheapRow;
  return {.pairs = slower > 10 ? 12U : 60U,
          .draws = static_cast<std::uint32_t>(std::max(4000.0, 100'000 / slower)),
          .deniability_words = static_cast<std::size_t>(std::clamp(500 / slower, 20.0, 500.0))};
}
constexpr Effort kProgramEffort = {.pairs = 20, .draws = 10'000, .deniability_words = 20};

// Everything that is common to both subjects.
class Audit {
 public:
  Audit(const Arguments& arguments, const Effort& effort)
      : arguments_(arguments),
        pairs_(arguments.pairs.value_or(effort.pairs)),
        draws_(arguments.draws.value_or(effort.draws)),
        deniability_words_(arguments.deniability_words.value_or(effort.deniability_words)),
        bar_(is_terminal(Stream::error) && !arguments.quiet ? ProgressBar::Mode::on
                                                            : ProgressBar::Mode::off) {
    // Opened first: a file in the way is told before the work.
    if (!arguments.html.empty()) {
      page_.emplace(arguments.html, arguments.force ? Overwrite::replace : Overwrite::refuse);
    }
  }

  std::vector<AuditPair> choose(const AuditClaim& claim, std::optional<WordPair> worst) {
    PairChoice choice{.pairs = pairs_, .worst = worst, .threads = arguments_.threads};
    const Lookup lookup(claim.space->shared_model());
    for (const std::string& text : arguments_.given) choice.given.push_back(parse_pair(text, lookup));
    Rng rng = random_source(arguments_, 0).stream(0);
    std::vector<AuditPair> chosen = choose_audit_pairs(claim, choice, rng);
    return chosen;
  }
  AuditResult run(AuditSubject& subject, const AuditClaim& claim, const std::vector<AuditPair>& pairs) {
    if (pairs.empty())
      throw Error(ErrorCode::usage, "there is no pair of words to audit; give --pairs or --pair");
    AuditOptions options{.draws = draws_, .level = arguments_.level, .work = work("auditing")};
    options.distance = [space = claim.space](AuditWord output, AuditWord word) {
      if (output >= space->size() || word >= space->size()) return std::nan("");
      return space->distance(word_id(output), word_id(word));
    };
    return audit(subject, pairs, options);
  }
  Work work(const char* label) {
    bar_.start(label);
    return bar_.work(arguments_.threads);
  }
  int finish(const AuditReport& report) {
    if (page_) {
      page_->write(audit_page(report, arguments_.command_line, work("drawing for the page")));
      page_->commit();
    }
    bar_.clear();
    if (arguments_.json) {
      print_answer(audit_json(report));
    } else {
      print(audit_text(report, std::clamp<std::size_t>(terminal_width(Stream::output), 60, 100)));
    }
    return report.violated() ? kAnswerIsNo : kDone;
  }

  [[nodiscard]] std::uint32_t draws() const noexcept { return draws_; }
  [[nodiscard]] std::size_t deniability_words() const noexcept { return deniability_words_; }

 private:
  const Arguments& arguments_;
  std::size_t pairs_;
  std::uint32_t draws_;
  std::size_t deniability_words_;
  ProgressBar bar_;
  std::optional<OutputFile> page_;
};

int audit_mechanism(const Arguments& arguments) {
  const CertifiedMechanism built = build_chosen(
      arguments.choice, {.threads = arguments.threads,
                         .bar = arguments.quiet ? ProgressBar::Mode::off : ProgressBar::Mode::on});
  const Mechanism& mechanism = built.mechanism;
  Audit audit(arguments, usual_effort(mechanism));
  const AuditClaim claim = audit_claim(mechanism);
  auto pairs = audit.choose(claim, worst_pair(built, audit.work("certifying")));
  if (mechanism.token.empty()) add_exact_losses(pairs, *mechanism.words, audit.work("certifying"));
  MechanismSubject subject(*mechanism.words, mechanism.space->model(), random_source(arguments, 1));
  const AuditResult result = audit.run(subject, claim, pairs);
  std::string text(mechanism.info->name);
  for (const auto& [name, value] : mechanism.parameters.texts()) text += fmt::format(", {} {}", name, value);
  AuditReport report{.subject = subject,
                     .result = result,
                     .subject_text = text,
                     .mechanism = &mechanism,
                     .space = *mechanism.space,
                     .epsilon = claim.epsilon,
                     .draws = audit.draws()};
  if (audit.deniability_words() > 0) {
    report.deniability = measure_deniability(mechanism, audit.deniability_words(),
                                             random_source(arguments, 2), audit.work("deniability"));
  }
  report.expected_unchanged = forecast(mechanism, {.threads = arguments.threads}).unchanged;
  return audit.finish(report);
}

// The claim of a program is what the user says it is.
AuditClaim program_claim(const Arguments& arguments) {
  ParameterTexts texts = arguments.choice.parameters;
  const auto taken = [&](const char* name) {
    const auto found = texts.find(name);
    if (found == texts.end()) return std::string();
    std::string value = found->second;
    texts.erase(found);
    return value;
  };
  const std::string epsilon = taken("epsilon");
  const std::string metric = taken("metric");
  if (!texts.empty()) {
    throw Error(ErrorCode::usage,
                fmt::format("--{} is a parameter of our mechanisms; with --command give only "
                            "--epsilon and --metric, which say what is claimed",
                            texts.begin()->first));
  }
  if (epsilon.empty()) throw Error(ErrorCode::usage, "--command needs --epsilon, the claim to be audited");
  const double value = parse_number("--epsilon", epsilon, Infinity::refused);
  if (!(value > 0)) throw Error(ErrorCode::usage, fmt::format("--epsilon {}: it must be above 0", epsilon));
  const Metric parsed = parse_metric(metric.empty() ? "euclidean" : metric);
  return audit_claim(Space::make(open_model(arguments.choice.model), parsed), value);
}

// Two made-up words; a model that had them would be a strange one, and then others are tried.
AuditPair unknown_pair(ProgramSubject& subject, const Model& model) {
  std::vector<AuditWord> found;
  for (std::size_t i = 0; found.size() < 2; ++i) {
    const std::string text = fmt::format("{}qzx", std::string(1 + i / 26, static_cast<char>('a' + i % 26)));
    if (!model.find(text)) found.push_back(subject.word_of(text));
  }
  return {.first = found[0], .second = found[1], .kind = AuditPair::Kind::unknown};
}

ReplayCheck check_replay(ProgramSubject& subject, const Model& model, const Arguments& arguments) {
  constexpr std::size_t kWords = 10;
  constexpr std::size_t kTimes = 20;
  // Its share of the level: certify/audit.cpp leaves a tenth.
  constexpr double kReplayShare = 0.1;
  Rng rng = random_source(arguments, 3).stream(0);
  std::vector<AuditWord> some;
  for (std::size_t i = 0; i < kWords; ++i)
    some.push_back(static_cast<AuditWord>(uniform_below(rng, model.size())));
  std::vector<AuditWord> list;
  for (std::size_t i = 0; i < kTimes; ++i) list.insert(list.end(), some.begin(), some.end());
  const std::vector<AuditWord> first = subject.answers(list);
  const std::vector<AuditWord> second = subject.answers(list);
  const double p = replay_probability(list, first, second);
  return {.lines = list.size(), .probability = p, .repeats = p < kReplayShare * arguments.level};
}

int audit_program(const Arguments& arguments) {
  const AuditClaim claim = program_claim(arguments);
  OutsideProgram program{.command = arguments.command, .environment = {}};
  for (char** entry = environ; *entry != nullptr; ++entry) program.environment.emplace_back(*entry);
  const Model& model = claim.space->model();
  ProgramSubject subject(std::move(program), claim.space->shared_model());
  Audit audit(arguments, kProgramEffort);
  std::vector<AuditPair> pairs = audit.choose(claim, std::nullopt);
  const ReplayCheck replay = check_replay(subject, model, arguments);
  if (!arguments.known_words_only) pairs.push_back(unknown_pair(subject, model));
  const AuditResult result = audit.run(subject, claim, pairs);
  AuditReport report{.subject = subject,
                     .result = result,
                     .subject_text = arguments.command,
                     .space = *claim.space,
                     .epsilon = claim.epsilon,
                     .draws = audit.draws(),
                     .replay = replay};
  if (audit.deniability_words() > 0) {
    report.deniability =
        measure_deniability(subject, model, audit.deniability_words(), audit.work("deniability"));
    report.expected_unchanged = report.deniability->overall.unchanged.mean;
  }
  return audit.finish(report);
}

}  // namespace

int run_audit(Words words) {
  const std::optional<Arguments> arguments = parse(words);
  if (!arguments) return kDone;
  return arguments->command.empty() ? audit_mechanism(*arguments) : audit_program(*arguments);
}

}  // namespace sotto::cli
