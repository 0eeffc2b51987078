#include "cli/audit/report.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "core/bound_text.h"
#include "shared/console.h"
#include "sotto/forecast.h"

namespace sotto::cli {

namespace {

constexpr std::size_t kOutputsShown = 20;

std::string_view verdict_name(const AuditReport& report) {
  if (report.violated()) return "violated";
  switch (report.result.verdict) {
    case AuditVerdict::pass:
      return "pass";
    case AuditVerdict::undecided:
      return "undecided";
    case AuditVerdict::nothing_claimed:
      return "nothing_claimed";
    case AuditVerdict::violated:
      break;
  }
  return "violated";
}

// JSON has no infinity: null.
Json finite(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json event_json(const AuditReport& report, const AuditEvent& event) {
  Json json;
  switch (event.kind) {
    case AuditEvent::Kind::output:
    case AuditEvent::Kind::set:
      json["kind"] = event.kind == AuditEvent::Kind::output ? "output" : "set";
      json["size"] = event.outputs.size();
      json["outputs"] = Json::array();
      for (std::size_t i = 0; i < std::min(kOutputsShown, event.outputs.size()); ++i) {
        json["outputs"].push_back(report.subject.text(event.outputs[i]));
      }
      break;
    case AuditEvent::Kind::nearer:
    case AuditEvent::Kind::farther:
      json["kind"] = event.kind == AuditEvent::Kind::nearer ? "nearer" : "farther";
      json["threshold"] = event.threshold;
      break;
  }
  return json;
}

Json finding_json(const AuditReport& report, const AuditFinding& finding) {
  Json json;
  json["first"] = report.subject.text(finding.pair.first);
  json["second"] = report.subject.text(finding.pair.second);
  json["kind"] = kind_name(finding.pair.kind);
  json["distance"] = finding.pair.distance;
  json["claimed_loss"] = finite(finding.pair.claimed_loss);
  if (finding.pair.exact_loss) {
    json["exact_loss"] = finite(*finding.pair.exact_loss);
    json["exact_output"] = report.subject.text(finding.pair.exact_output);
  }
  json["likelier"] = report.subject.text(finding.event.likelier);
  json["event"] = event_json(report, finding.event);
  json["draws"] = finding.draws;
  json["hits_likelier"] = finding.hits_likelier;
  json["hits_other"] = finding.hits_other;
  json["loss_estimate"] = finite(finding.loss_estimate);
  json["loss_lower_bound"] = finding.loss_bound;
  if (finding.drawn_again) json["drawn_again"] = true;
  if (finding.draws_needed) json["draws_needed"] = finite(std::ceil(*finding.draws_needed));
  return json;
}

Json summary_json(const DeniabilitySummary& summary) {
  Json quantiles;
  for (std::size_t i = 0; i < summary.quantiles.size(); ++i) {
    quantiles[fmt::format("{}", kDeniabilityQuantiles[i])] = summary.quantiles[i];
  }
  return {{"mean", summary.mean}, {"quantiles", quantiles}};
}
Json band_json(const DeniabilityBand& band) {
  return {{"words", band.words}, {"n_w", summary_json(band.unchanged)}, {"s_w", summary_json(band.distinct)}};
}

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.4g}", value) : "infinite";
}

// The law proves more than the draws do.
bool is_exact(const AuditFinding& finding) {
  return finding.pair.exact_loss && *finding.pair.exact_loss > finding.loss_bound &&
         !(finding.loss_bound > finding.pair.claimed_loss);
}

std::string quoted(const std::string& text) {
  return "\"" + text + "\"";
}

std::string event_text(const AuditReport& report, const AuditFinding& finding) {
  const AuditEvent& event = finding.event;
  if (event.kind == AuditEvent::Kind::output) {
    return fmt::format("the output {}", quoted(report.subject.text(event.outputs.front())));
  }
  if (event.kind == AuditEvent::Kind::nearer) {
    return fmt::format("an output nearer to {} than to {} by {:.4g} or more",
                       quoted(report.subject.text(event.likelier)), quoted(report.subject.text(event.other)),
                       event.threshold);
  }
  if (event.kind == AuditEvent::Kind::farther) {
    return fmt::format("an output at a distance of {:.4g} or more from {}", event.threshold,
                       quoted(report.subject.text(event.likelier)));
  }
  std::string some;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, event.outputs.size()); ++i) {
    some += (i > 0 ? ", " : "") + quoted(report.subject.text(event.outputs[i]));
  }
  return fmt::format("one of {} ({}{})", counted(event.outputs.size(), "output"), some,
                     event.outputs.size() > 3 ? ", ..." : "");
}

