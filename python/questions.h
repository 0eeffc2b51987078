#pragma once
#include <nanobind/nanobind.h>

#include "mechanisms.h"

// The questions of src/api as Python asks them. Each answer is an object of sotto/_answers.py.
namespace sotto::python {

// The functions of the module that ask them.
void bind_questions(nb::module_& m);

// The certificate that a mechanism has already; None: it has none.
nb::object certificate_of(Built& built);
nb::object info_of(const Vocabulary& vocabulary, bool verify);

}  // namespace sotto::python
