#pragma once
#include <nanobind/nanobind.h>

// Lifted features and the learner, as sotto/learn.py and sotto.lift use them.
namespace sotto::python {

namespace nb = nanobind;

void bind_learning(nb::module_& m);

}  // namespace sotto::python
