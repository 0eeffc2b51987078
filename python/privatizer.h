#pragma once
#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

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

// A file that Python wrote itself.
struct WrittenFile {
  std::string format;
  std::string column;                       // its name
  std::vector<std::string> passed_through;  // the numbers of the other columns, from 1
  std::vector<std::string> passed_names;
  ReleasedFile released;
};
WrittenFile written_file(nb::handle given);  // a dict with these keys; `released` is a pair

struct ReportRequest {
  std::optional<TextCounts> counts;  // of one call; empty: of all
  std::optional<std::string> released_at;
  ReportDetail detail;
  std::optional<WrittenFile> file;
};
// JSON, as the program's --report.
std::string report(Core& core, const ReportRequest& request);

}  // namespace sotto::python
