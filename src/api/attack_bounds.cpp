#include "api/attack_bounds.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sotto/forecast.h"

namespace sotto::api {
namespace {

constexpr std::size_t kComparedTokens = 4000;
// Multiples of epsilon at which the context-free attacker is measured, one way and the other.
constexpr std::array kHigher = {1.1, 1.25, 1.5, 2.0};
constexpr std::array kLower = {0.9, 0.75, 0.5};

TokenText first_documents(const TokenText& text, std::size_t tokens) {
  TokenText out;
  for (std::size_t d = 0; d < text.documents() && out.words.size() < tokens; ++d) {
    const auto own = text.document(d);
    out.words.insert(out.words.end(), own.begin(), own.end());
    out.ends.push_back(out.words.size());
  }
  return out;
}

// Errors are compared on this scale, on which they change about evenly with epsilon. An error of 0 or 1
// counts as half a token.
double logit(double error, std::size_t tokens) {
  const double least = 0.5 / static_cast<double>(tokens);
  const double own = std::clamp(error, least, 1 - least);
  return std::log(own / (1 - own));
}

// The context-free attacker's error, relative to that at the answer's own epsilon, by multiple of epsilon.
class ErrorCurve {
 public:
  ErrorCurve(const Mechanism& mechanism, const LanguageModel& lm, TokenText text, const RandomSource& random,
             const Work& work)
      : mechanism_(mechanism), lm_(lm), text_(std::move(text)), random_(random), work_(work) {
    own_ = measured(mechanism_);
  }

  // Where the curve has moved by `shift` from its value at 1; empty: outside of what is measured.
  std::optional<double> multiple_at(double shift) {
    if (shift == 0) return 1.0;
    double at = 1;
    double value = 0;
    const std::span<const double> steps = shift < 0 ? std::span<const double>(kHigher) : kLower;
    for (const double next : steps) {
      const double there = value_at(next);
      if ((shift < 0 && there <= shift) || (shift > 0 && there >= shift)) {
        if (there == value) return next;
        const double part = (shift - value) / (there - value);
        return std::exp(std::log(at) + part * (std::log(next) - std::log(at)));
      }
      at = next;
      value = there;
    }
    return std::nullopt;
  }

 private:
  double measured(const Mechanism& mechanism) const {
    return logit(context_free_error(mechanism, lm_, text_, random_, work_), text_.words.size());
  }
  double value_at(double multiple) {
    const auto found = values_.find(multiple);
    if (found != values_.end()) return found->second;
    ParameterTexts texts = mechanism_.parameters.texts();
    texts["epsilon"] = number_text(mechanism_.claim.epsilon * multiple);
    const Mechanism other =
        build_mechanism(mechanism_.info->name, mechanism_.space->shared_model(), texts, work_).mechanism;
    return values_[multiple] = measured(other) - own_;
  }

  const Mechanism& mechanism_;
  const LanguageModel& lm_;
  TokenText text_;
  const RandomSource& random_;
  Work work_;
  double own_ = 0;
  std::map<double, double> values_;
};

const AttackerAnswer* find(const AttackAnswer& answer, std::string_view name) {
  const auto found =
      std::ranges::find(answer.attackers, name, [](const AttackerAnswer& own) { return own.attacker->name; });
  return found == answer.attackers.end() ? nullptr : &*found;
}

}  // namespace

void add_equivalent_epsilons(AttackAnswer& answer, const LanguageModel& lm, const TokenText& text,
                             const RandomSource& random, const Work& work) {
  const Mechanism& mechanism = answer.built.mechanism;
  const AttackerAnswer* alone = find(answer, "context-free");
  const bool is_quick = mechanism.words->exponential_law() != nullptr && !mechanism.claim.by_certificate &&
                        std::isfinite(mechanism.claim.epsilon) && mechanism.claim.epsilon > 0;
  if (!is_quick || alone == nullptr || !alone->score.error) return;
  const double zero = logit(alone->score.error->value, answer.tokens);
  ErrorCurve curve(mechanism, lm, first_documents(text, kComparedTokens), random, work);
  for (AttackerAnswer& own : answer.attackers) {
    if (!own.score.error) continue;
    const auto multiple = curve.multiple_at(logit(own.score.error->value, answer.tokens) - zero);
    if (multiple) own.equivalent_epsilon = mechanism.claim.epsilon * *multiple;
  }
}

std::vector<PairBound> pair_bounds(const CertifiedMechanism& built, unsigned threads) {
  const Mechanism& mechanism = built.mechanism;
  const double distance =
      forecast(mechanism, {.words = 256, .draws_per_word = 1, .threads = threads}).median_nearest;
  std::optional<double> loss;
  if (mechanism.claim.status == Status::proven) {
    if (built.certificate) {
      const Certificate& own = *built.certificate;
      loss = std::min(own.realised_epsilon * distance + own.additive_loss, own.largest_loss);
    } else if (std::isfinite(mechanism.claim.epsilon)) {
      loss = mechanism.claim.epsilon * mechanism.claim.stretch * distance;
      if (mechanism.claim.largest_word_loss) loss = std::min(*loss, *mechanism.claim.largest_word_loss);
    }
  }
  std::vector<PairBound> out;
  for (const unsigned k : {1U, 3U}) {
    out.push_back({.k = k, .distance = distance});
    if (loss) out.back().error = 1 / (1 + std::exp(k * *loss));
  }
  return out;
}

}  // namespace sotto::api
