#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/forecast.h"
#include "sotto/model.h"
#include "sotto/work.h"

namespace sotto {

// One claim of a report, judged. The reasons hold nothing of the report but figures that were recomputed.
struct VerifyCheck {
  enum class Outcome { ok, wrong, not_checked };
  std::string name;
  Outcome outcome = Outcome::ok;
  std::string reason = {};
};

struct VerifyResult {
  std::string schema;
  std::vector<VerifyCheck> checks = {};
  // Recomputed; empty where it is not defined (free vectors) or could not be reached.
  std::optional<Strength> strength = {};
  double expected_unchanged = 0;  // where there is a strength
  [[nodiscard]] std::size_t count(VerifyCheck::Outcome outcome) const;
  // Nothing is wrong.
  [[nodiscard]] bool follows() const { return count(VerifyCheck::Outcome::wrong) == 0; }
};

inline constexpr std::size_t kLargestReport = std::size_t{1} << 20;

// Whether the claims of a release report (text/report.h) or a vector report (text/vector_report.h) follow
// from the model and the parameters that it names: the mechanism is built again and certified again, over all
// pairs of words, which may take as long as it did then. `released` are SHA-256 of files, in hexadecimal:
// each must be one that the report names. The report may come from anyone. Throws Error(bad_data) if it is no
// report; no message quotes it.
VerifyResult verify_report(std::string_view report, const std::shared_ptr<const Model>& model,
                           const Work& work, const std::vector<std::string>& released = {});

}  // namespace sotto
