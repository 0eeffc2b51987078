#pragma once
#include <string>

#include "api/audit.h"

namespace sotto::cli {

std::string audit_text(const api::AuditAnswer& answer, std::size_t width);

}  // namespace sotto::cli
