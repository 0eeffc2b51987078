#pragma once
#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <utility>

#include "mechanisms.h"
#include "sotto/release.h"

namespace sotto::python {

// A text privatiser with the sums of all that it released.
struct Core {
  nb::object built;  // a WordBuilt
  api::Release release;
  unsigned threads = 0;
};

// The released texts and the counts of this call. For the ledger: `subject`, a str or None, and `documents`,
// a sequence with one identifier for each text, or None. With a ledger the call is debited before it returns.
std::pair<nb::list, TextCounts> privatize(Core& core, nb::handle given, nb::handle subject,
                                          nb::handle documents);

struct ReportRequest {
  std::optional<TextCounts> counts;  // of one call; empty: of all
  std::optional<std::string> released_at;
  ReportDetail detail;
};
// JSON, as the program's --report.
std::string report(Core& core, const ReportRequest& request);

}  // namespace sotto::python
