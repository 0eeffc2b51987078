#pragma once
#include <span>
#include <string>

#include "sotto/answer.h"

// Which mechanisms are there, and what are their parameters?
namespace sotto::api {

struct MechanismsRequest {
  std::string name = {};  // or an alias; empty: all mechanisms
};
struct MechanismsAnswer {
  std::span<const MechanismInfo> mechanisms;  // rows of the registry, which outlives every answer
};
// Throws Error(usage) that lists the names.
MechanismsAnswer list_mechanisms(const MechanismsRequest& request);
Json to_json(const MechanismsAnswer& answer);

// The texts of a parameter that help, documentation and JSON share.

// "above 0", "0 to 1", "paper | exact", ...
std::string allowed_values(const Parameter& parameter);
// "NUMBER", "NAME", ...; empty for a switch.
std::string placeholder(const Parameter& parameter);
// "required", "default 0.001", ...
std::string presence_text(const Parameter& parameter);

}  // namespace sotto::api
