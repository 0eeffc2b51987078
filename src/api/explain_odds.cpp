#include "api/explain_odds.h"

#include <algorithm>
#include <cmath>
#include <vector>

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

  const auto by_theorem = [&](WordId other) {
    return OddsTo{other, distance_to(other), mechanism.loss_bound(word, other)};
  };
  Odds odds{Odds::Basis::theorem, by_theorem(nearest), by_theorem(*middle)};
  if (!odds.nearest.loss) {
    odds.nearest.loss = computed_loss(mechanism, word, nearest);
    odds.typical.loss = computed_loss(mechanism, word, *middle);
    odds.basis = odds.nearest.loss ? Odds::Basis::law : Odds::Basis::none;
  } else if (certificate) {
    odds.basis = Odds::Basis::certificate;
    for (OddsTo* other : {&odds.nearest, &odds.typical}) {
      const double distance = other->distance + mechanism.space->distance_error().at(other->distance);
      const double certified = certificate->realised_epsilon * distance + certificate->additive_loss;
      other->loss = std::min({*other->loss, certified, certificate->largest_loss});
    }
  }
  return odds;
}

}  // namespace sotto::api
