// A certificate as JSON and as text.
#include <fmt/format.h>

#include <cmath>

#include "cli/certify/answer.h"
#include "core/bound_text.h"
#include "shared/console.h"

namespace sotto::cli {

namespace {

std::string_view word_of(const CertifyAnswer& answer, WordId id) {
  return answer.mechanism.space->model().word(id);
}

Json pair_json(const CertifyAnswer& answer, const PairLoss& pair) {
  return {{"first", word_of(answer, pair.first)},
          {"second", word_of(answer, pair.second)},
          {"distance", pair.distance},
          {"loss", finite_or_null(pair.loss)},
          {"epsilon", finite_or_null(pair.epsilon)}};
}

Json pairs_json(const CertifyAnswer& answer, const std::vector<PairLoss>& pairs) {
  Json out = Json::array();
  for (const PairLoss& pair : pairs) out.push_back(pair_json(answer, pair));
  return out;
}

std::string_view kept_name(Verification::Kept kept) {
  switch (kept) {
    case Verification::Kept::used:
      return "used";
    case Verification::Kept::refused:
      return "refused";
    case Verification::Kept::none:
      break;
  }
  return "none";
}

Json sampled_json(const CertifyAnswer& answer, const SampledBound& sampled) {
  Json json = {{"epsilon", finite_or_null(sampled.epsilon)},
               {"first", word_of(answer, sampled.pair.first)},
               {"second", word_of(answer, sampled.pair.second)},
               {"pairs", sampled.pairs},
               {"basis", sampled.draws > 0 ? "draws" : "the exact law of these pairs"}};
  if (sampled.draws > 0) {
    json["draws"] = sampled.draws;
    json["level"] = sampled.level;
  }
  return json;
}

// What a null means.
Json notes_of(const CertifyAnswer& answer) {
  Json notes = Json::array();
  const auto certified = answer.certified_epsilon();
  if (answer.mechanism.space->has_one_row()) {
    notes.push_back("all words share one row: all distances are 0, and there is no worst pair");
  }
  if (!certified)
    notes.push_back("certified_epsilon: nothing is proved, and this model is too large to compute it");
  if (certified && std::isinf(*certified)) {
    notes.push_back("certified_epsilon: infinite, an output of one word is impossible for another");
  }
  if (std::isinf(answer.mechanism.claim.epsilon))
    notes.push_back("nominal_epsilon: infinite, none is claimed");
  if (answer.gamma() && std::isinf(*answer.gamma())) notes.push_back("gamma: infinite, nothing is cut off");
  if (answer.estimated_nearest)
    notes.push_back("median_nearest_distance, mean_unchanged: estimated from draws");
  if (!answer.certificate && !answer.extremes)
    notes.push_back("smallest_distance, largest_distance: not computed");
  return notes;
}

std::string plain(std::optional<double> value) {
  if (!value) return "not computed";
  return std::isfinite(*value) ? fmt::format("{:.6g}", *value) : "infinite";
}

std::string source_text(const CertifyAnswer& answer) {
  if (!answer.certificate) {
    return answer.mechanism.words->log_law(word_id(0))
               ? "not computed: the pairs of this law are computed up to 1,000 words"
               : "not computed: the law is not known in closed form here";
  }
  if (answer.source == CertifyAnswer::Source::kept) {
    return "kept in the cache; the worst pair and up to 1,000 rows, chosen at random, were computed again "
           "(--verify: all)";
  }
  return "computed now, over all pairs of words";
}

std::string verification_text(const Verification& check) {
  std::string text;
  if (check.kept == Verification::Kept::refused) {
    text = "the certificate in the cache did not pass its checks, and was replaced; ";
  }
  text +=
      check.agrees()
          ? fmt::format("all computed again: epsilon {}, largest loss {}, as stated",
                        upper_text(check.epsilon), upper_text(check.largest_loss))
          : fmt::format("WRONG: computed again, epsilon is {} (kept: {}) and the largest loss {} (kept: {})",
                        upper_text(check.epsilon), upper_text(check.kept_epsilon),
                        upper_text(check.largest_loss), upper_text(check.kept_largest_loss));
  return text;
}

std::string sampled_text(const CertifyAnswer& answer, const SampledBound& sampled) {
  const std::string shown = std::isinf(sampled.epsilon)
                                ? "no epsilon holds"
                                : "epsilon is at least " + rounded_down(sampled.epsilon, 4);
  const std::string basis =
      sampled.draws > 0 ? fmt::format("{} draws a word, at level {:g}", grouped(sampled.draws), sampled.level)
                        : "from the law itself";
  return fmt::format("{}: \"{}\" and \"{}\", the most telling of {} ({}); a lower bound, not a certificate",
                     shown, word_of(answer, sampled.pair.first), word_of(answer, sampled.pair.second),
                     counted(sampled.pairs, "pair"), basis);
}

std::string distances_text(const CertifyAnswer& answer) {
  const auto& certificate = answer.certificate;
  const auto& extremes = answer.extremes;
  const double epsilon = answer.mechanism.claim.epsilon;
  std::string text(metric_name(answer.mechanism.space->metric()));
  if (answer.mechanism.space->has_one_row()) return text + "; all words are at distance 0";
  if (certificate || extremes) {
    text += fmt::format(", from D0 = {:.6g} to D = {:.6g}",
                        certificate ? certificate->smallest_distance : extremes->smallest,
                        certificate ? certificate->largest_distance : extremes->largest);
  }
  const auto nearest = answer.median_nearest();
  if (nearest) {
    text += fmt::format("; the nearest other word is at {:.4g} (median{})", *nearest,
                        certificate ? "" : ", estimated");
    if (std::isfinite(epsilon)) text += fmt::format(", times epsilon {:.4g}", *nearest * epsilon);
  }
  return text;
}

}  // namespace

Json certify_json(const CertifyAnswer& answer) {
  const Mechanism& mechanism = answer.mechanism;
  const Model& model = mechanism.space->model();
  const auto& certificate = answer.certificate;
  const auto& extremes = answer.extremes;
  Json json = start_answer("sotto.certificate-answer/1");
  json["mechanism"] = mechanism.info->name;
  json["parameters"] = mechanism.parameters.texts();
  json["calibration"] = mechanism.parameters.has("calibration")
                            ? Json(mechanism.parameters.text("calibration"))
                            : Json(nullptr);
  json["metric"] = metric_name(mechanism.space->metric());
  json["model"] = {{"name", model.origin().name}, {"identity", model.identity()}};
  json["n"] = model.size();
  json["merged_words"] = mechanism.space->merged_words();
  json["nominal_epsilon"] = finite_or_null(mechanism.claim.epsilon);
  json["certified_epsilon"] = finite_or_null(answer.certified_epsilon());
  json["additive_loss"] = finite_or_null(answer.additive_loss());
  json["kind"] = answer.kind();
  json["holds"] = !answer.breaks_claim();
  json["verdict"] = answer.verdict();
  json["slope"] = finite_or_null(answer.slope());
  json["gamma"] = finite_or_null(answer.gamma());
  json["largest_word_loss"] = finite_or_null(answer.largest_word_loss());
  const bool has_pair = certificate && !certificate->worst_pairs.empty();
  json["worst_pair"] = has_pair ? pair_json(answer, certificate->worst_pairs.front()) : Json(nullptr);
  json["smallest_distance"] = certificate ? finite_or_null(certificate->smallest_distance)
                              : extremes  ? finite_or_null(extremes->smallest)
                                          : Json(nullptr);
  json["largest_distance"] = certificate ? finite_or_null(certificate->largest_distance)
                             : extremes  ? finite_or_null(extremes->largest)
                                         : Json(nullptr);
  const auto nearest = answer.median_nearest();
  json["median_nearest_distance"] = finite_or_null(nearest);
  json["epsilon_times_median_nearest_distance"] =
      nearest ? finite_or_null(*nearest * mechanism.claim.epsilon) : Json(nullptr);
  json["mean_unchanged"] = finite_or_null(answer.mean_unchanged());
  json["guarantee"] = mechanism.claim.guarantee;
  json["status"] = status_name(mechanism.claim.status);
  json["strength"] = strength_name(answer.strength());
  json["expected_unchanged"] = {{"share", answer.expected.unchanged},
                                {"margin95", answer.expected.unchanged_margin}};
  json["caveat"] = mechanism.claim.caveat.empty() ? Json(nullptr) : Json(mechanism.claim.caveat);
  json["source"] = !certificate                                   ? Json(nullptr)
                   : answer.source == CertifyAnswer::Source::kept ? "kept and checked"
                                                                  : "computed";
  json["sampled_lower_bound"] = answer.sampled ? sampled_json(answer, *answer.sampled) : Json(nullptr);
  if (answer.verification) {
    const Verification& check = *answer.verification;
    json["verification"] = {{"kept_certificate", kept_name(check.kept)},
                            {"kept_epsilon", finite_or_null(check.kept_epsilon)},
                            {"recomputed_epsilon", finite_or_null(check.epsilon)},
                            {"recomputed_largest_word_loss", finite_or_null(check.largest_loss)},
                            {"agrees", check.agrees()}};
  }
  if (certificate) {
    json["worst_pairs"] = pairs_json(answer, certificate->worst_pairs);
    json["distance_bands"] = pairs_json(answer, certificate->bands);
  }
  if (Json notes = notes_of(answer); !notes.empty()) json["notes"] = std::move(notes);
  return json;
}

std::string certify_text(const CertifyAnswer& answer, std::size_t width) {
  const Mechanism& mechanism = answer.mechanism;
  const Model& model = mechanism.space->model();
  std::string out;
  const auto row = [&](std::string_view label, std::string_view text) {
    out += fmt::format("{:<12}{}\n", label, wrapped(text, width, 12));
  };
  row("mechanism", parameters_text(mechanism));
  row("model", fmt::format("{} of {}", counted(model.size(), "word"), model.origin().name));
  row("guarantee", mechanism.claim.guarantee);
  row("verdict", answer.verdict());
  row("nominal",
      fmt::format("epsilon {}",
                  std::isinf(mechanism.claim.epsilon) ? "infinite" : number_text(mechanism.claim.epsilon)));
  const auto certified = answer.certified_epsilon();
  row("certified",
      fmt::format("epsilon {} ({})", certified ? upper_text(*certified) : "unknown", answer.kind()));
  if (const auto additive = answer.additive_loss(); additive && *additive > 0) {
    row("additive", fmt::format("{}: what comes on top of epsilon * d for each word, for all rounding",
                                upper_text(*additive)));
  }
  if (answer.slope()) row("slope", fmt::format("{:.9g}; gamma {}", *answer.slope(), plain(answer.gamma())));
  if (answer.certificate && !answer.certificate->worst_pairs.empty()) {
    const PairLoss& worst = answer.certificate->worst_pairs.front();
    row("worst pair",
        fmt::format("\"{}\" and \"{}\", at distance {:.6g}, lose {}", word_of(answer, worst.first),
                    word_of(answer, worst.second), worst.distance, upper_text(worst.loss)));
  }
  const auto loss = answer.largest_word_loss();
  row("Lmax", loss && std::isfinite(*loss)
                  ? fmt::format("{}: one word loses at most this, towards any other", upper_text(*loss))
                  : "there is no bound");
  if (answer.sampled) row("sampled", sampled_text(answer, *answer.sampled));
  row("distances", distances_text(answer));
  if (const auto unchanged = answer.mean_unchanged()) {
    row("unchanged",
        fmt::format("mean N_w = {:.4g}: the probability that a word stays as it is, over all words{}",
                    *unchanged, answer.estimated_unchanged ? " (estimated)" : ""));
  }
  row("status", fmt::format("{}{}{}", status_name(mechanism.claim.status),
                            mechanism.claim.caveat.empty() ? "" : "; ", mechanism.claim.caveat));
  row("strength",
      fmt::format("{}: {}", strength_name(answer.strength()), strength_sentence(answer.strength())));
  row("source", source_text(answer));
  if (answer.verification) row("verified", verification_text(*answer.verification));
  return out;
}

}  // namespace sotto::cli
