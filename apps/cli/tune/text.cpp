// The answer of `sotto tune` for a person.
#include "cli/tune/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/bound_text.h"
#include "shared/console.h"

namespace sotto::cli {

namespace {

std::string number(double value) {
  if (!std::isfinite(value)) return "infinite";
  if (value != 0 && std::abs(value) < 1e-4) return fmt::format("{:.1e}", value);
  return std::abs(value) >= 100 ? fmt::format("{:.1f}", value) : fmt::format("{:.4f}", value);
}

// "0.9123", or "0.80..0.95" where only ends are known.
std::string ends(const TunePoint& point, std::string_view figure) {
  const auto bounds = point.bounds(figure);
  if (!bounds) return "-";
  if (bounds->low == bounds->high || !point.find(figure)->bracket) return number(*point.middle(figure));
  return fmt::format("{:.3f}..{:.3f}", bounds->low, bounds->high);
}

std::string epsilon_text(const TunePoint& point) {
  const auto epsilon = point.candidate.epsilon();
  return epsilon ? number_text(*epsilon) : "-";
}

std::string certified_text(const TunePoint& point) {
  if (!point.certified_epsilon) return "none";
  return fmt::format("{}{}", rounded_up(*point.certified_epsilon, 4),
                     point.certified_by == "theorem" ? "" : " (cert.)");
}

std::string point_row(const TuneSubject& subject, std::size_t index) {
  const TunePoint& point = subject.answer.points[index];
  const std::string_view loss = loss_figure(subject.bench.question().loss);
  return fmt::format("  {:<24} {:>9} {:>14} {:>14} {:>10} {:>8} {:>8}\n", point.candidate.family(),
                     epsilon_text(point), certified_text(point), ends(point, "e_opt"), ends(point, loss),
                     ends(point, "n_w"), ends(point, "s_w"));
}

std::string heading() {
  return fmt::format("  {:<24} {:>9} {:>14} {:>14} {:>10} {:>8} {:>8}\n", "mechanism", "epsilon", "certified",
                     "E_opt", "L", "N_w", "S_w");
}

// All points, or as many, evenly spread, as one can look at, and the recommended one.
std::string frontier_rows(const TuneSubject& subject) {
  constexpr std::size_t kMost = 25;
  const auto& indexes = subject.answer.frontier;
  std::string out;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    const bool shown = indexes.size() <= kMost || indexes[i] == subject.answer.choice.recommended ||
                       i * kMost / indexes.size() != (i + 1) * kMost / indexes.size();
    if (shown) {
      out += point_row(subject, indexes[i]);
    } else {
      ++left_out;
    }
  }
  if (left_out > 0) out += fmt::format("  ({} more; --csv and --html have all)\n", left_out);
  return out;
}

std::string choice_rows(const TuneSubject& subject, std::size_t width) {
  const Choice& choice = subject.answer.choice;
  if (!subject.constraints.any()) {
    return "\n" +
           wrapped(
               "no constraint was given: choose with --max-loss, --min-inference-error or "
               "--max-certified-epsilon",
               width, 0) +
           "\n";
  }
  if (choice.recommended) {
    const TunePoint& point = subject.answer.points[*choice.recommended];
    std::string out = fmt::format("\nrecommended for {}\n  {}\n  {}\n", constraints_text(subject),
                                  tradeoff_text(subject, point), privatize_line(subject, point));
    if (point.status != Status::proven) {
      out += fmt::format("  status {}: the guarantee of this setting does not hold\n",
                         status_name(point.status));
    }
    if (point.strength() != Strength::ok) {
      out += fmt::format("  strength {}: {}\n", strength_name(point.strength()),
                         strength_sentence(point.strength()));
    }
    return out;
  }
  std::string out = fmt::format("\nnothing that was tried {}\n", failure_text(subject));
  if (choice.nearest) {
    const TunePoint& point = subject.answer.points[*choice.nearest];
    out += fmt::format("nearest: {}\n  {}\n", tradeoff_text(subject, point), point.candidate.flags());
    if (choice.nearest_may_fit) out += "  its interval reaches within: more --draws would tell\n";
  }
  return out;
}

// Where draws leave it open whether another family would be better.
std::string undecided_rows(const TuneSubject& subject) {
  const Choice& choice = subject.answer.choice;
  if (!choice.recommended || subject.algorithm == "paper") return "";
  std::string out;
  for (const std::size_t index : undecided(subject.answer.points, *choice.recommended,
                                           subject.bench.question().loss, subject.constraints)) {
    out += point_row(subject, index);
  }
  if (out.empty()) return out;
  return "\nmay be better: known from draws, decided by the low end of E_opt; more --draws would tell\n" +
         heading() + out;
}

std::string beside_rows(const TuneSubject& subject) {
  const Choice& choice = subject.answer.choice;
  if (!choice.recommended) return "";
  const auto& points = subject.answer.points;
  const auto rows = beside(subject, points[*choice.recommended]);
  std::string same_epsilon;
  std::string same_error;
  for (const Beside& row : rows) {
    if (row.same_epsilon) same_epsilon += point_row(subject, *row.same_epsilon);
    if (row.same_error) same_error += point_row(subject, *row.same_error);
  }
  std::string out;
  if (!same_epsilon.empty()) {
    out += "\nbeside it, with no larger certified epsilon (the largest of each family)\n" + heading() +
           same_epsilon;
  }
  if (!same_error.empty()) {
    out += "\nbeside it, with no smaller E_opt (the least L of each family)\n" + heading() + same_error;
  }
  return out;
}

}  // namespace

