#pragma once
#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <utility>

#include "mechanisms.h"
#include "sotto/privatizer.h"
#include "text/report.h"

namespace sotto::python {

// A text privatiser with the sums of all that it released.
struct Core {
  nb::object built;  // a WordBuilt
  Privatizer privatizer;
  unsigned threads = 0;
  Seed seed = {};
  bool certify = false;           // the report gets the certificate, computed if it is missing
  std::uint64_t next_stream = 0;  // seeded only: no two texts get the same noise
  TextCounts total = {};
  std::string released_at = {};  // of the last call; empty: none yet
};

// The released texts and the counts of this call.
std::pair<nb::list, TextCounts> privatize(Core& core, nb::handle given);

struct ReportRequest {
  const TextCounts& counts;
  std::string released_at;
  ReportDetail detail;
};
// JSON, as the program's --report.
std::string report(Core& core, const ReportRequest& request);

}  // namespace sotto::python
