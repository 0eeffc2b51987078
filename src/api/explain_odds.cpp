#include "api/explain_odds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/bound_text.h"
#include "core/odds_text.h"

namespace sotto::api {

namespace {

// The largest difference of two log laws. Two impossible outputs are equal; inf - inf would be NaN.
std::optional<double> computed_loss(const Mechanism& mechanism, WordId first, WordId second) {
  const auto one = mechanism.words->log_law(first);
  const auto other = mechanism.words->log_law(second);
  if (!one || !other) return std::nullopt;
  double largest = 0;
  for (std::size_t y = 0; y < one->size(); ++y) {
    if ((*one)[y] != (*other)[y]) largest = std::max(largest, std::abs((*one)[y] - (*other)[y]));
  }
  return largest;
}

// e^loss, never below it.
std::string factor_text(double loss) {
  constexpr double kLargestPlain = 13.8;  // e^13.8 is just below 10^6
  constexpr double kLargestNamed = 27.6;  // e^27.6 is just below 10^12
  if (loss == 0) return "1";
  if (loss > kLargestPlain && loss < kLargestNamed) return sotto::odds_text(loss);  // "2.3 million"
  if (loss > kLargestPlain) return "10^" + rounded_up(loss / std::log(10.0) * (1 + 1e-15), 3);
  const double factor = std::exp(loss) * (1 + 1e-15);
  if (factor < 1000) return rounded_up(factor, 3);
  const double unit = std::pow(10, std::floor(std::log10(factor)) - 2);  // of the third digit
  return fmt::format("{:.0f}", std::ceil(factor / unit) * unit);         // 50500, not 5.05e+04
}

std::string distance_text(const OddsTo& other) {
  return fmt::format("distance {:.3g}", other.distance);
}

}  // namespace

bool OddsTo::is_bounded() const {
  return loss && std::isfinite(*loss);
}

std::string_view basis_name(Odds::Basis basis) {
  switch (basis) {
    case Odds::Basis::theorem:
      return "theorem";
    case Odds::Basis::certificate:
      return "certificate";
    case Odds::Basis::law:
      return "law";
    case Odds::Basis::none:
      break;
  }
  return "none";
}

OddsBetween odds_between(const Mechanism& mechanism, WordId word, WordId other,
                         const std::optional<Certificate>& certificate) {
  OddsBetween out{.basis = Odds::Basis::theorem,
                  .other = {.word = other,
                            .distance = mechanism.space->distance(word, other),
                            .loss = mechanism.loss_bound(word, other)}};
  if (!out.other.loss) {
    out.other.loss = computed_loss(mechanism, word, other);
    out.basis = out.other.loss ? Odds::Basis::law : Odds::Basis::none;
  } else if (certificate) {
    out.basis = Odds::Basis::certificate;
    const double distance = out.other.distance + mechanism.space->distance_error().at(out.other.distance);
    const double certified = certificate->realised_epsilon * distance + certificate->additive_loss;
    out.other.loss = std::min({*out.other.loss, certified, certificate->largest_loss});
  }
  return out;
}

std::optional<Odds> odds_of(const Mechanism& mechanism, WordId word,
                            const std::optional<Certificate>& certificate) {
  std::vector<double> distances(mechanism.space->size());
  mechanism.space->distances_from(word, distances);
  std::vector<WordId> others;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (distances[i] > 0) others.push_back(word_id(i));
  }
  if (others.empty()) return std::nullopt;
  const auto distance_to = [&](WordId other) { return distances[index_of(other)]; };
  const WordId nearest = *std::ranges::min_element(others, {}, distance_to);
  const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
  std::ranges::nth_element(others, middle, {}, distance_to);
  const OddsBetween near = odds_between(mechanism, word, nearest, certificate);
  return Odds{.basis = near.basis,
              .nearest = near.other,
              .typical = odds_between(mechanism, word, *middle, certificate).other};
}

std::string odds_text(const ExplainAnswer& answer) {
  const std::optional<Odds>& odds = answer.odds;
  const Model& model = answer.model();
  if (!odds) return "every word of this model has the same row: the output tells nothing";
  const std::string between =
      fmt::format("the odds between \"{}\" and its nearest word \"{}\" ({})", model.word(answer.word),
                  model.word(odds->nearest.word), distance_text(odds->nearest));
  const auto limit = [](const OddsTo& other) {
    return other.is_bounded() ? "by a factor of at most " + factor_text(*other.loss)
                              : std::string("without limit");
  };
  if (odds->basis == Odds::Basis::none) {
    return "no bound: nothing limits how far an output changes " + between;
  }
  return fmt::format(
      "{}seeing an output changes {} {}, between it and a typical word ({}) {}",
      odds->basis == Odds::Basis::law ? "no theorem holds; computed from the law of these words, " : "",
      between, limit(odds->nearest), distance_text(odds->typical), limit(odds->typical));
}

}  // namespace sotto::api