std::string privatize_line(const TuneSubject& subject, const TunePoint& point) {
  std::string out = "sotto privatize input.txt -o private.txt";
  if (!subject.model_flag.empty()) out += " " + subject.model_flag;
  return out + " " + point.candidate.flags();
}

std::string tradeoff_text(const TuneSubject& subject, const TunePoint& point) {
  const UtilityLoss loss = subject.bench.question().loss;
  const auto tradeoff = tradeoff_of(point, loss);
  std::string out = point.candidate.family();
  if (point.candidate.epsilon()) out += ", epsilon " + epsilon_text(point);
  if (!tradeoff) return out;
  const auto exact = [](const Bounds& bounds) { return bounds.low == bounds.high; };
  out += fmt::format(": E_opt {}{} (ceiling {}), L {}{}", exact(tradeoff->error) ? "" : "at least ",
                     number(tradeoff->error.low), number(point.middle("constant_guess").value_or(1)),
                     exact(tradeoff->loss) ? "" : "at most ", number(tradeoff->loss.high));
  if (point.certified_epsilon) out += ", certified epsilon " + rounded_up(*point.certified_epsilon, 4);
  return out;
}

std::string constraints_text(const TuneSubject& subject) {
  std::vector<std::string> parts;
  const Constraints& constraints = subject.constraints;
  if (constraints.max_loss) parts.push_back("L at most " + number_text(*constraints.max_loss));
  if (constraints.min_inference_error) {
    parts.push_back("E_opt at least " + number_text(*constraints.min_inference_error));
  }
  if (constraints.max_certified_epsilon) {
    parts.push_back("certified epsilon at most " + number_text(*constraints.max_certified_epsilon));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string failure_text(const TuneSubject& subject) {
  std::string out = "keeps " + constraints_text(subject);
  std::vector<std::string> families;
  for (const std::size_t index :
       within_unproven(subject.answer.points, subject.bench.question().loss, subject.constraints)) {
    const std::string family = subject.answer.points[index].candidate.family();
    if (std::ranges::find(families, family) == families.end()) families.push_back(family);
  }
  if (families.empty()) return out;
  return fmt::format("{} with a proven guarantee; without one, and so never recommended: {}", out,
                     fmt::join(families, "; "));
}

std::vector<Beside> beside(const TuneSubject& subject, const TunePoint& point) {
  const auto& points = subject.answer.points;
  const UtilityLoss loss = subject.bench.question().loss;
  const auto own = tradeoff_of(point, loss);
  std::vector<Beside> out;
  for (std::size_t i = 0; own && i < points.size(); ++i) {
    const auto other = tradeoff_of(points[i], loss);
    if (points[i].status != Status::proven || !other || !points[i].candidate.epsilon()) continue;
    const std::string family = points[i].candidate.family();
    if (out.empty() || out.back().family != family) out.push_back({.family = family});
    Beside& row = out.back();
    if (points[i].certified_epsilon && point.certified_epsilon &&
        *points[i].certified_epsilon <= *point.certified_epsilon &&
        (!row.same_epsilon || *points[i].certified_epsilon > *points[*row.same_epsilon].certified_epsilon)) {
      row.same_epsilon = i;
    }
    if (other->error.low >= own->error.low &&
        (!row.same_error || other->loss.high < tradeoff_of(points[*row.same_error], loss)->loss.high)) {
      row.same_error = i;
    }
  }
  return out;
}

std::string tune_text(const TuneSubject& subject, std::size_t width) {
  const TuneQuestion& question = subject.bench.question();
  const TuneAnswer& answer = subject.answer;
  std::string out;
  const auto row = [&](std::string_view label, std::string_view text) {
    out += fmt::format("{:<12}{}\n", label, wrapped(text, width, 12));
  };
  const Prior& prior = question.prior;
  row("prior", prior.unknown == 0
                   ? prior.description
                   : fmt::format("{}; {} of {} entries are not in the model", prior.description,
                                 grouped(prior.unknown), grouped(prior.entries)));
  if (question.labels) {
    row("labels", fmt::format("{} words under {} labels; {} of {} entries are not in the model",
                              grouped(question.labels->labelled), question.labels->names.size(),
                              grouped(question.labels->unknown), grouped(question.labels->entries)));
  }
  row("L", loss_meaning(question.loss));
  row("ceiling", fmt::format("{}: E_opt of who guesses the likeliest word whatever comes out",
                             number(prior.constant_guess())));
  const auto early = std::ranges::count_if(answer.points, &TunePoint::stopped_early);
  row("settings",
      fmt::format("{} measured{}; the same random numbers for each", grouped(answer.points.size()),
                  early == 0 ? "" : fmt::format(", {} of them given up early as beaten", early)));
  for (const SkippedCandidate& skipped : answer.skipped) {
    row("skipped", fmt::format("{}: {}", skipped.candidate.flags().substr(12), skipped.reason));
  }
  if (subject.algorithm == "frontier") {
    out += "\nthe frontier: proven settings that no other beats (E_opt by its low end, L by its high end)\n" +
           heading();
    out += frontier_rows(subject);
  } else {
    out += "\n" + heading();
    for (std::size_t i = 0; i < answer.points.size(); ++i) out += point_row(subject, i);
  }
  return out + choice_rows(subject, width) + undecided_rows(subject) + beside_rows(subject);
}

}  // namespace sotto::cli
