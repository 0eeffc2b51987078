#include "lab/kept_domain.h"

#include <fmt/format.h>

#include "lab/subset.h"

namespace sotto::lab {

std::shared_ptr<const Model> kept_domain(const Run& run, std::string_view name, const Model& from,
                                         std::span<const WordId> chosen) {
  return subset_of(
      from, chosen, fmt::format(", {} words for {}", chosen.size(), name),
      {.path = run.request().output / fmt::format("domain-{}.sotto", name), .cache = run.request().cache});
}

}  // namespace sotto::lab
