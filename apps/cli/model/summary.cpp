#include "cli/model/summary.h"

#include <fmt/format.h>

#include "shared/console.h"

namespace sotto::cli {

std::string dropped_text(const ModelOrigin& origin) {
  return fmt::format("{} not a word, {} folded to a word already there, {} with a bad vector, {} by request",
                     grouped(origin.dropped_not_a_word), grouped(origin.dropped_collision),
                     grouped(origin.dropped_bad_vector), grouped(origin.dropped_by_request));
}

}  // namespace sotto::cli
