#pragma once
#include <span>

#include "sotto/mechanism.h"

// The rows of the registry, each defined in its mechanism's file; registry.cpp puts them in order.
namespace sotto {

extern const MechanismInfo kTem;
extern const MechanismInfo kLaplace;

// Every mechanism's first parameter, written once.
constexpr Parameter epsilon_parameter(std::string_view help) {
  return {.name = "epsilon", .help = help, .presence = Parameter::Presence::required, .min = 0};
}

}  // namespace sotto
