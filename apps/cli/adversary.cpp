#include "cli/adversary.h"

#include <fmt/format.h>

#include "html/text.h"
#include "shared/console.h"

namespace sotto::cli {

void adversary_options(CommandLine& line, AdversaryArguments& arguments) {
  line.text(
      "--prior", arguments.prior, "PRIOR",
      "what the adversary knows beforehand: rank (the model's public word frequencies; default), uniform "
      "(default "
      "with --words), counts:FILE (two columns, word and count), corpus:FILE (word frequencies of a text)");
  line.text("--words", arguments.words, "FILE",
            "only these words occur, one per line: the prior given the list");
  line.texts("--labels", arguments.labels, "FILE",
             "labels of words: a file with two columns, or NAME=FILE several times, one word per line");
}

api::AdversaryRequest request_of(const AdversaryArguments& arguments) {
  api::AdversaryRequest request{.prior = arguments.prior};
  if (!arguments.words.empty()) request.words = std::filesystem::path(arguments.words);
  if (!arguments.labels.empty()) request.labels = arguments.labels;
  return request;
}

std::string prior_text(const api::PriorSummary& prior) {
  if (prior.unknown == 0) return prior.description;
  return fmt::format("{}; {} of {} entries are not in the model", prior.description, grouped(prior.unknown),
                     grouped(prior.entries));
}

std::string labels_text(const api::LabelSummary& labels) {
  return fmt::format("{} under {}; {} of {} entries are not in the model", counted(labels.words, "word"),
                     counted(labels.names.size(), "label"), grouped(labels.unknown), grouped(labels.entries));
}

std::string public_command(const char* command, Words words) {
  struct Hidden {
    std::string_view kind;
    std::string_view shown;
  };
  std::vector<std::string> shown = {"sotto", command};
  for (std::string word : words) {
    for (const Hidden& hidden : {Hidden{"counts:", "FILE"}, Hidden{"corpus:", "FILE"},
                                 Hidden{"release:", "FILE"}, Hidden{"command:", "PROGRAM"}}) {
      if (const std::size_t at = word.find(hidden.kind);
          at != std::string::npos && (at == 0 || word[at - 1] == '=')) {
        word = word.substr(0, at + hidden.kind.size()) + std::string(hidden.shown);
      }
    }
    if (shown.back() == "--input") word = "FILE";
    if (word.starts_with("--input=")) word = "--input=FILE";
    shown.push_back(std::move(word));
  }
  return html::shell_line(shown);
}

}  // namespace sotto::cli
