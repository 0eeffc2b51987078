#pragma once
#include "cli/privatize/command.h"

namespace sotto::cli {

// Standard error, before anything is read: the promise, the forecast, the warnings, and why a release stops.
void announce(const api::ReleaseAnswer& promise, const PrivatizeArguments& arguments);
// After the work: the records that an option allowed to pass in clear, counted (also with --quiet); what was
// done.
void summarise(const api::ReleaseAnswer& answer, const PrivatizeArguments& arguments);

}  // namespace sotto::cli
