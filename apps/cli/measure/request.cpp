#include "cli/measure/request.h"

#include <fmt/format.h>

#include <utility>

#include "core/byte_stream.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

// The counts and the corpus may be private: they are read, counted and forgotten.
Prior prior_of(const AdversaryArguments& arguments, const std::shared_ptr<const Model>& model) {
  const std::string& given = arguments.prior;
  if (given.empty()) return arguments.words.empty() ? frequency_rank_prior(*model) : uniform_prior(*model);
  if (std::optional<Prior> prior = named_prior(model, given)) return std::move(*prior);
  throw Error(ErrorCode::usage,
              fmt::format("--prior {}: it must be uniform, rank, counts:FILE or corpus:FILE", given));
}

}  // namespace

Prior chosen_prior(const AdversaryArguments& arguments, const std::shared_ptr<const Model>& model) {
  Prior prior = prior_of(arguments, model);
  if (arguments.words.empty()) return prior;
  return restricted(prior, read_word_list(model, *open_source(arguments.words)));
}

std::optional<Labels> chosen_labels(const AdversaryArguments& arguments,
                                    const std::shared_ptr<const Model>& model) {
  const std::vector<std::string>& given = arguments.labels;
  if (given.empty()) return std::nullopt;
  const auto named = [](const std::string& text) { return text.find('=') != std::string::npos; };
  if (given.size() == 1 && !named(given.front())) return read_labels(model, *open_source(given.front()));
  std::vector<LabelList> lists;
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      throw Error(
          ErrorCode::usage,
          "--labels is either one file with two columns, word and label, or several times NAME=FILE, each "
          "file with one word per line");
    }
    lists.push_back({.label = text.substr(0, equals), .source = open_source(text.substr(equals + 1))});
  }
  return read_labels(model, std::move(lists));
}

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

}  // namespace sotto::cli
