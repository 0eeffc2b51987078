#pragma once
#include <string>

#include "sotto/mechanism.h"
#include "sotto/report.h"

namespace sotto::api {

// What `attack --json` printed for this mechanism, as a release report takes it: numbers, and names of our
// own attackers. Nothing else of the file is kept. Throws Error(bad_data) if `text` is no such answer, is
// about another model, mechanism or parameters, or holds a number that no attack gives.
MeasuredAttack read_attack_result(const std::string& text, const Mechanism& mechanism);

}  // namespace sotto::api
