#pragma once
#include <string>
#include <vector>

#include "sotto/mechanism.h"

namespace sotto::cli {

// A parameter of one or more mechanisms as a flag of the command line, made from the registry.
struct MechanismFlag {
  std::string name;         // without dashes
  std::string placeholder;  // "NUMBER"; empty: a switch
  std::string help;         // empty: only mechanisms of the other kind have it
};

// One for each distinct name, in the order of the registry; the help speaks of the mechanisms that release
// what `example` does, words or vectors.
std::vector<MechanismFlag> mechanism_flags(const MechanismInfo& example);

// "above 0", "0 to 1", "paper | exact", ...
std::string allowed_values(const Parameter& parameter);
// "NUMBER", "NAME", ...; empty for a switch.
std::string placeholder(const Parameter& parameter);
// "required", "default 0.001", ...
std::string presence_text(const Parameter& parameter);

}  // namespace sotto::cli
