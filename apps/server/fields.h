#pragma once
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

#include "sotto/answer.h"

// The fields of requests and answers, described once: checks of requests, the OpenAPI document and the tests
// of malformed requests are made from these tables.
namespace sotto::server {

struct Field {
  enum class Kind {
    text,
    texts,       // a list of texts
    number,      // a JSON number, or the same as a text: "0.5", "inf"
    integer,     // a whole number from `least` to `most`
    flag,        // true or false
    object,      // with `members`
    rows,        // a list of lists of numbers, all of one length above 0
    parameters,  // an object whose members a mechanism names; values are numbers, texts or flags
    any,         // in answers: anything, null included
    objects,     // in answers: a list of objects, with `members` if they are told
  };
  enum class Presence { optional, required };

  std::string_view name;
  std::string_view help;
  Kind kind = Kind::text;
  Presence presence = Presence::optional;
  // Of a text: its bytes; of a list: its length, also of rows, each text in it as `text` allows; of an
  // integer: its value.
  std::size_t least = 0;
  std::size_t most = std::numeric_limits<std::size_t>::max();
  std::span<const Field> members = {};
};

// Throws Problem(422) that names the field, never a value: a body that is no object, a field that is not in
// the table, a required one that is missing, a value of another type or outside its range. A name that is
// not in the table is not repeated, as it may be a word of somebody's text; the nearest name of the table is.
void check_fields(const api::Json& body, std::span<const Field> table);

// The JSON Schema (OpenAPI 3.1) of an object with these fields. `closed`: others are refused.
enum class Others { refused, allowed };
api::Json schema_of(std::span<const Field> table, Others others);

}  // namespace sotto::server
