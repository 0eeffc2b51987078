#pragma once
#include <memory>

#include "sotto/mechanism.h"
#include "sotto/own_law.h"

namespace sotto {

// The mechanism of mechanism_from_law() before anything is certified: its status is `not_private`.
Mechanism build_own_law(const std::shared_ptr<const Model>& model, const OwnLaw& law);

}  // namespace sotto
