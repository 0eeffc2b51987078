#include "cli/certify/text.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "cli/pages/status_words.h"
#include "core/bound_text.h"
#include "core/odds_text.h"
#include "shared/console.h"

namespace sotto::cli {

namespace {

using api::CertifyAnswer;
using api::upper_text;
using api::Verification;

std::string_view word_of(const CertifyAnswer& answer, WordId id) {
  return answer.model->word(id);
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
  if (answer.source == CertificateSource::cached) {
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

std::string sampled_text(const CertifyAnswer& answer, const api::SampledBound& sampled) {
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
  const double epsilon = answer.mechanism.claim.epsilon;
  std::string text(metric_name(answer.mechanism.space->metric()));
  if (answer.mechanism.space->has_one_row()) return text + "; all words are at distance 0";
  if (answer.smallest_distance()) {
    text += fmt::format(", from D0 = {:.6g} to D = {:.6g}", *answer.smallest_distance(),
                        *answer.largest_distance());
  }
  const auto nearest = answer.median_nearest();
  if (nearest) {
    text += fmt::format("; the nearest other word is at {:.3g} (median over words by their public frequency)",
                        *nearest);
    if (std::isfinite(epsilon)) text += fmt::format(", times epsilon {:.3g}", *nearest * epsilon);
  }
  return text;
}

using Row = std::function<void(std::string_view label, std::string_view text)>;

void add_stretch(const Row& row, const CertifyAnswer& answer) {
  for (const auto& [name, value] : answer.mechanism.facts) {
    if (name == "projection" || name == "sensitivity") row(name, value);
  }
  row("stretch", fmt::format("between words of the model at most {}, between any vectors at most {}",
                             upper_text(answer.stretch->vocabulary), upper_text(answer.stretch->spectral)));
}

void add_loss_rows(const Row& row, const CertifyAnswer& answer) {
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
  row("Lmax",
      loss && std::isfinite(*loss)
          ? fmt::format("{}: whoever sees one output becomes {} between any two words. The factors of the "
                        "words of a text multiply",
                        upper_text(*loss), surer_text(*loss))
          : "there is no bound");
  if (answer.sampled) row("sampled", sampled_text(answer, *answer.sampled));
  row("distances", distances_text(answer));
  if (const auto unchanged = answer.mean_unchanged()) {
    row("unchanged",
        fmt::format("mean N_w = {:.4g}: the probability that a word stays as it is, over all words{}",
                    *unchanged, answer.estimated_unchanged ? " (estimated)" : ""));
  }
}

}  // namespace

std::string certify_text(const CertifyAnswer& answer, std::size_t width) {
  const Claim& claim = answer.mechanism.claim;
  std::string out;
  const auto row = [&](std::string_view label, std::string_view text) {
    out += fmt::format("{:<12}{}\n", label, wrapped(text, width, 12));
  };
  row("mechanism", api::setting_text(answer.mechanism));
  row("model", fmt::format("{} of {}", counted(answer.model->size(), "word"), answer.model->origin().name));
  row("guarantee", claim.guarantee);
  row("verdict", answer.verdict());
  row("nominal",
      fmt::format("epsilon {}", std::isinf(claim.epsilon) ? "infinite" : number_text(claim.epsilon)));
  const auto certified = answer.certified_epsilon();
  row("certified",
      fmt::format("epsilon {} ({})", certified ? upper_text(*certified) : "unknown", answer.kind()));
  answer.is_of_vectors() ? add_stretch(row, answer) : add_loss_rows(row, answer);
  row("status",
      fmt::format("{}{}{}", status_words(claim.status), claim.caveat.empty() ? "" : "; ", claim.caveat));
  if (const auto strength = answer.strength()) {
    row("strength", fmt::format("{}: {}", strength_name(*strength), answer.strength_text()));
  }
  if (!answer.is_of_vectors()) row("source", source_text(answer));
  if (answer.verification) row("verified", verification_text(*answer.verification));
  return out;
}

}  // namespace sotto::cli
