// sotto model extend: public scores of words as further coordinates of a model.
#include <fmt/format.h>

#include "api/extend.h"
#include "cli/commands.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr char kHelp[] =
    R"(Add public scores of words as coordinates, so that the metric knows a task.

Usage: sotto model extend MODEL --scores FILE --weight NUMBER [...] -o OUT.sotto [options]

  sotto model extend glove.sotto --scores polarity.tsv --weight 6 -o task.sotto
  sotto model extend glove.sotto --learn public.csv --column text --label label --weight 8 -o task.sotto
  sotto model extend glove.sotto --scores polarity.tsv --weight 6 --scores topic.tsv --weight 3 -o task.sotto)";

constexpr char kNotes[] =
    R"(Words with different scores then lie farther apart, and a mechanism confuses them less.
Mechanisms, certificates and measures work on the new model as on any other.

A file of scores has two columns, word and score, separated by a tab. Words of the model that it does not have
get 0 and are counted. Scores are clipped to +-1.5. The coordinate is the weight times the score. Several files
may be given, each with its own --weight in the same order; the weight of --learn comes last.

What the scores stand for is given away on purpose: an attacker guesses it much better than before. Measure how
much with `sotto measure --model OUT.sotto --labels ...`. Scores, and the texts and labels of --learn, must be
public. Models for the Poincare distance are refused.

Read next: docs/learning.md)";

struct ExtendArguments {
  std::string model;
  std::vector<std::string> scores;
  std::vector<std::string> weights;
  std::string learn;
  std::string label;
  std::string output;
  std::string name;
  ReadingTexts reading;
  bool force = false;
  bool json = false;
};

bool parse(ExtendArguments& arguments, Words words) {
  CommandLine line("model extend", kHelp);
  line.footer(kNotes);
  line.text("model", arguments.model, "MODEL", "");
  line.text("-o,--output", arguments.output, "FILE", "the model to write, usually named .sotto (required)");
  line.texts("--scores", arguments.scores, "FILE", "scores of words, two columns; repeatable");
  line.texts("--weight", arguments.weights, "NUMBER", "of the coordinate; one for each --scores and --learn");
  line.text("--learn", arguments.learn, "FILE",
            "learn scores from public labelled texts, a table or JSON lines");
  line.text("--label", arguments.label, "NAME", "the column or field with the labels of --learn");
  line.reading_options(arguments.reading);
  line.text("--name", arguments.name, "NAME", "the model's name (default: that of the output file)");
  line.flag("--force", arguments.force, "replace an existing output file");
  line.flag("--json", arguments.json, kJsonHelp);
  return line.parse(words) == CommandLine::Outcome::parsed;
}

api::ExtendRequest request_of(const ExtendArguments& arguments) {
  const std::size_t wanted = arguments.scores.size() + (arguments.learn.empty() ? 0 : 1);
  if (wanted == 0 || arguments.weights.size() != wanted) {
    throw Error(ErrorCode::usage, fmt::format("{} --weight were given for {} --scores and --learn: give one "
                                              "--weight for each, in the same order",
                                              arguments.weights.size(), wanted));
  }
  if (arguments.output.empty()) throw Error(ErrorCode::usage, "`sotto model extend` needs -o OUT.sotto");
  const auto weight = [&](std::size_t i) {
    return parse_number("--weight", arguments.weights[i], Infinity::refused);
  };
  api::ExtendRequest request{
      .output = arguments.output,
      .name = arguments.name,
      .existing = arguments.force ? Model::Existing::replace : Model::Existing::refuse};
  for (std::size_t i = 0; i < arguments.scores.size(); ++i) {
    request.coordinates.push_back({.scores = arguments.scores[i], .weight = weight(i)});
  }
  if (!arguments.learn.empty()) {
    request.learnt.push_back({.texts = arguments.learn,
                              .reading = arguments.reading,
                              .label = arguments.label,
                              .weight = weight(wanted - 1)});
  }
  return request;
}

}  // namespace

int run_model_extend(Words words) {
  ExtendArguments arguments;
  if (!parse(arguments, words)) return kDone;
  api::ExtendRequest request = request_of(arguments);
  if (!arguments.learn.empty()) {
    say("the texts and labels of --learn must be public: the model shows what they say");
  }
  request.model = open_model(arguments.model);
  const api::ExtendAnswer answer = api::extend_model(request, {});
  if (arguments.json) {
    print_answer(to_json(answer));
    return kDone;
  }
  say(fmt::format("{}: {} words, {} dimensions", arguments.output, grouped(answer.model->size()),
                  answer.model->dim()));
  for (const api::ExtendAnswer::Coordinate& one : answer.coordinates) {
    say(fmt::format("weight {}: {} words have a score{}, the other {} have 0; {} clipped to +-{}",
                    number_text(one.weight), grouped(one.scored),
                    one.unknown > 0 ? fmt::format(" ({} entries are not in the model)", grouped(one.unknown))
                                    : std::string(),
                    grouped(answer.model->size() - one.scored), grouped(one.clipped), api::kLargestScore));
  }
  say("what the scores stand for is given away on purpose: `sotto measure --labels` tells how much");
  return kDone;
}

}  // namespace sotto::cli
