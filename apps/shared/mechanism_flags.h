#pragma once
#include <string>
#include <vector>

#include "sotto/mechanism.h"

namespace sotto::cli {

// A parameter of one or more mechanisms as a flag of the command line, made from the registry.
struct MechanismFlag {
  std::string name;                       // without dashes
  std::string placeholder;                // "NUMBER"; empty: a switch
  std::string help;                       // empty: only mechanisms of the other kind have it
  std::vector<std::string> choices = {};  // of all mechanisms that have it; empty: no list of names
};

// One for each distinct name, in the order of the registry; the help speaks of the mechanisms that release
// what `example` does, words or vectors.
std::vector<MechanismFlag> mechanism_flags(const MechanismInfo& example);
// Names and aliases of those mechanisms.
std::vector<std::string> mechanism_names(const MechanismInfo& example);

}  // namespace sotto::cli
