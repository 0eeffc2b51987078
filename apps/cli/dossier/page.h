#pragma once
#include <string>

#include "api/dossier.h"

namespace sotto::cli {

// A page in the order of Article 35(7) of the GDPR, with named blanks for what only the data holder can
// answer.
std::string dossier_page(const api::DossierAnswer& answer);

}  // namespace sotto::cli
