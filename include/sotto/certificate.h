#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "sotto/ids.h"
#include "sotto/mechanism.h"
#include "sotto/own_law.h"
#include "sotto/work.h"

namespace sotto {

// The loss between two words: the largest |ln P(y|first) - ln P(y|second)| over all outputs y.
struct PairLoss {
  WordId first{};
  WordId second{};
  double distance = 0;
  double loss = 0;     // an upper bound, with a margin for rounding
  double epsilon = 0;  // what is left of the loss above additive_loss, per unit of distance; rounded up
};

// The privacy loss of one mechanism on one vocabulary, over all pairs of words: for every two words at the
// (exact) distance d,
//   loss <= realised_epsilon * d + additive_loss.
// The additive part covers all rounding, that of distances and of the draws included. It lets words be
// arbitrarily close to each other without a loss of rounding size being divided by their distance. If all
// words share one row, both parts are 0.
struct Certificate {
  double realised_epsilon = 0;
  double additive_loss = 0;  // at least 1e-9 if there are two rows
  double largest_loss = 0;   // Lmax, the largest loss of one word, all rounding included
  WordId worst_first{};      // the pair that attains realised_epsilon; none if worst_pairs is empty
  WordId worst_second{};
  std::vector<PairLoss> worst_pairs = {};  // the largest first, a few; none whose epsilon is 0
  std::vector<PairLoss> bands = {};        // the worst pair of each band of distance, nearest first
  double smallest_distance = 0;            // D0 and D; 0 if there is one row
  double largest_distance = 0;
  double median_nearest = 0;                  // median distance of a word to the nearest other one
  std::optional<double> mean_unchanged = {};  // mean N_w = P(w|w) over the words
};

// Over all pairs of words. tem and hyperbolic in any calibration: any number of words, 7 s of processor time
// for 50,000. Other mechanisms with a closed law: up to kGeneralLimit words, as O(n^3) comparisons. privemb:
// from the projection. Empty where that is not possible; never an estimate.
inline constexpr std::size_t kGeneralLimit = 1000;
std::optional<Certificate> certify(const Mechanism& mechanism, const Work& work);

// Whether a certificate was computed now or read from the model's derived folder, and checked.
enum class CertificateSource { none, computed, cached };

// A mechanism with what is known of its loss on the loaded vocabulary.
struct CertifiedMechanism {
  Mechanism mechanism;
  std::optional<Certificate> certificate = {};  // empty: not computed
  CertificateSource source = CertificateSource::none;
};

// Builds any word mechanism. With calibration exact or flat it first finds the law whose certificate keeps to
// epsilon, which may take minutes. What is found is kept in the model's derived folder, if it has one, and
// checked when it is read again. A law that needs no certificate to be built (calibration paper) gets one if
// there are at most kQuickWords words: the answer depends on the model and the parameters, never on what the
// derived folder holds. Throws Error(usage) if the mechanism releases vectors.
inline constexpr std::size_t kQuickWords = 1500;
CertifiedMechanism build_mechanism(const Setting& setting, const std::shared_ptr<const Model>& model,
                                   const Work& work = {});
inline CertifiedMechanism build_mechanism(std::string_view name, const std::shared_ptr<const Model>& model,
                                          const ParameterTexts& texts, const Work& work = {}) {
  return build_mechanism(parse_setting(name, texts), model, work);
}

// A mechanism that draws from a table of probabilities exactly, with its certificate where the model has at
// most kGeneralLimit words. Everything that takes a mechanism takes this one. It is not in the registry: a
// report names it own-law with the SHA-256 of the table, and cannot be verified without the table.
//
// Its status is `proven` only by a finite certificate that keeps to the claim, `refuted` if the certificate
// exceeds the claim, and else `not_private`. Throws Error(usage) for a table of another size, more than
// kMostOwnLawWords words, or numbers that are no probabilities.
CertifiedMechanism mechanism_from_law(const std::shared_ptr<const Model>& model, const OwnLaw& law,
                                      const Work& work = {});

// The certificate that the model's derived folder holds for a mechanism, if it passes the checks of loading.
std::optional<Certificate> cached_certificate(const Mechanism& mechanism, const Work& work);
// Fills in the certificate, if it is missing and can be computed: the cached one, or else one computed now,
// and kept. Does nothing where certify() is empty.
void add_certificate(CertifiedMechanism& built, const Work& work);
// Computes the certificate whether or not there is one, and keeps it if it is within the claim.
std::optional<Certificate> certify_again(const Mechanism& mechanism, const Work& work);

// What the derived folder states for a setting, unchecked: for a verification to compare with, never to be
// relied on. Empty: there is no file, or others may write to the folder.
struct StatedCertificate {
  std::optional<double> realised_epsilon = {};  // both are empty if the file is damaged or of another version
  std::optional<double> largest_loss = {};
};
std::optional<StatedCertificate> stated_certificate(const Setting& setting,
                                                    const std::shared_ptr<const Model>& model);
// Removes the stored certificate: for one that a verification found to be false.
void forget_certificate(const Setting& setting, const std::shared_ptr<const Model>& model);

}  // namespace sotto
