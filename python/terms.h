#pragma once
#include <string>
#include <string_view>

namespace sotto::python {

// The library names parameters in backquotes, `document-budget`, and commands of the program, `sotto audit`.
// A message for a Python programmer names keywords and functions instead: `document_budget=`,
// `sotto.audit()`. A value that follows a parameter goes with it: `epsilon` 2 becomes `epsilon=2`, `metric`
// euclidean becomes `metric='euclidean'`. What Python does not know by that name stays as it is.
std::string with_keywords(std::string_view message);

}  // namespace sotto::python
