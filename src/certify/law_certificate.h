#pragma once
#include <optional>

#include "sotto/certificate.h"

namespace sotto {

// The certificate of any mechanism with a closed law, output by output: O(n^3), so for small models only.
// Exact but for the rounding of the law itself. Empty if there is no closed law.
std::optional<Certificate> certify_law(const Mechanism& mechanism, const Work& work);

}  // namespace sotto
