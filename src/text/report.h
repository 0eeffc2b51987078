#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sotto/certificate.h"
#include "sotto/privatizer.h"

namespace sotto {

// Facts of one release that only its runner knows; the rest comes from the privatizer.
struct ReleaseFacts {
  TextCounts counts = {};
  std::optional<Certificate> certificate = {};
  double expected_unchanged = 0;         // from public data only (text/forecast.h)
  double expected_unchanged_margin = 0;  // half width of its 95% interval
  double scaled_nearest_distance = 0;    // eps times the median nearest distance
  std::string format = {};
  std::vector<std::string> passed_through = {};  // Format::passed_through() of all files, each once
  std::vector<std::string> passed_names = {};    // Format::passed_names(): for the data holder only
  std::vector<std::string> allowed_leaks = {};   // Format::allowed_leaks()
  bool seeded_not_private = false;
};

enum class ReportDetail { data_holder, public_only };  // public_only: no count taken from the input

// The JSON report of a release: what was promised, in which unit, and everything not protected.
// Holds no text, word, hash, size or path of the input.
std::string release_report(const Privatizer& privatizer, const ReleaseFacts& facts, ReportDetail detail);

}  // namespace sotto
