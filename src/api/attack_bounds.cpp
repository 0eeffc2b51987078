#include "api/attack_bounds.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sotto/forecast.h"

namespace sotto::api {
namespace {

constexpr std::size_t kComparedTokens = 4000;
// Multiples of epsilon at which the context-free attacker is measured, one way and the other.
constexpr std::array kMultiples = {1.0, 1.1, 1.25, 1.5, 2.0, 0.9, 0.75, 0.5};
constexpr std::size_t kHigher = 4;  // of them above 1, then those below

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

Mechanism at_multiple(const Mechanism& mechanism, double multiple, const Work& work) {
  ParameterTexts texts = mechanism.parameters.texts();
  texts["epsilon"] = number_text(mechanism.claim.epsilon * multiple);
  return build_mechanism(mechanism.info->name, mechanism.space->shared_model(), texts, work).mechanism;
}

// The context-free attacker's error, relative to that at the answer's own epsilon, by multiple of epsilon.
class ErrorCurve {
 public:
  ErrorCurve(const Mechanism& mechanism, const ComparedChannels& compared, const ComparedText& given,
             const Work& work)
      : mechanism_(mechanism),
        compared_(compared),
        given_(given),
        text_(first_documents(*given.text, kComparedTokens)),
        work_(work),
        values_(compared.multiples.size()) {
    own_ = measured(0);
  }

  // Where the curve has moved by `shift` from its value at 1; empty: outside of what is measured.
  std::optional<double> multiple_at(double shift) {
    if (shift == 0) return 1.0;
    double at = 1;
    double value = 0;
    const std::size_t first = shift < 0 ? 1 : kHigher + 1;
    const std::size_t last = shift < 0 ? kHigher + 1 : compared_.multiples.size();
    for (std::size_t i = first; i < last; ++i) {
      const double next = compared_.multiples[i];
      const double there = value_at(i);
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
  [[nodiscard]] double measured(std::size_t i) const {
    const Mechanism other = i == 0 ? mechanism_ : at_multiple(mechanism_, compared_.multiples[i], work_);
    const AttackKnowledge knowledge{.lm = given_.lm,
                                    .channel = compared_.channels[i].get(),
                                    .room = given_.room,
                                    .threads = work_.threads};
    return logit(context_free_error(knowledge, other, text_, *given_.random), text_.words.size());
  }
  double value_at(std::size_t i) {
    if (!values_[i]) values_[i] = measured(i) - own_;
    return *values_[i];
  }

  const Mechanism& mechanism_;
  const ComparedChannels& compared_;
  ComparedText given_;
  TokenText text_;
  Work work_;
  double own_ = 0;
  std::vector<std::optional<double>> values_;
};

const AttackerAnswer* find(const AttackAnswer& answer, std::string_view name) {
  const auto found =
      std::ranges::find(answer.attackers, name, [](const AttackerAnswer& own) { return own.attacker->name; });
  return found == answer.attackers.end() ? nullptr : &*found;
}

}  // namespace

ComparedChannels compared_channels(const Mechanism& mechanism, const Channel::Options& options,
                                   const Work& work) {
  const bool is_quick = mechanism.words->exponential_law() != nullptr && !mechanism.claim.by_certificate &&
                        std::isfinite(mechanism.claim.epsilon) && mechanism.claim.epsilon > 0;
  ComparedChannels out{.multiples = {1.0}};
  std::vector<Mechanism> mechanisms = {mechanism};
  for (std::size_t i = 1; is_quick && i < kMultiples.size(); ++i) {
    out.multiples.push_back(kMultiples[i]);
    mechanisms.push_back(at_multiple(mechanism, kMultiples[i], work));
  }
  out.channels = Channel::make_all(mechanisms, options, work);
  return out;
}

void add_equivalent_epsilons(AttackAnswer& answer, const ComparedChannels& compared, const ComparedText& text,
                             const Work& work) {
  const AttackerAnswer* alone = find(answer, "context-free");
  if (compared.multiples.size() < 2 || alone == nullptr || !alone->score.error) return;
  const double zero = logit(alone->score.error->value, answer.tokens);
  ErrorCurve curve(answer.built.mechanism, compared, text, work);
  for (AttackerAnswer& own : answer.attackers) {
    if (!own.score.error) continue;
    const auto multiple = curve.multiple_at(logit(own.score.error->value, answer.tokens) - zero);
    if (multiple) own.equivalent_epsilon = answer.built.mechanism.claim.epsilon * *multiple;
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
