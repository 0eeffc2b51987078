#pragma once
#include <nanobind/nanobind.h>

namespace sotto::python {

namespace nb = nanobind;

// sotto.tune: which mechanism at which epsilon serves best.
void bind_tuning(nb::module_& m);

}  // namespace sotto::python
