#pragma once
#include "server/fields.h"

// Fields that the answers of several routes share.
namespace sotto::server {

inline constexpr Field kSchemaAnswer = {.name = "schema",
                                        .help = "The name and version of this form of answer.",
                                        .presence = Field::Presence::required};
inline constexpr Field kVersionAnswer = {
    .name = "sotto_version", .help = "The version of the server.", .presence = Field::Presence::required};
inline constexpr Field kMechanismAnswer = {
    .name = "mechanism", .help = "The name of the mechanism.", .presence = Field::Presence::required};
inline constexpr Field kParametersAnswer = {.name = "parameters",
                                            .help = "All its parameters, as texts.",
                                            .kind = Field::Kind::parameters,
                                            .presence = Field::Presence::required};
inline constexpr Field kMetricAnswer = {
    .name = "metric", .help = "The distance between words.", .presence = Field::Presence::required};
inline constexpr Field kGuaranteeAnswer = {.name = "guarantee",
                                           .help = "What is guaranteed, in one sentence.",
                                           .presence = Field::Presence::required};
inline constexpr Field kModelAnswer = {.name = "model",
                                       .help = "Name and identity of the model.",
                                       .kind = Field::Kind::any,
                                       .presence = Field::Presence::required};
inline constexpr Field kNominalAnswer = {.name = "nominal_epsilon",
                                         .help = "The epsilon that is claimed; null if there is none.",
                                         .kind = Field::Kind::any,
                                         .presence = Field::Presence::required};
inline constexpr Field kCertifiedAnswer = {
    .name = "certified_epsilon",
    .help = "The epsilon computed on the vocabulary; null if it is not computed.",
    .kind = Field::Kind::any,
    .presence = Field::Presence::required};
inline constexpr Field kStatusAnswer = {
    .name = "status", .help = "proven, refuted or not_private", .presence = Field::Presence::required};

}  // namespace sotto::server
