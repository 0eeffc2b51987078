#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/labels.h"
#include "measure/prior.h"
#include "shared/command_line.h"

namespace sotto::cli {

// What the adversary of `measure` and `tune` knows and wants.
struct AdversaryArguments {
  std::string prior;
  std::string words;
  std::vector<std::string> labels;
};

// --prior, --words and --labels.
void adversary_options(CommandLine& line, AdversaryArguments& arguments);
// The prior, given that the word is of --words. Throws usage, bad_data or input_output.
Prior chosen_prior(const AdversaryArguments& arguments, const std::shared_ptr<const Model>& model);
std::optional<Labels> chosen_labels(const AdversaryArguments& arguments,
                                    const std::shared_ptr<const Model>& model);

}  // namespace sotto::cli
