#pragma once
#include "measure/bands.h"
#include "measure/utility.h"
#include "sotto/measurement.h"
#include "sotto/rng.h"

// The ways to measure, and what they share. Not for use elsewhere.
namespace sotto {

// Random streams are used once each.
inline constexpr std::uint64_t kTrialStreams = std::uint64_t{1} << 32;
inline constexpr std::uint64_t kColumnStreams = std::uint64_t{2} << 32;

struct MeasureInputs {
  const Mechanism& mechanism;
  const MeasureQuestion& request;
  const RandomSource& random;
  const Bands& bands;
  [[nodiscard]] const Labels* labels() const { return request.labels ? &*request.labels : nullptr; }
};

// One sentence for a quantity's name.
std::string meaning_of(std::string_view name);
// The bands that the prior holds possible, "all" first, without quantities.
std::vector<BandMeasurement> empty_bands(const Prior& prior, const Bands& bands);
// The band behind a BandMeasurement of that name.
std::size_t band_index(const Bands& bands, std::string_view name);

Measurement measure_exactly(const MeasureInputs& inputs, const Work& work);
Measurement measure_by_samples(const MeasureInputs& inputs, const Work& work);
// Of a mechanism that releases vectors; its `space` is set.
Measurement measure_vectors(const MeasureInputs& inputs, const Work& work);

}  // namespace sotto
