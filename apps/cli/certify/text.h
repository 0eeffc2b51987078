#pragma once
#include <string>

#include "sotto/certify.h"

namespace sotto::cli {

std::string certify_text(const api::CertifyAnswer& answer, std::size_t width);

}  // namespace sotto::cli
