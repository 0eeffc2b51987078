#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "api/attack.h"
#include "core/count_text.h"

namespace sotto::api {
namespace {

Json share_json(const std::optional<MeasuredError>& share) {
  if (!share) return nullptr;
  return {{"value", share->value}, {"low", share->low}, {"high", share->high}, {"tokens", share->tokens}};
}

}  // namespace

std::vector<std::string> AttackAnswer::meaning() const {
  std::vector<std::string> out = {
      "Each attacker is a real attack: somebody with this language model can repeat it. The best possible "
      "attacker errs at most as often as the best one here, and perhaps less often.",
      "error_replaced counts only tokens that the mechanism changed. It says what the noise still hides.",
      "The pair bound is no lower end for these errors. It holds if everything else leaves exactly two words "
      "equally likely: a word that context or a strong prior makes likely is guessed more often."};
  if (default_prior) {
    out.emplace_back(
        "The language model is the default one, of general English. With one of texts like yours (`sotto lm "
        "train`) attackers err less often.");
  }
  if (channel_draws > 0) {
    out.push_back(
        fmt::format("The law of this mechanism has no closed form. The attackers estimated it by {} draws of "
                    "their own from "
                    "the public vocabulary. With more draws they err less often.",
                    grouped(channel_draws)));
  }
  if (labels) {
    out.emplace_back(
        "Labels: error is the share of documents whose label was guessed wrongly from the private text, "
        "error_clean the same on the original text. A label may be guessed although the words are hidden.");
  }
  if (attackers.empty() || attackers.back().attacker->needs_weights || order == 0) return out;
  out.emplace_back(
      "The attacker `combined` is missing: the language model holds no public text on which its weights "
      "could "
      "be fitted. `sotto lm train` keeps such text.");
  return out;
}

Json to_json(const AttackAnswer& answer) {
  const Mechanism& mechanism = answer.built.mechanism;
  Json out = start_answer("sotto.attack/1");
  out["mechanism"] = mechanism.info->name;
  out["parameters"] = mechanism.parameters.texts();
  out["model"] = model_json(mechanism.space->model());
  out["documents"] = answer.documents;
  out["tokens"] = answer.tokens;
  out["attackers"] = Json::array();
  for (const AttackerAnswer& own : answer.attackers) {
    out["attackers"].push_back({{"name", own.attacker->name},
                                {"assumes", own.attacker->assumes},
                                {"error", share_json(own.score.error)},
                                {"error_content", share_json(own.score.error_content)},
                                {"error_replaced", share_json(own.score.error_replaced)},
                                {"error_unknown", share_json(own.score.error_unknown)},
                                {"log_loss", finite_or_null(own.score.log_loss)},
                                {"equivalent_epsilon", finite_or_null(own.equivalent_epsilon)}});
  }
  out["pair_bound"] = Json::array();
  for (const PairBound& bound : answer.pair_bounds) {
    out["pair_bound"].push_back(
        {{"k", bound.k}, {"distance", bound.distance}, {"error", finite_or_null(bound.error)}});
  }
  if (answer.labels) out["labels"] = to_json(*answer.labels);
  out["channel"] = {{"exact", answer.channel_draws == 0}, {"draws", answer.channel_draws}};
  out["order"] = answer.order;
  if (answer.default_prior) out["default_prior"] = true;
  if (answer.seeded) out["seeded"] = true;
  out["processor_seconds"] = {{"attack", answer.attack_seconds}, {"fit", answer.fit_seconds}};
  out["meaning"] = answer.meaning();
  return out;
}

}  // namespace sotto::api
