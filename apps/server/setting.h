#pragma once
#include "server/fields.h"
#include "sotto/answer.h"
#include "sotto/mechanism.h"

namespace sotto::server {

// The fields of a setting, which every request about a mechanism has.
inline constexpr Field kMechanismField = {
    .name = "mechanism", .help = "The name of a mechanism (default tem). GET /v1/mechanisms lists them."};
inline constexpr Field kEpsilonField = {
    .name = "epsilon",
    .help = "The privacy parameter of the mechanism: above 0; smaller is more private.",
    .kind = Field::Kind::number};
inline constexpr Field kParametersField = {.name = "parameters",
                                           .help = "Other parameters of the mechanism, by name.",
                                           .kind = Field::Kind::parameters};

// What the mechanism of a request must release. `any`: words by default.
enum class Releases { words, vectors, any };

// The mechanism and its parameters of a request: fields `mechanism` (tem, or the first of the registry that
// releases vectors), `epsilon` and `parameters`, which check_fields() has seen. Throws Problem(422) that
// names the field and what is allowed. The library's own messages repeat what was given; these do not.
Setting setting_of(const api::Json& body, Releases releases = Releases::words);

// Throws Problem(422) for another status than `proven`: what the library's program tells people, told to
// programs.
void check_proven(Status status);

}  // namespace sotto::server
