#pragma once
#include <string>
#include <vector>

#include "sotto/certify.h"
#include "sotto/work.h"

namespace sotto::cli {

// The certificate as one HTML page. Draws for its figures, with a fixed seed. `command` as it was typed.
std::string certify_page(const api::CertifyAnswer& answer, const std::vector<std::string>& command,
                         const Work& work);

}  // namespace sotto::cli
