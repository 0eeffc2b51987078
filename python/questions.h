#pragma once
#include <nanobind/nanobind.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechanisms.h"

// The questions of src/api as Python asks them. Each answer is an object of sotto/_answers.py.
namespace sotto::python {

nb::object certify_built(Built& built, bool again, bool verify, nb::object progress);
// What is known already; None: nothing.
nb::object certificate_of(Built& built);

nb::object explain_word(nb::handle word, const WordBuilt& built, const std::string& unknown_word,
                        std::size_t top, std::size_t draws, nb::object progress);

struct AuditArguments {
  std::optional<std::size_t> pairs;
  std::optional<std::uint32_t> draws;
  std::optional<std::size_t> deniability;
  double level = 0;
  std::vector<std::pair<std::string, std::string>> pair;
  Seed seed;
};
nb::object audit_built(const WordBuilt& built, const AuditArguments& arguments, nb::object progress);

// What the adversary knows: `prior` None, a text or a mapping of words to weights; `words` None or the only
// words that occur; `labels` None, a file or a mapping of words to labels.
struct AdversaryArguments {
  nb::object prior;
  nb::object words;
  nb::object labels;
};
struct MeasureArguments {
  std::size_t copies = 0;
  std::size_t draws = 0;
  bool by_draws = false;
  Seed seed;
};
nb::object measure_built(const WordBuilt& built, const AdversaryArguments& adversary,
                         const MeasureArguments& arguments, nb::object progress);

struct TuneArguments {
  std::optional<double> max_loss;
  std::optional<double> min_inference_error;
  std::optional<double> max_certified_epsilon;
  std::string loss;
  std::vector<std::string> mechanisms;
  std::vector<std::string> calibrations;
  nb::object candidates;  // pairs of a name and a mapping of parameters
  std::size_t draws = 0;
  std::uint64_t seed = 0;
  std::filesystem::path resume;
  unsigned threads = 0;
};
nb::object tune_model(const Vocabulary& vocabulary, const AdversaryArguments& adversary,
                      const TuneArguments& arguments, nb::object progress);

// `report`: as a mapping, its JSON text, or the path of a file.
nb::object verify_report(nb::handle report, const Vocabulary& vocabulary,
                         const std::vector<std::filesystem::path>& released, nb::object progress);
nb::object info_of(const Vocabulary& vocabulary, bool verify);
nb::object list_mechanisms(const std::string& name);

}  // namespace sotto::python
