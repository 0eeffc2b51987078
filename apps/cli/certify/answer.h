#pragma once
#include <optional>
#include <string>
#include <vector>

#include "neighbours/extremes.h"
#include "shared/answer.h"
#include "sotto/certificate.h"
#include "sotto/forecast.h"

namespace sotto::cli {

// A lower bound of the realised epsilon from a few pairs of words, where not all can be computed.
struct SampledBound {
  double epsilon = 0;  // infinite: an output of one word is impossible for another
  WordPair pair = {};  // that shows it
  std::size_t pairs = 0;
  std::uint32_t draws = 0;  // for each word of a pair; 0: from the law, exactly
  double level = 0;         // of the draws: probability that the bound is above the truth
};

// --verify: everything computed anew, against what was claimed and what was kept.
struct Verification {
  enum class Kept { none, used, refused };  // refused: it did not pass the checks of loading
  Kept kept = Kept::none;
  double epsilon = 0;
  double largest_loss = 0;
  double kept_epsilon = 0;  // what a plain `certify` would have said
  double kept_largest_loss = 0;

  [[nodiscard]] bool agrees() const;
};

// All that is known of the loss of a word mechanism on its model, for the three ways of telling it.
struct CertifyAnswer {
  Mechanism mechanism;
  std::optional<Certificate> certificate = {};
  enum class Source { computed, kept } source = Source::computed;
  std::optional<SampledBound> sampled = {};
  std::optional<Verification> verification = {};
  // Without a certificate: estimates from a few words, and D0 and D of small models.
  std::optional<double> estimated_nearest = {};
  std::optional<double> estimated_unchanged = {};
  std::optional<Extremes> extremes = {};
  Forecast expected = {};  // of a release with these settings

  [[nodiscard]] Strength strength() const { return strength_of(expected.unchanged); }

  // What holds: the computed loss, or the theorem's; empty if nothing is known to hold.
  [[nodiscard]] std::optional<double> certified_epsilon() const;
  // What comes on top of certified_epsilon * d for each word; empty without a certificate.
  [[nodiscard]] std::optional<double> additive_loss() const;
  [[nodiscard]] std::optional<double> largest_word_loss() const;
  [[nodiscard]] std::optional<double> median_nearest() const;
  [[nodiscard]] std::optional<double> mean_unchanged() const;
  // "exact upper bound", "exact", "proven bound" or "sampled lower bound only".
  [[nodiscard]] std::string kind() const;
  // The slope and gamma of tem's law.
  [[nodiscard]] std::optional<double> slope() const;
  [[nodiscard]] std::optional<double> gamma() const;
  // The loss is above what is claimed, as computed or as far as pairs tell.
  [[nodiscard]] bool breaks_claim() const;
  // One sentence on what was computed, one on what to make of it.
  [[nodiscard]] std::string verdict() const;
};

Json certify_json(const CertifyAnswer& answer);
std::string certify_text(const CertifyAnswer& answer, std::size_t width);

// "tem, beta 0.001, epsilon 2"
std::string parameters_text(const Mechanism& mechanism);
// Nine digits, never below the value: for upper bounds.
std::string upper_text(double value);
// null where it is infinite or unknown.
Json finite_or_null(std::optional<double> value);

// Figures that agree but for the rounding of sums in another order.
inline constexpr double kAgreement = 1e-9;

}  // namespace sotto::cli
