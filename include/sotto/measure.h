#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sotto/adversary.h"
#include "sotto/certificate.h"
#include "sotto/measurement.h"

// What the best adversary learns from an output, and what use is left of it.
namespace sotto::api {

inline constexpr std::size_t kMostCopies = 1024;

struct MeasureRequest {
  std::shared_ptr<const Model> model = {};
  Setting setting = {};
  AdversaryRequest adversary = {};
  std::size_t copies = 8;  // up to how many releases of the same text are attacked together; 0: none
  std::size_t draws = 0;   // where only draws are known; 0: 500,000
  bool by_draws = false;   // use draws only, also where the law is known
  BandsBy bands = BandsBy::frequency;
  std::optional<std::uint64_t> seed_not_private = {};
};

struct MeasureAnswer {
  CertifiedMechanism built;
  PriorSummary prior;
  std::optional<LabelSummary> labels = {};
  Measurement measurement = {};
  BandsBy bands = BandsBy::frequency;
  bool seeded = false;

  // The error of the best adversary who sees several releases of the same text, by their number.
  struct Copies {
    std::size_t releases = 0;
    const Quantity* error = nullptr;
  };
  [[nodiscard]] std::vector<Copies> averaging() const;
  // One sentence for a heading: "by frequency (each band has a third ...)".
  [[nodiscard]] std::string bands_text() const;
};

// Throws Error(usage) for more than kMostCopies or kMostDraws; the work calls it too.
void check(const MeasureRequest& request);
// In the stages "calibrating" and "measuring".
MeasureAnswer measure(const MeasureRequest& request, const Work& work);
// The same for a mechanism that is built already: `setting` of the request is not looked at, nor is `model`
// unless the mechanism releases vectors.
MeasureAnswer measure(CertifiedMechanism built, const MeasureRequest& request, const Work& work);

Json to_json(const MeasureAnswer& answer);
// One line for each quantity and each rank of each band.
std::string to_csv(const MeasureAnswer& answer);

}  // namespace sotto::api
