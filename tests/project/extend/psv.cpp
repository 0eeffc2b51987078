#include "text/psv.h"

#include "text/csv.h"

namespace sotto {

std::unique_ptr<Format> make_psv(const ReadingOptions& options) {
  return make_quoted_table(options, '|');
}

}  // namespace sotto
