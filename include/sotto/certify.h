#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/answer.h"
#include "sotto/certificate.h"
#include "sotto/extremes.h"
#include "sotto/forecast.h"

// What does a mechanism really lose on the loaded vocabulary, over all pairs of words?
namespace sotto::api {

struct CertifyRequest {
  std::shared_ptr<const Model> model = {};
  Setting setting = {};
  bool verify = false;  // trust nothing that the cache holds, and compare with what it says
  // Where no certificate can be computed: a lower bound from a few pairs of words. False: Error(usage).
  bool may_sample = true;
};

// A lower bound of the realised epsilon from a few pairs of words, where not all can be computed.
struct SampledBound {
  double epsilon = 0;  // infinite: an output of one word is impossible for another
  WordPair pair = {};  // that shows it
  std::size_t pairs = 0;
  std::uint32_t draws = 0;  // for each word of a pair; 0: from the law, exactly
  double level = 0;         // of the draws: probability that the bound is above the truth
};

// Everything computed anew, against what the cache states.
struct Verification {
  enum class Kept { none, used, refused };  // refused: it did not pass the checks of loading
  Kept kept = Kept::none;
  double epsilon = 0;
  double largest_loss = 0;
  double kept_epsilon = 0;  // what the cache states; without a readable file, what was computed first
  double kept_largest_loss = 0;

  [[nodiscard]] bool agrees() const;
};

// All that is known of the loss of a mechanism on a model. A vector mechanism has a `stretch` in place of a
// certificate: its loss between two words follows from how far its map may stretch their distance.
struct CertifyAnswer {
  std::shared_ptr<const Model> model;
  Mechanism mechanism;
  std::optional<Certificate> certificate = {};
  CertificateSource source = CertificateSource::none;
  std::optional<VectorStretch> stretch = {};
  std::optional<SampledBound> sampled = {};
  std::optional<Verification> verification = {};
  // Without a certificate: an estimate from a few words, and D0 and D of small models.
  std::optional<double> estimated_unchanged = {};
  std::optional<Extremes> extremes = {};
  std::optional<Forecast> expected = {};  // of a release with these settings; empty: not known

  [[nodiscard]] bool is_of_vectors() const { return mechanism.vectors != nullptr; }
  // Empty where nothing can be expected of a release.
  [[nodiscard]] std::optional<Strength> strength() const;
  [[nodiscard]] std::string strength_text() const;  // one sentence; empty without a strength

  // What holds: the computed loss, or the theorem's; empty if nothing is known to hold.
  [[nodiscard]] std::optional<double> certified_epsilon() const;
  // What comes on top of certified_epsilon * d for each word; empty without a certificate or a stretch.
  [[nodiscard]] std::optional<double> additive_loss() const;
  [[nodiscard]] std::optional<double> largest_word_loss() const;
  [[nodiscard]] std::optional<double> smallest_distance() const;  // D0
  [[nodiscard]] std::optional<double> largest_distance() const;   // D
  // Over words by their public frequency, the number of `privatize` and of reports (sotto/forecast.h).
  [[nodiscard]] std::optional<double> median_nearest() const;
  [[nodiscard]] std::optional<double> mean_unchanged() const;
  // Of the vectors' noise: its scale times epsilon, the stretch that it is made for.
  [[nodiscard]] std::optional<double> sensitivity() const;
  // "exact upper bound", "exact", "proven bound" or "sampled lower bound only".
  [[nodiscard]] std::string_view kind() const;
  // The slope and gamma of tem's law.
  [[nodiscard]] std::optional<double> slope() const;
  [[nodiscard]] std::optional<double> gamma() const;
  // The loss is above what is claimed, as computed or as far as pairs tell.
  [[nodiscard]] bool breaks_claim() const;
  [[nodiscard]] bool holds() const { return !breaks_claim(); }
  // Nothing speaks against the claim, nor against what the cache states.
  [[nodiscard]] bool passes() const { return holds() && (!verification || verification->agrees()); }
  // One sentence on what was found.
  [[nodiscard]] std::string verdict() const;
};

// May take minutes, in the stages "calibrating", "certifying", "verifying" and "sampling". What is computed
// is kept in the model's derived folder; a stored certificate that a verification finds false is removed.
// Throws Error(usage) if a vector mechanism has no map whose stretch is known.
CertifyAnswer certify(const CertifyRequest& request, const Work& work);
// The same for a mechanism that is built already; the request's setting is not looked at.
CertifyAnswer certify(CertifiedMechanism built, const CertifyRequest& request, const Work& work);
Json to_json(const CertifyAnswer& answer);

// Nine digits, never below the value: for upper bounds. "infinite" for infinity.
std::string upper_text(double value);

}  // namespace sotto::api
