#pragma once
#include <optional>

#include "sotto/mechanism.h"

namespace sotto {

// Set if a release of the mechanism is its centre (VectorMechanism::centre_batch) plus spherical noise with
// density proportional to exp(-|z| / value), rounded to a grid or not: an attacker then knows the density of
// every release. Empty: the law of the noise is not known.
std::optional<double> vector_noise_scale(const VectorMechanism& vectors);

}  // namespace sotto
