#pragma once
#include <string>
#include <vector>

#include "api/audit.h"
#include "sotto/work.h"

namespace sotto::cli {

// An audit as one HTML page; for a mechanism of ours also what its outputs look like, drawn with a fixed
// seed. `command` as it was typed.
std::string audit_page(const api::AuditAnswer& answer, const std::vector<std::string>& command,
                       const Work& work);

}  // namespace sotto::cli
