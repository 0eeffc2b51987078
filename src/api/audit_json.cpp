// What an audit found, as JSON and in words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "api/audit.h"
#include "core/bound_text.h"
#include "sotto/forecast.h"

namespace sotto::api {

namespace {

Json event_json(const AuditAnswer& answer, const AuditEvent& event) {
  Json json;
  switch (event.kind) {
    case AuditEvent::Kind::output:
    case AuditEvent::Kind::set:
      json["kind"] = event.kind == AuditEvent::Kind::output ? "output" : "set";
      json["size"] = event.outputs.size();
      json["outputs"] = Json::array();
      for (std::size_t i = 0; i < std::min(kOutputsNamed, event.outputs.size()); ++i) {
        json["outputs"].push_back(answer.text(event.outputs[i]));
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

Json finding_json(const AuditAnswer& answer, const AuditFinding& finding) {
  Json json;
  json["first"] = answer.text(finding.pair.first);
  json["second"] = answer.text(finding.pair.second);
  json["kind"] = kind_name(finding.pair.kind);
  json["distance"] = finding.pair.distance;
  json["claimed_loss"] = finite_or_null(finding.pair.claimed_loss);
  if (finding.pair.exact_loss) {
    json["exact_loss"] = finite_or_null(finding.pair.exact_loss);
    json["exact_output"] = answer.text(finding.pair.exact_output);
  }
  json["likelier"] = answer.text(finding.event.likelier);
  json["event"] = event_json(answer, finding.event);
  json["draws"] = finding.draws;
  json["hits_likelier"] = finding.hits_likelier;
  json["hits_other"] = finding.hits_other;
  json["loss_estimate"] = finite_or_null(finding.loss_estimate);
  json["loss_lower_bound"] = finding.loss_bound;
  if (finding.drawn_again) json["drawn_again"] = true;
  if (finding.draws_needed) json["draws_needed"] = finite_or_null(std::ceil(*finding.draws_needed));
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

}  // namespace

bool is_by_law(const AuditFinding& finding) {
  return finding.pair.exact_loss && *finding.pair.exact_loss > finding.loss_bound &&
         !(finding.loss_bound > finding.pair.claimed_loss);
}

std::string AuditAnswer::text(AuditWord word) const {
  return word < space->size() ? std::string(space->model().word(word_id(word))) : texts.at(word);
}

std::string AuditAnswer::pair_text(const AuditPair& pair) const {
  const std::string words = fmt::format("\"{}\" and \"{}\"", text(pair.first), text(pair.second));
  if (pair.kind == AuditPair::Kind::unknown) return words + ", which the model does not have,";
  return fmt::format("{} (distance {:.4g})", words, pair.distance);
}

std::string_view AuditAnswer::verdict_name() const {
  if (violated()) return "violated";
  switch (result.verdict) {
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

std::string AuditAnswer::verdict() const {
  if (replay && replay->repeats) {
    return fmt::format(
        "VIOLATED: the noise repeats. Two runs of the program on the same {} lines gave the same "
        "answers (probability {:.1g} if the noise were fresh): who can run it can undo it",
        replay->lines, replay->probability);
  }
  if (result.verdict == AuditVerdict::violated && is_by_law(*result.witness)) {
    return fmt::format("VIOLATED: by the law of the mechanism, the loss for {} is {}, and {} is claimed",
                       pair_text(result.witness->pair), number(*result.witness->pair.exact_loss),
                       rounded_up(result.witness->pair.claimed_loss, 4));
  }
  if (result.verdict == AuditVerdict::violated) {
    return fmt::format("VIOLATED: for {} the loss is at least {}, and {} is claimed",
                       pair_text(result.witness->pair), rounded_down(result.witness->loss_bound, 4),
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
        pair_text(result.witness->pair), result.witness->loss_estimate,
        rounded_up(result.witness->pair.claimed_loss, 4), rounded_down(result.witness->loss_bound, 4),
        std::isfinite(needed)
            ? fmt::format("If the shares stay as they are, `draws` {:.0f} decides", std::ceil(needed))
            : "No number of draws that could be made would decide it");
  }
  return "PASS: no violation found";
}

Json to_json(const AuditAnswer& answer) {
  const AuditResult& result = answer.result;
  Json json = start_answer("sotto.audit/1");
  if (answer.mechanism) {
    json["mechanism"] = answer.mechanism->info->name;
    json["parameters"] = answer.mechanism->parameters.texts();
    json["status"] = status_name(answer.mechanism->claim.status);
  } else {
    json["command"] = answer.subject;
  }
  json["metric"] = metric_name(answer.space->metric());
  const Model& model = answer.space->model();
  json["model"] = model_json(model);
  json["model"]["n"] = model.size();
  json["verdict"] = answer.verdict_name();
  if (answer.expected_unchanged) {
    json["strength"] = strength_name(strength_of(*answer.expected_unchanged));
    json["expected_unchanged"] = *answer.expected_unchanged;
  }
  json["level"] = result.level;
  json["claimed_epsilon"] = finite_or_null(answer.claimed_epsilon);
  json["realised_epsilon_lower_bound"] = finite_or_null(result.realised_epsilon_bound);
  json["draws_per_word"] = answer.draws;
  json["total_draws"] = result.total_draws;
  json["hypotheses"] = result.hypotheses;
  json["reach"] = {{"largest_loss", result.reach.largest_loss},
                   {"pairs_within", result.reach.pairs_within},
                   {"smallest_excess", finite_or_null(result.reach.smallest_excess)}};
  if (answer.is_of_vectors()) json["reach"]["noise_shortfall"] = finite_or_null(answer.noise_shortfall);
  json["witness"] = result.witness ? finding_json(answer, *result.witness) : Json(nullptr);
  if (answer.replay) {
    json["replay"] = {{"lines", answer.replay->lines},
                      {"repeats", answer.replay->repeats},
                      {"probability_if_fresh", answer.replay->probability}};
  }
  json["pairs"] = Json::array();
  for (const AuditFinding& finding : result.pairs) json["pairs"].push_back(finding_json(answer, finding));
  if (answer.deniability) {
    json["deniability"] = {{"draws", kDeniabilityDraws},
                           {"exact", answer.deniability->exact},
                           {"overall", band_json(answer.deniability->overall)},
                           {"rare", band_json(answer.deniability->rare)}};
  }
  return json;
}

}  // namespace sotto::api
