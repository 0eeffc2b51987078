// sotto explain: what one word may become.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "cli/commands.h"
#include "cli/explain/estimate.h"
#include "cli/explain/odds.h"
#include "core/bound_text.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "sotto/certificate.h"
#include "sotto/error.h"
#include "sotto/mechanism.h"
#include "text/lookup.h"
#include "text/words.h"

namespace sotto::cli {

namespace {

constexpr char kHelp[] =
    R"(Shows what a word may become, most likely first, with the guarantee in plain
words. Exact where the law of the mechanism has a closed form, otherwise estimated
from draws, with 95% intervals. With --calibration exact or flat the paper's law
stands beside it.

Usage: sotto explain WORD --epsilon NUMBER [options]

  sotto explain doctor --epsilon 3
  sotto explain doctor --mechanism laplace --epsilon 10 --top 20
  sotto explain doctor --epsilon 3 --top 0 --json)";

struct ExplainArguments {
  std::string word;
  MechanismChoice choice;
  std::string unknown_word;
  std::size_t top = 10;   // 0: all
  std::size_t draws = 0;  // 0: as many as take a few seconds
  bool json = false;
};

std::optional<ExplainArguments> parse(Words words) {
  ExplainArguments out;
  std::string top = "10";
  std::string draws = "0";
  CommandLine command("explain", kHelp);
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

struct Subject {
  WordId word{};
  bool unknown = false;  // the word itself is not in the model; `word` is the anchor
};

std::size_t token_count(const std::string& text) {
  std::vector<Token> tokens;
  WordBreaker().split(text, tokens);
  return tokens.size();
}

Subject find_subject(const ExplainArguments& arguments, const std::shared_ptr<const Model>& model) {
  if (token_count(arguments.word) != 1) {
    throw Error(ErrorCode::usage,
                "explain takes one word; white space and punctuation are never replaced, and the "
                "words of a text are drawn independently");
  }
  const Lookup lookup(model);
  if (const auto id = lookup.find(arguments.word)) return {*id, false};
  if (arguments.unknown_word.empty()) return {default_anchor(*model), true};
  if (const auto id = lookup.find(arguments.unknown_word)) return {*id, true};
  throw Error(ErrorCode::usage, "--unknown-word must be a word of the model");
}

// tem with a calibration of its own, beside the paper's law at the same epsilon.
struct PaperLaw {
  std::vector<double> probabilities;  // by word
  double slope = 0;
};

std::optional<double> slope_of(const Mechanism& mechanism) {
  const ExponentialLaw* law = mechanism.words->exponential_law();
  return law != nullptr ? std::optional(law->slope) : std::nullopt;
}

// Empty if the mechanism has no calibration, or the paper's.
std::optional<PaperLaw> paper_law(const Mechanism& mechanism, WordId word) {
  if (!mechanism.claim.by_certificate) return std::nullopt;
  ParameterTexts texts = mechanism.parameters.texts();
  texts.erase("calibration");
  const Mechanism paper =
      build_mechanism(mechanism.info->name, mechanism.space->shared_model(), texts).mechanism;
  std::optional<std::vector<double>> law = paper.words->log_law(word);
  if (!law) return std::nullopt;
  for (double& value : *law) value = std::exp(value);
  return PaperLaw{.probabilities = std::move(*law), .slope = slope_of(paper).value_or(0)};
}

struct Explained {
  const ExplainArguments& arguments;
  const Subject& subject;
  const Mechanism& mechanism;
  const Law& law;
  const std::optional<Certificate>& certificate;
  const std::optional<PaperLaw>& paper;
  const std::optional<Odds>& odds;
};

// null: no bound.
Json to_json(const Model& model, const OddsTo& other) {
  return {{"word", model.word(other.word)},
          {"distance", other.distance},
          {"loss", other.loss && std::isfinite(*other.loss) ? Json(*other.loss) : Json(nullptr)}};
}

Json to_json(const Explained& explained) {
  const auto& [arguments, subject, mechanism, law, certificate, paper, odds] = explained;
  const Model& model = mechanism.space->model();
  Json answer = start_answer("sotto.explain/1");
  answer["word"] = arguments.word;
  answer["explained_as"] = model.word(subject.word);
  if (subject.unknown) answer["unknown"] = true;
  answer["mechanism"] = mechanism.info->name;
  answer["parameters"] = mechanism.parameters.texts();
  answer["metric"] = metric_name(mechanism.space->metric());
  answer["model"] = {{"name", model.origin().name}, {"identity", model.identity()}};
  answer["nominal_epsilon"] = mechanism.claim.epsilon;
  answer["certified_epsilon"] = certificate ? Json(certificate->realised_epsilon) : Json(nullptr);
  answer["additive_loss"] = certificate ? Json(certificate->additive_loss) : Json(nullptr);
  if (const auto slope = slope_of(mechanism)) answer["slope"] = *slope;
  if (paper) answer["slope_paper"] = paper->slope;
  answer["status"] = status_name(mechanism.claim.status);
  answer["guarantee"] = mechanism.claim.guarantee;
  if (!mechanism.claim.caveat.empty()) answer["caveat"] = mechanism.claim.caveat;
  if (odds) {
    answer["loss_bound"] = {{"basis", basis_name(odds->basis)},
                            {"nearest", to_json(model, odds->nearest)},
                            {"typical", to_json(model, odds->typical)}};
  }
  if (law.draws > 0) {
    answer["estimated"] = true;
    answer["draws"] = law.draws;
  }
  answer["outputs"] = Json::array();
  for (const Output& output : law.outputs) {
    Json row = {{"word", mechanism.text_of(output.word)}, {"p", output.p}};
    if (paper) row["p_paper"] = paper->probabilities[index_of(output.word)];
    if (law.draws > 0) {
      row["low"] = output.low;
      row["high"] = output.high;
    }
    answer["outputs"].push_back(std::move(row));
  }
  return answer;
}

// e^loss, never below it.
std::string factor_text(double loss) {
  constexpr double kLargestPlain = 13.8;  // e^13.8 is just below 10^6
  if (loss == 0) return "1";
  if (loss > kLargestPlain) return "10^" + rounded_up(loss / std::log(10.0) * (1 + 1e-15), 3);
  return rounded_up(std::exp(loss) * (1 + 1e-15), 3);
}

std::string distance_text(const OddsTo& other) {
  return fmt::format("distance {:.3g}", other.distance);
}

// What the claim means for this word: by how much an output changes the odds towards its nearest word and
// towards a typical one.
std::string plain_words(const Explained& explained) {
  const std::optional<Odds>& odds = explained.odds;
  const Model& model = explained.mechanism.space->model();
  if (!odds) return "every word of this model has the same row: the output tells nothing";
  const std::string between = fmt::format("the odds between \"{}\" and its nearest word \"{}\" ({})",
                                          model.word(explained.subject.word), model.word(odds->nearest.word),
                                          distance_text(odds->nearest));
  const auto limit = [](const OddsTo& other) {
    return other.loss && std::isfinite(*other.loss) ? "by a factor of at most " + factor_text(*other.loss)
                                                    : std::string("without limit");
  };
  if (odds->basis == Odds::Basis::none) {
    return "no bound: nothing limits how far an output changes " + between;
  }
  return fmt::format(
      "{}seeing an output changes {} {}, between it and a typical word ({}) {}",
      odds->basis == Odds::Basis::law ? "no theorem holds; computed from the law of these words, " : "",
      between, limit(odds->nearest), distance_text(odds->typical), limit(odds->typical));
}

std::string parameters_text(const Mechanism& mechanism) {
  std::string out(mechanism.info->name);
  for (const auto& [name, text] : mechanism.parameters.texts()) out += fmt::format(", {} {}", name, text);
  return out;
}

std::string table(const Explained& explained, std::size_t width) {
  const auto& [arguments, subject, mechanism, law, certificate, paper, odds] = explained;
  std::size_t longest = 4;
  for (const Output& output : law.outputs) {
    longest = std::max(longest, mechanism.text_of(output.word).size());
  }
  longest = std::min<std::size_t>(longest, 30);
  const std::size_t interval = law.draws > 0 ? 22 : paper ? 12 : 0;
  const std::size_t room = width > longest + interval + 24 ? width - longest - interval - 18 : 6;
  const double top = law.outputs.empty() ? 1 : law.outputs.front().p;
  std::string out;
  if (paper) {
    out = fmt::format("  {:<{}}  {:<10}  {:<10}  {}\n", "", longest, mechanism.parameters.text("calibration"),
                      "paper", "probability of each output under the two laws");
  }
  for (const Output& output : law.outputs) {
    const auto cells = static_cast<std::size_t>(std::lround(output.p / top * static_cast<double>(room)));
    std::string bar;
    for (std::size_t i = 0; i < cells; ++i) bar += "█";
    std::string row = fmt::format("  {:<{}}  {:<10.4g}", mechanism.text_of(output.word), longest, output.p);
    if (law.draws > 0) {
      row += fmt::format("  {:<20}", fmt::format("{:.3g} to {:.3g}", output.low, output.high));
    }
    if (paper) row += fmt::format("  {:<10.4g}", paper->probabilities[index_of(output.word)]);
    row += "  " + bar;
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + "\n";
  }
  return out;
}

void print_text(const Explained& explained) {
  const auto& [arguments, subject, mechanism, law, certificate, paper, odds] = explained;
  const std::size_t width = std::clamp<std::size_t>(terminal_width(Stream::output), 60, 100);
  const std::string word(mechanism.space->model().word(subject.word));
  std::string out;
  const auto row = [&](std::string_view label, std::string_view text) {
    out += fmt::format("{:<12}{}\n", label, wrapped(text, width, 12));
  };
  row("word", subject.unknown
                  ? fmt::format("\"{}\" is not in the model: it is replaced by the anchor \"{}\", as every "
                                "unknown word is, and then drawn as that word",
                                arguments.word, word)
                  : word);
  row("mechanism", parameters_text(mechanism));
  row("guarantee", mechanism.claim.guarantee);
  const std::string rounding = certificate ? fmt::format("all rounding adds at most {} to the loss of a word",
                                                         rounded_up(certificate->additive_loss, 2))
                                           : "";
  if (certificate && paper) {
    row("nominal",
        fmt::format("epsilon {}, which the certificate must keep", number_text(mechanism.claim.epsilon)));
    row("certified", fmt::format("epsilon {}, on this model, over all pairs of words; {}",
                                 rounded_up(certificate->realised_epsilon), rounding));
    row("slope",
        fmt::format("{:.6g} (calibration paper: {:.6g})", slope_of(mechanism).value_or(0), paper->slope));
  } else if (certificate) {
    row("certified", fmt::format("on this model, over all pairs of words, epsilon is {} (nominal {}); {}",
                                 rounded_up(certificate->realised_epsilon),
                                 number_text(mechanism.claim.epsilon), rounding));
  }
  row("status", fmt::format("{}{}{}", status_name(mechanism.claim.status),
                            mechanism.claim.caveat.empty() ? "" : "; ", mechanism.claim.caveat));
  row("that is", plain_words(explained));
  if (law.draws > 0) {
    row("estimated", fmt::format("from {} draws, with 95% intervals: this mechanism has no closed form",
                                 grouped(law.draws)));
  }
  out += "\n" + table(explained, width);
  const std::size_t rest = mechanism.token.empty() ? mechanism.space->size() - law.outputs.size() : 0;
  if (rest > 0) {
    double shown = 0;
    for (const Output& output : law.outputs) shown += output.p;
    out += fmt::format("  and {} other words, {} together (--top 0 lists all)\n", grouped(rest),
                       percent(std::max(0.0, 1 - shown)));
  }
  print(out);
}

}  // namespace

int run_explain(Words words) {
  const std::optional<ExplainArguments> parsed = parse(words);
  if (!parsed) return kDone;
  const ExplainArguments& arguments = *parsed;
  const auto [mechanism, certificate, source] = build_chosen(arguments.choice);
  const Subject subject = find_subject(arguments, mechanism.space->shared_model());
  Law law = law_of(mechanism, subject.word, arguments.draws);
  if (arguments.top > 0) {
    if (arguments.top < law.outputs.size()) law.outputs.resize(arguments.top);
    // Words that no draw gave come in model order: no news.
    std::erase_if(law.outputs, [](const Output& output) { return output.p == 0; });
  }
  const std::optional<PaperLaw> paper = paper_law(mechanism, subject.word);
  const std::optional<Odds> odds = odds_of(mechanism, subject.word, certificate);
  const Explained explained{arguments, subject, mechanism, law, certificate, paper, odds};
  if (arguments.json) {
    print_answer(to_json(explained));
  } else {
    print_text(explained);
  }
  return kDone;
}

}  // namespace sotto::cli
