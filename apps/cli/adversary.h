#pragma once
#include <string>
#include <vector>

#include "shared/command_line.h"
#include "sotto/adversary.h"

// What `measure` and `tune` share: the options that say what the adversary knows, and how it is shown.
namespace sotto::cli {

struct AdversaryArguments {
  std::string prior;
  std::string words;
  std::vector<std::string> labels;
};
// --prior, --words and --labels.
void adversary_options(CommandLine& line, AdversaryArguments& arguments);
api::AdversaryRequest request_of(const AdversaryArguments& arguments);

std::string prior_text(const api::PriorSummary& prior);
// "12 words under 2 labels; 1 of 13 entries are not in the model"
std::string labels_text(const api::LabelSummary& labels);

// A command for a page, without the names of files and programs that may be private (counts:, corpus:,
// release:, command:, --input). `words`: what was typed after the program's name.
std::string public_command(const char* command, Words words);

}  // namespace sotto::cli
