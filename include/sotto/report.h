#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/certificate.h"
#include "sotto/forecast.h"
#include "sotto/privatizer.h"
#include "sotto/reading.h"

namespace sotto {

// A file that a release wrote: its base name ("-": standard output) and the SHA-256 of its bytes as they are
// there, compressed or not.
struct ReleasedFile {
  std::string name;
  std::string sha256;
};

// What may break the mechanism's promise for a release, whatever the mechanism is. The one place that decides
// that a seeded release, or one that shows which words were unknown, is not private.
struct ReleaseConditions {
  UnknownWords unknown = UnknownWords::anchor;
  bool seeded_not_private = false;

  // One sentence for each broken promise; none: the mechanism's holds.
  [[nodiscard]] std::vector<std::string> broken_promises() const;
  [[nodiscard]] Status status(const Claim& claim) const;
};

// What `attack` measured on a sample of text, for the mechanism, parameters and model of a release.

// A share of wrong guesses with its 95% interval over documents: words of one document are not independent.
struct MeasuredError {
  double value = 0;
  double low = 0;
  double high = 1;
  std::uint64_t tokens = 0;
};
struct MeasuredAttacker {
  std::string name;
  std::string assumes;
  std::optional<MeasuredError> error = {};
  std::optional<MeasuredError> error_content = {};
  std::optional<MeasuredError> error_replaced = {};
  std::optional<MeasuredError> error_unknown = {};
};
struct MeasuredAttack {
  std::uint64_t documents = 0;
  std::uint64_t tokens = 0;
  std::vector<MeasuredAttacker> attackers = {};
};

// Facts of one release that only its runner knows; the rest comes from the privatizer.
struct ReleaseFacts {
  TextCounts counts = {};
  // Only what was asked for, or what belongs to the claim (Claim::by_certificate): never what a cache happens
  // to hold.
  std::optional<Certificate> certificate = {};
  Forecast expected = {};  // from public data only
  std::string format = {};
  std::vector<std::string> passed_through = {};  // Format::passed_through() of all files, each once
  std::vector<std::string> passed_names = {};    // Format::passed_names(): for the data holder only
  std::vector<std::string> allowed_leaks = {};   // Format::allowed_leaks()
  bool seeded_not_private = false;
  std::string released_at = {};               // utc_now() of the run
  std::vector<ReleaseSetting> settings = {};  // how the input was read and written
  // Empty: the texts went to the caller, not to files. Files that an earlier run had finished are not among
  // them, but counted.
  std::optional<std::vector<ReleasedFile>> released = {};
  std::uint64_t finished_earlier = 0;
  // For the data holder only: the sample may be private.
  std::optional<MeasuredAttack> attack = {};
};

enum class ReportDetail { data_holder, public_only };  // public_only: no count taken from the input

// The JSON report of a release: what was promised, in which unit, and everything not protected.
// Holds no text, word, hash, size or path of the input; of the files released it holds the SHA-256, and for
// the data holder their base names.
std::string release_report(const Privatizer& privatizer, const ReleaseFacts& facts, ReportDetail detail);

}  // namespace sotto