std::string pair_text(const AuditReport& report, const AuditPair& pair) {
  const std::string words = fmt::format("{} and {}", quoted(report.subject.text(pair.first)),
                                        quoted(report.subject.text(pair.second)));
  if (pair.kind == AuditPair::Kind::unknown) return words + ", which the model does not have,";
  return fmt::format("{} (distance {:.4g})", words, pair.distance);
}

std::string counts_text(const AuditReport& report, const AuditFinding& finding) {
  return fmt::format("{} came {} times in {} draws of {}, and {} times in as many of {}",
                     event_text(report, finding), grouped(finding.hits_likelier), grouped(finding.draws),
                     quoted(report.subject.text(finding.event.likelier)), grouped(finding.hits_other),
                     quoted(report.subject.text(finding.event.other)));
}

std::string verdict_text(const AuditReport& report) {
  const AuditResult& result = report.result;
  if (report.replay && report.replay->repeats) {
    return fmt::format(
        "VIOLATED: the noise repeats. Two runs of the program on the same {} lines gave the same "
        "answers (probability {:.1g} if the noise were fresh): who can run it can undo it",
        report.replay->lines, report.replay->probability);
  }
  if (result.verdict == AuditVerdict::violated && is_exact(*result.witness)) {
    return fmt::format("VIOLATED: by the law of the mechanism, the loss for {} is {}, and {} is claimed",
                       pair_text(report, result.witness->pair), number(*result.witness->pair.exact_loss),
                       rounded_up(result.witness->pair.claimed_loss, 4));
  }
  if (result.verdict == AuditVerdict::violated) {
    return fmt::format("VIOLATED: for {} the loss is at least {}, and {} is claimed",
                       pair_text(report, result.witness->pair), rounded_down(result.witness->loss_bound, 4),
                       rounded_up(result.witness->pair.claimed_loss, 4));
  }
  if (result.verdict == AuditVerdict::nothing_claimed) {
    return "NOTHING CLAIMED: the claimed epsilon is infinite, so nothing can be violated";
  }
  if (result.verdict == AuditVerdict::undecided) {
    const double needed = result.witness->draws_needed.value_or(0);
    return fmt::format(
        "UNDECIDED: for {} the loss seems to be {:.4g}, above the {} claimed, but it is proved to be "
        "{} only. {}",
        pair_text(report, result.witness->pair), result.witness->loss_estimate,
        rounded_up(result.witness->pair.claimed_loss, 4), rounded_down(result.witness->loss_bound, 4),
        std::isfinite(needed)
            ? fmt::format("If the shares stay as they are, --draws {:.0f} decides", std::ceil(needed))
            : "No number of draws that could be made would decide it");
  }
  return "PASS: no violation found";
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

std::string reach_text(const AuditReport& report) {
  const AuditReach& reach = report.result.reach;
  std::string text = fmt::format(
      "a claimed loss of {} or more cannot be refuted by this many draws: {} of {} "
      "pairs claim less",
      rounded_up(reach.largest_loss, 3), reach.pairs_within, report.result.pairs.size());
  if (reach.pairs_within == 0)
    return text + "; for a meaningful audit raise --draws or give near pairs (--pair)";
  if (std::isfinite(reach.smallest_excess)) {
    text += fmt::format(
        ". In the pair that claims least, an event of probability 1/10 shows if its loss exceeds "
        "the claim by {}",
        rounded_up(reach.smallest_excess, 2));
  }
  return text;
}

std::string deniability_table(const Deniability& deniability) {
  std::string out = fmt::format("\n  {:<24}{:>8}", "deniability", "mean");
  for (const double q : kDeniabilityQuantiles)
    out += fmt::format("{:>8}", q == 0 ? "least" : q == 1 ? "most" : fmt::format("{:.0f}%", 100 * q));
  out += "\n";
  const auto row = [&](std::string_view label, const DeniabilitySummary& summary, const char* form) {
    out += fmt::format("  {:<24}{:>8}", label, fmt::format(fmt::runtime(form), summary.mean));
    for (const double value : summary.quantiles)
      out += fmt::format("{:>8}", fmt::format(fmt::runtime(form), value));
    out += "\n";
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

std::string audit_verdict(const AuditReport& report) {
  return verdict_text(report);
}

Json audit_json(const AuditReport& report) {
  const AuditResult& result = report.result;
  Json answer = start_answer("sotto.audit/1");
  if (report.mechanism != nullptr) {
    answer["mechanism"] = report.mechanism->info->name;
    answer["parameters"] = report.mechanism->parameters.texts();
    answer["status"] = status_name(report.mechanism->claim.status);
  } else {
    answer["command"] = report.subject_text;
  }
  answer["metric"] = metric_name(report.space.metric());
  const Model& model = report.space.model();
  answer["model"] = {{"name", model.origin().name}, {"identity", model.identity()}, {"n", model.size()}};
  answer["verdict"] = verdict_name(report);
  if (report.expected_unchanged) {
    answer["strength"] = strength_name(strength_of(*report.expected_unchanged));
    answer["expected_unchanged"] = *report.expected_unchanged;
  }
  answer["level"] = result.level;
  answer["claimed_epsilon"] = finite(report.epsilon);
  answer["realised_epsilon_lower_bound"] = finite(result.realised_epsilon_bound);
  answer["draws_per_word"] = report.draws;
  answer["total_draws"] = result.total_draws;
  answer["hypotheses"] = result.hypotheses;
  answer["reach"] = {{"largest_loss", result.reach.largest_loss},
                     {"pairs_within", result.reach.pairs_within},
                     {"smallest_excess", finite(result.reach.smallest_excess)}};
  answer["witness"] = result.witness ? finding_json(report, *result.witness) : Json(nullptr);
  if (report.replay) {
    answer["replay"] = {{"lines", report.replay->lines},
                        {"repeats", report.replay->repeats},
                        {"probability_if_fresh", report.replay->probability}};
  }
  answer["pairs"] = Json::array();
  for (const AuditFinding& finding : result.pairs) answer["pairs"].push_back(finding_json(report, finding));
  if (report.deniability) {
    answer["deniability"] = {{"draws", kDeniabilityDraws},
                             {"exact", report.deniability->exact},
                             {"overall", band_json(report.deniability->overall)},
                             {"rare", band_json(report.deniability->rare)}};
  }
  return answer;
}

std::string audit_text(const AuditReport& report, std::size_t width) {
  const AuditResult& result = report.result;
  std::string out;
  const auto row = [&](std::string_view label, std::string_view text) {
    out += fmt::format("{:<12}{}\n", label, wrapped(text, width, 12));
  };
  row("subject", fmt::format("{} on {} of {}", report.subject_text, counted(report.space.size(), "word"),
                             report.space.model().origin().name));
  row("claim",
      std::isfinite(report.epsilon)
          ? fmt::format("a loss of at most {} * d between two words{}", number_text(report.epsilon),
                        report.mechanism != nullptr && report.mechanism->claim.status != Status::proven
                            ? fmt::format(" (status: {})", status_name(report.mechanism->claim.status))
                            : "")
          : "none");
  row("drawn", fmt::format("{} draws for each word of {} ({}); {} tested on fresh draws; {} draws in all",
                           grouped(report.draws), counted(result.pairs.size(), "pair"), kinds_text(result),
                           counted(result.hypotheses, "event"), grouped(result.total_draws)));
  row("verdict", verdict_text(report));
  if (result.witness) {
    row("witness",
        is_exact(*result.witness)
            ? fmt::format("the output {}, far likelier for one of the two words than for the other; in "
                          "the draws {}",
                          quoted(report.subject.text(result.witness->pair.exact_output)),
                          counts_text(report, *result.witness))
            : counts_text(report, *result.witness));
  }
  if (result.strongest) {
    const double bound = result.realised_epsilon_bound;
    row("realised", fmt::format("{} (claimed {}): {} {}",
                                std::isfinite(bound) ? "epsilon is at least " + rounded_down(bound, 4)
                                                     : "no epsilon holds",
                                std::isfinite(report.epsilon) ? number_text(report.epsilon) : "infinite",
                                pair_text(report, result.strongest->pair) +
                                    (result.strongest->pair.kind == AuditPair::Kind::unknown ? "" : ":"),
                                counts_text(report, *result.strongest)));
  }
  if (report.expected_unchanged) {
    const Strength strength = strength_of(*report.expected_unchanged);
    row("strength", fmt::format("{}: {}", strength_name(strength), strength_sentence(strength)));
  }
  row("reach", reach_text(report));
  row("level",
      fmt::format("a subject that keeps its claim is called VIOLATED with probability at most {:g}, all "
                  "pairs and events together; PASS proves nothing about pairs and events not drawn",
                  result.level));
  if (report.deniability) out += deniability_table(*report.deniability);
  return out;
}

}  // namespace sotto::cli
