#pragma once
#include <memory>
#include <string_view>

#include "sotto/mechanism.h"

namespace sotto {

// Builds a word mechanism by its theorem alone: no certificate, and no calibration that needs one (that is
// Error(internal)). For certify/, and for tests of mechanisms; everybody else calls build_mechanism() of
// sotto/certificate.h. Throws Error(usage) if the mechanism releases vectors.
Mechanism build_uncertified(const Setting& setting, const std::shared_ptr<const Model>& model);
Mechanism build_uncertified(std::string_view name, const std::shared_ptr<const Model>& model,
                            const ParameterTexts& texts);

}  // namespace sotto
