#pragma once
#include <string>

#include "measure/measurement.h"
#include "shared/answer.h"
#include "sotto/certificate.h"

namespace sotto::cli {

// What was measured, beside the figures.
struct MeasureSubject {
  const CertifiedMechanism& chosen;
  const MeasureRequest& request;
  const Measurement& measurement;
};

// For a person, in aligned rows.
std::string measure_text(const MeasureSubject& subject, std::size_t width);
Json measure_json(const MeasureSubject& subject);
// One line for each figure and each rank of each band.
std::string measure_csv(const Measurement& measurement);

}  // namespace sotto::cli
