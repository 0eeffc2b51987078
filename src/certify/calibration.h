#pragma once
#include <functional>
#include <vector>

#include "certify/tem_certificate.h"

namespace sotto {

// A resume point. It affects speed only; every returned law is certified from scratch.
struct CalibrationState {
  double slope = 0;                 // the next one to try; 0: begin
  std::vector<PairLoss> witnesses;  // exact: pairs that rule slopes out
  std::vector<double> weights;      // flat: by row
};

struct CalibrationRequest {
  Calibration calibration = Calibration::exact;
  double epsilon = 0;  // that the certificate must not exceed
  double gamma = 0;
  CalibrationState state = {};
  std::function<void(const CalibrationState&)> checkpoint = {};
};
struct CalibratedLaw {
  ExponentialLaw law;
  TemCertificate certified;  // realised_epsilon <= epsilon
};

// docs/specification.md section 4.2.
// exact: the largest slope whose certificate is at most epsilon. The certificate is not monotone in the
// slope, so slopes are tried from the top down in steps of 1%, and the first step that passes is refined.
// Most slopes are ruled out by a few pairs of words that were the worst before, without a pass over all
// pairs. If all words lie further apart than gamma the slope is found by bisection.
// flat: base weights that make the normalisers equal, and the largest slope for them that is found by
// following the certificate down.
// If all words share one row every slope is right, and epsilon is returned.
// Whether a calibration takes a search; the theorem's own does not.
bool is_searched(Calibration calibration);
CalibratedLaw calibrate(const AllPairs& pairs, const CalibrationRequest& request, const Work& work);

}  // namespace sotto
