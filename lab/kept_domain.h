#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "lab/run.h"

namespace sotto::lab {

// A model of these words of `from`, in this order, kept in the run's folder as domain-<name>.sotto: what is
// derived from a model (a certificate) belongs to a model that was opened.
std::shared_ptr<const Model> kept_domain(const Run& run, std::string_view name, const Model& from,
                                         std::span<const WordId> chosen);

}  // namespace sotto::lab
