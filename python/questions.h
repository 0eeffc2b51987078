#pragma once
#include <nanobind/nanobind.h>

#include <filesystem>
#include <string>
#include <vector>

#include "mechanisms.h"

// The questions that Python asks of mechanisms and models.
namespace sotto::python {

// None: the mechanism has no certificate yet.
nb::object certificate_of(const Built& built);
nb::object certify_built(Built& built, bool again, nb::object progress);
nb::dict measure_words(const WordBuilt& built, nb::handle prior, nb::handle words, nb::handle labels,
                       std::size_t copies, std::size_t draws, bool by_draws, const Seed& seed,
                       nb::object progress);
// `options`: everything else, as sotto/_analysis.py puts it together.
nb::dict tune_model(const Vocabulary& vocabulary, const nb::dict& options, nb::object progress);
// `report`: its JSON text.
nb::object verify_report(const std::string& report, const Vocabulary& vocabulary,
                         const std::vector<std::filesystem::path>& released, nb::object progress);
nb::object info_of(const Vocabulary& vocabulary, bool verify);
nb::object list_mechanisms(const std::string& name);

}  // namespace sotto::python
