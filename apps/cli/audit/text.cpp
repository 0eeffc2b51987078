#include "cli/audit/text.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "core/bound_text.h"
#include "shared/console.h"
#include "sotto/forecast.h"

namespace sotto::cli {

namespace {

std::string quoted(const std::string& text) {
  return "\"" + text + "\"";
}

std::string event_text(const api::AuditAnswer& answer, const AuditFinding& finding) {
  const AuditEvent& event = finding.event;
  if (event.kind == AuditEvent::Kind::output) {
    return fmt::format("{} {}", answer.is_of_vectors() ? "a vector in the cell" : "the output",
                       quoted(answer.text(event.outputs.front())));
  }
  if (event.kind == AuditEvent::Kind::nearer) {
    return fmt::format("an output nearer to {} than to {} by {:.4g} or more",
                       quoted(answer.text(event.likelier)), quoted(answer.text(event.other)),
                       event.threshold);
  }
  if (event.kind == AuditEvent::Kind::farther) {
    return fmt::format("an output at a distance of {:.4g} or more from {}", event.threshold,
                       quoted(answer.text(event.likelier)));
  }
  std::string some;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, event.outputs.size()); ++i) {
    some += (i > 0 ? ", " : "") + quoted(answer.text(event.outputs[i]));
  }
  return fmt::format("{} {} ({}{})", answer.is_of_vectors() ? "a vector in one of" : "one of",
                     counted(event.outputs.size(), answer.is_of_vectors() ? "cell" : "output"), some,
                     event.outputs.size() > 3 ? ", ..." : "");
}

std::string counts_text(const api::AuditAnswer& answer, const AuditFinding& finding) {
  return fmt::format("{} came {} times in {} draws of {}, and {} times in as many of {}",
                     event_text(answer, finding), grouped(finding.hits_likelier), grouped(finding.draws),
                     quoted(answer.text(finding.event.likelier)), grouped(finding.hits_other),
                     quoted(answer.text(finding.event.other)));
}

// "30 nearest, 15 rare, 15 random"
std::string kinds_text(const AuditResult& result) {
  std::map<AuditPair::Kind, std::size_t> kinds;
  for (const AuditFinding& finding : result.pairs) ++kinds[finding.pair.kind];
  std::string text;
  for (const auto& [kind, count] : kinds) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, kind_name(kind));
  }
  return text;
}

std::string reach_text(const api::AuditAnswer& answer) {
  const AuditReach& reach = answer.result.reach;
  std::string text = fmt::format(
      "a claimed loss of {} or more cannot be refuted by this many draws: {} of {} "
      "pairs claim less",
      rounded_up(reach.largest_loss, 3), reach.pairs_within, answer.result.pairs.size());
  if (reach.pairs_within == 0)
    return text + "; for a meaningful audit raise --draws or give near pairs (--pair)";
  if (std::isfinite(reach.smallest_excess)) {
    text += fmt::format(
        ". In the pair that claims least, an event of probability 1/10 shows if its loss exceeds "
        "the claim by {}",
        rounded_up(reach.smallest_excess, 2));
  }
  if (answer.is_of_vectors()) {
    text +=
        answer.noise_shortfall
            ? fmt::format(". Noise too small by a factor of {} shows in that pair",
                          rounded_up(*answer.noise_shortfall, 3))
            : ". Noise too small by a factor of 64 would not show in that pair: give fewer dimensions, where "
              "the same code is tested with more power";
  }
  return text;
}

std::string deniability_table(const Deniability& deniability) {
  std::string out = fmt::format("\n  {:<24}{:>8}", "deniability", "mean");
  for (const double q : kDeniabilityQuantiles)
    out += fmt::format("{:>8}", q == 0 ? "least" : q == 1 ? "most" : fmt::format("{:.0f}%", 100 * q));
  out += '\n';
  const auto row = [&](std::string_view label, const DeniabilitySummary& summary, const char* form) {
    out += fmt::format("  {:<24}{:>8}", label, fmt::format(fmt::runtime(form), summary.mean));
    for (const double value : summary.quantiles)
      out += fmt::format("{:>8}", fmt::format(fmt::runtime(form), value));
    out += '\n';
  };
  row(fmt::format("N_w, {}", counted(deniability.overall.words, "word")), deniability.overall.unchanged,
      "{:.3f}");
  row(fmt::format("N_w, {} rare", deniability.rare.words), deniability.rare.unchanged, "{:.3f}");
  row(fmt::format("S_w, {}", counted(deniability.overall.words, "word")), deniability.overall.distinct,
      "{:.0f}");
  row(fmt::format("S_w, {} rare", deniability.rare.words), deniability.rare.distinct, "{:.0f}");
  return out + fmt::format("  N_w: probability that a word stays; S_w: different outputs in {} draws; {}\n",
                           grouped(kDeniabilityDraws),
                           deniability.exact ? "exact, from the law" : "counted in draws");
}

}  // namespace

std::string audit_text(const api::AuditAnswer& answer, std::size_t width) {
  const AuditResult& result = answer.result;
  std::string out;
  const auto row = [&](std::string_view label, std::string_view text) {
    out += fmt::format("{:<12}{}\n", label, wrapped(text, width, 12));
  };
  row("subject", fmt::format("{} on {} of {}", answer.subject, counted(answer.space->size(), "word"),
                             answer.space->model().origin().name));
  row("claim",
      std::isfinite(answer.claimed_epsilon)
          ? fmt::format("a loss of at most {} * d between two words{}", number_text(answer.claimed_epsilon),
                        answer.mechanism && answer.mechanism->claim.status != Status::proven
                            ? fmt::format(" (status: {})", status_name(answer.mechanism->claim.status))
                            : "")
          : "none");
  row("drawn", fmt::format("{} draws for each word of {} ({}); {} tested on fresh draws; {} draws in all",
                           grouped(answer.draws), counted(result.pairs.size(), "pair"), kinds_text(result),
                           counted(result.hypotheses, "event"), grouped(result.total_draws)));
  row("verdict", answer.verdict());
  if (result.witness) {
    row("witness",
        api::is_by_law(*result.witness)
            ? fmt::format("the output {}, far likelier for one of the two words than for the other; in "
                          "the draws {}",
                          quoted(answer.text(result.witness->pair.exact_output)),
                          counts_text(answer, *result.witness))
            : counts_text(answer, *result.witness));
  }
  if (result.strongest) {
    const double bound = result.realised_epsilon_bound;
    row("realised",
        fmt::format(
            "{} (claimed {}): {} {}",
            std::isfinite(bound) ? "epsilon is at least " + rounded_down(bound, 4) : "no epsilon holds",
            std::isfinite(answer.claimed_epsilon) ? number_text(answer.claimed_epsilon) : "infinite",
            answer.pair_text(result.strongest->pair) +
                (result.strongest->pair.kind == AuditPair::Kind::unknown ? "" : ":"),
            counts_text(answer, *result.strongest)));
  }
  if (answer.expected_unchanged) {
    const Strength strength = strength_of(*answer.expected_unchanged);
    row("strength", fmt::format("{}: {}", strength_name(strength),
                                strength_sentence(
                                    strength, answer.is_of_vectors() ? Released::vectors : Released::words)));
  }
  row("reach", reach_text(answer));
  row("level",
      fmt::format("a subject that keeps its claim is called VIOLATED with probability at most {:g}, all "
                  "pairs and events together; PASS proves nothing about pairs and events not drawn",
                  result.level));
  if (answer.deniability) out += deniability_table(*answer.deniability);
  return out;
}

}  // namespace sotto::cli
