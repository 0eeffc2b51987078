#pragma once
#include <optional>

#include "cli/commands.h"

namespace sotto::cli {

// The words after the command's name, parsed. Empty: help was asked for, and printed. Throw
// Error(usage).
std::optional<ModelImportArguments> parse_model_import(Words words);
std::optional<ModelInfoArguments> parse_model_info(Words words);
std::optional<ModelFetchArguments> parse_model_fetch(Words words);
std::optional<ModelPrepareArguments> parse_model_prepare(Words words);
std::optional<MechanismsArguments> parse_mechanisms(Words words);
std::optional<PrivatizeArguments> parse_privatize(Words words);
std::optional<VectorsArguments> parse_vectors(Words words);
std::optional<ExplainArguments> parse_explain(Words words);

}  // namespace sotto::cli
