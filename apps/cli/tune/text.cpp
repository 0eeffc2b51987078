// The answer of `sotto tune` for a person.
#include "cli/tune/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "cli/adversary.h"
#include "core/bound_text.h"
#include "html/text.h"
#include "shared/console.h"
#include "shared/flag_names.h"

namespace sotto::cli {

namespace {

// "0.9123", or "0.80..0.95" where only ends are known.
std::string ends(const TunePoint& point, std::string_view figure) {
  const auto bounds = point.bounds(figure);
  if (!bounds) return "-";
  if (bounds->low == bounds->high || !point.find(figure)->bracket)
    return quantity_number(*point.middle(figure));
  return fmt::format("{:.3f}..{:.3f}", bounds->low, bounds->high);
}

std::string epsilon_text(const TunePoint& point) {
  const auto epsilon = point.candidate.epsilon();
  return epsilon ? number_text(*epsilon) : "-";
}

// By a certificate alone; "-": not computed.
std::string certified_text(const TunePoint& point) {
  if (!point.certified_epsilon) return "none";
  return point.certified_by == "theorem" ? "-" : rounded_up(*point.certified_epsilon, 4);
}

std::string point_row(const api::TuneAnswer& answer, std::size_t index) {
  const TunePoint& point = answer.found.points[index];
  const std::string_view loss = loss_quantity(answer.loss);
  return fmt::format("  {:<24} {:>9} {:>14} {:>14} {:>10} {:>8} {:>8}\n", point.candidate.family(),
                     epsilon_text(point), certified_text(point), ends(point, "e_opt"), ends(point, loss),
                     ends(point, "n_w"), ends(point, "s_w"));
}

std::string heading() {
  return fmt::format("  {:<24} {:>9} {:>14} {:>14} {:>10} {:>8} {:>8}\n", "mechanism", "nominal", "certified",
                     "E_opt", "L", "N_w", "S_w");
}

// All points, or as many, evenly spread, as one can look at, and the recommended one.
std::string frontier_rows(const api::TuneAnswer& answer) {
  constexpr std::size_t kMost = 25;
  const auto& indexes = answer.found.frontier;
  std::string out;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    const bool shown = indexes.size() <= kMost || indexes[i] == answer.found.choice.recommended ||
                       i * kMost / indexes.size() != (i + 1) * kMost / indexes.size();
    if (shown) {
      out += point_row(answer, indexes[i]);
    } else {
      ++left_out;
    }
  }
  if (left_out > 0) out += fmt::format("  ({} more; --csv and --html have all)\n", left_out);
  return out;
}

std::string choice_rows(const api::TuneAnswer& answer, const PrivatizeLine& line, std::size_t width) {
  if (!answer.constraints.any()) {
    return "\n" +
           wrapped(
               "no constraint was given: choose with --max-loss, --min-inference-error or "
               "--max-certified-epsilon",
               width, 0) +
           "\n";
  }
  if (const TunePoint* point = answer.recommended()) {
    const bool is_printed = answer.algorithm == api::TuneAlgorithm::paper;
    std::string out = fmt::format(
        "\n{} {}\n  {}\n  {}\n", is_printed ? "Algorithm 2 of vickrey-2021 chooses for" : "recommended for",
        answer.constraints_text(), answer.tradeoff_text(*point), line.recommended(answer));
    if (point->status != Status::proven) {
      out += fmt::format("  status {}: the guarantee of this setting does not hold\n",
                         status_name(point->status));
    }
    const Strength strength = answer.recommended_strength();
    if (strength != Strength::ok) {
      out += fmt::format("  strength {}: {}\n", strength_name(strength), strength_sentence(strength));
    }
    if (answer.is_refused()) {
      out += fmt::format(
          "  {} of the words are expected to stay as they are, and `sotto privatize` refuses more than 90%: "
          "--allow-weak is your consent. A larger --max-loss, or a smaller --max-certified-epsilon, hides "
          "more\n",
          percent(*answer.expected_unchanged));
    }
    return out;
  }
  std::string out = fmt::format("\nnothing that was tried {}\n", answer.failure_text());
  if (const TunePoint* point = answer.nearest()) {
    out += fmt::format("nearest: {}\n  {}\n", answer.tradeoff_text(*point),
                       "--mechanism " + point->candidate.line());
    if (answer.found.choice.nearest_may_fit) {
      out += "  its interval reaches within: more --draws would tell\n";
    }
  }
  return out;
}

// Where draws leave it open whether another family would be better.
std::string undecided_rows(const api::TuneAnswer& answer) {
  std::string out;
  for (const std::size_t index : answer.may_be_better()) out += point_row(answer, index);
  if (out.empty()) return out;
  return "\nmay be better: known from draws, decided by the low end of E_opt; more --draws would tell\n" +
         heading() + out;
}

// Skipped settings with the same reason are counted if there are many: a search skips whole families.
std::vector<std::string> skipped_rows(const api::TuneAnswer& answer) {
  constexpr std::size_t kMost = 3;
  std::map<std::string, std::vector<std::string>> by_reason;
  std::vector<std::string> order;
  for (const SkippedCandidate& skipped : answer.found.skipped) {
    auto& lines = by_reason[skipped.reason];
    if (lines.empty()) order.push_back(skipped.reason);
    lines.push_back(skipped.candidate.line());
  }
  std::vector<std::string> out;
  for (const std::string& reason : order) {
    const auto& lines = by_reason[reason];
    const std::string what = lines.size() <= kMost
                                 ? fmt::format("{}", fmt::join(lines, "; "))
                                 : fmt::format("{} settings, such as {}", lines.size(), lines.front());
    out.push_back(fmt::format("{}: {}", what, with_flags(reason)));
  }
  return out;
}

std::string beside_rows(const api::TuneAnswer& answer) {
  std::string same_epsilon;
  std::string same_error;
  for (const api::Beside& row : answer.beside()) {
    if (row.same_epsilon) same_epsilon += point_row(answer, *row.same_epsilon);
    if (row.same_error) same_error += point_row(answer, *row.same_error);
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

std::string PrivatizeLine::operator()(const TunePoint& point) const {
  std::string out = "sotto privatize " + html::shell_line(files);
  if (!model.empty()) out += " " + html::shell_line(std::vector<std::string>{"--model", model});
  out += " --mechanism " + point.candidate.line();
  return point.strength() == Strength::none ? out + " --allow-weak" : out;
}

std::string PrivatizeLine::recommended(const api::TuneAnswer& answer) const {
  const TunePoint& point = *answer.recommended();
  const bool has_consent = point.strength() == Strength::none;
  return (*this)(point) + (answer.is_refused() && !has_consent ? " --allow-weak" : "");
}

std::string estimate_line(const TuneEstimate& estimate) {
  constexpr double kMoment = 10;
  constexpr double kMinute = 60;
  if (estimate.seconds < kMoment) return "";
  const double rounded = estimate.seconds < kMinute ? std::ceil(estimate.seconds / 10) * 10
                                                    : std::ceil(estimate.seconds / kMinute);
  return fmt::format(
      "about {}, roughly {:.0f} {} if nothing else runs on this machine (by a short trial); fewer "
      "--mechanisms or --draws take less. --resume FILE keeps finished settings; those that share a pass "
      "over "
      "all words are finished together, at its end",
      counted(estimate.settings, "setting"), rounded,
      estimate.seconds < kMinute ? "seconds"
      : rounded == 1             ? "minute"
                                 : "minutes");
}

std::string tune_text(const api::TuneAnswer& answer, const PrivatizeLine& line, std::size_t width) {
  std::string out;
  const auto row = [&](std::string_view label, std::string_view text) {
    out += fmt::format("{:<12}{}\n", label, wrapped(text, width, 12));
  };
  row("prior", prior_text(answer.prior));
  if (answer.labels) row("labels", labels_text(*answer.labels));
  row("L", loss_meaning(answer.loss));
  row("ceiling", fmt::format("{}: E_opt of an attacker who always guesses the likeliest word",
                             quantity_number(answer.prior.constant_guess)));
  const auto early = std::ranges::count_if(answer.found.points, &TunePoint::stopped_early);
  row("settings",
      fmt::format("{} measured{}; the same random numbers for each", grouped(answer.found.points.size()),
                  early == 0 ? "" : fmt::format(", {} of them given up early as beaten", early)));
  for (const std::string& skipped : skipped_rows(answer)) row("skipped", skipped);
  for (const std::string& note : answer.algorithm_notes()) row("Algorithm 2", with_flags(note));
  if (!answer.loss_note().empty()) row("note", with_flags(answer.loss_note()));
  if (answer.algorithm == api::TuneAlgorithm::frontier) {
    out += "\nthe frontier: proven settings that no other beats (E_opt by its low end, L by its high end)\n" +
           heading();
    out += frontier_rows(answer);
  } else {
    out += "\n" + heading();
    for (std::size_t i = 0; i < answer.found.points.size(); ++i) out += point_row(answer, i);
  }
  return out + choice_rows(answer, line, width) + undecided_rows(answer) + beside_rows(answer);
}

}  // namespace sotto::cli
