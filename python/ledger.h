#pragma once
#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>

#include "sotto/ledger.h"

namespace sotto::python {

namespace nb = nanobind;

// An open ledger with what it takes to open it again elsewhere: places only, never the key.
struct Books {
  std::shared_ptr<Ledger> ledger;
  std::string location;  // absolute, or an address
  std::string key;       // absolute; empty: beside the ledger
  // As they were given; empty: none.
  std::string document_budget;
  std::string subject_budget;
  // What makes two of them equal: the places, the budgets and the file itself.
  std::string identity;
};

// sotto.Ledger and sotto.LimitReached.
void bind_ledger(nb::module_& m);

// How a release uses the ledger. `ledger`: a Books, or None. Throws Error(usage) for a subject without one.
std::optional<LedgerUse> ledger_use(nb::handle ledger, nb::handle subject);
// An identifier of a person or document, which no message repeats. Empty is refused: it would count
// elsewhere.
std::string identifier_of(nb::handle given, const std::string& what);

}  // namespace sotto::python
