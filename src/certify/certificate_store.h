#pragma once
#include <optional>
#include <string_view>

#include "certify/calibration.h"

namespace sotto {

// Raised with the layout or the meaning of a kept certificate: one of another schema is computed anew.
inline constexpr std::string_view kCertificateSchema = "sotto.certificate/2";

// Certificates, and the laws that were calibrated by them, kept in the model's derived folder. A cache, not a
// signature: the folder must be ours alone, and what is read is checked.
class CertificateStore {
 public:
  CertificateStore(std::shared_ptr<const Space> space, const LawRequest& request);

  // Empty if there is none or if anything differs: another model, metric, calibration, epsilon, gamma or
  // version; a wrong checksum; a value out of range; or, recomputed, the worst pair or one of 1,000 rows
  // chosen at random: their normalisers, and their losses towards every word.
  [[nodiscard]] std::optional<CalibratedLaw> load(const Work& work) const;
  // Does nothing if the model has no derived folder or the folder cannot be written: only time is lost.
  void save(const AllPairs& pairs, const CalibratedLaw& law) const;

  // Where an interrupted calibration was.
  [[nodiscard]] CalibrationState load_state() const;
  void save_state(const CalibrationState& state) const;
  void forget_state() const;

  // What the file says, unchecked (certificate.h).
  [[nodiscard]] std::optional<StatedCertificate> stated() const;
  void forget() const;

  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }

 private:
  std::shared_ptr<const Space> space_;
  LawRequest request_;
  std::filesystem::path file_;  // empty: nowhere
};

}  // namespace sotto
