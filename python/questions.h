#pragma once
#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "mechanisms.h"
#include "sotto/adversary.h"
#include "sotto/answer.h"

// The questions of src/api as Python asks them. Each answer is an object of sotto/_answers.py.
namespace sotto::python {

// The functions of the module that ask them.
void bind_questions(nb::module_& m);

// The certificate that a mechanism has already; None: it has none.
nb::object certificate_of(Built& built);
// The JSON of an answer as an object of the class `name`.
nb::object answer_of(const char* name, const api::Json& json);
// `prior`: None, a text or a mapping of words to weights. `words`: None, or the only words that occur.
// `labels`: None, a file or a mapping of words to labels.
api::AdversaryRequest adversary_of(nb::handle prior, nb::handle words, nb::handle labels);
// Texts of any container that has an order. `caller` begins the message of a refusal: "attack takes".
std::vector<std::string> texts_of(nb::handle texts, const char* caller);
nb::object info_of(const Vocabulary& vocabulary, bool verify);

}  // namespace sotto::python
