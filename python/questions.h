#pragma once
#include <nanobind/nanobind.h>

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
nb::list all_mechanisms();

}  // namespace sotto::python
