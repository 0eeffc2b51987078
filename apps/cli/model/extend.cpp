// sotto model extend: public scores of words as further coordinates of a model.
#include <fmt/format.h>

#include <algorithm>

#include "api/extend.h"
#include "cli/commands.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr char kModelExtendHelp[] =
    R"(Add public scores of words as coordinates, so that the metric knows a task.

Usage: sotto model extend MODEL --scores FILE --weight NUMBER [...] -o OUT.sotto [options]

  sotto model extend glove.sotto --scores polarity.tsv --weight 6 -o task.sotto
  sotto model extend glove.sotto --learn public.csv --column text --label label --weight 8 -o task.sotto
  sotto model extend glove.sotto --scores polarity.tsv --weight 6 --scores topic.tsv --weight 3 -o task.sotto)";

constexpr char kModelExtendNotes[] =
    R"(Words with different scores then lie farther apart, and a mechanism confuses them less.
Mechanisms, certificates and measures work on the new model as on any other.

A file of scores has two columns, word and score, separated by a tab. Words of the model that it does not have
get 0 and are counted. Scores are clipped to +-1.5. The coordinate is the weight times the score. Several files
may be given, and --learn once, each with its own --weight in the same order.

What the scores stand for is given away on purpose: an attacker guesses it much better than before. --epsilon
measures how much, for tem at that epsilon, on the old and on the new model: how often the best attacker guesses
the sign of a score, among words whose score is at least 0.5 up or down, and E_opt on the other words. Words come
by their public frequency. On 50,000 words that takes minutes. Scores, and the texts and labels of --learn, must be
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
  std::string epsilon;
  std::string threads;
  ReadingTexts reading;
  bool force = false;
  bool json = false;
};

bool parse_model_extend(ExtendArguments& arguments, Words words) {
  CommandLine line("model extend", kModelExtendHelp);
  line.footer(kModelExtendNotes);
  line.text("model", arguments.model, "MODEL", "");
  line.text("-o,--output", arguments.output, "FILE", "the model to write, usually named .sotto (required)");
  line.texts("--scores", arguments.scores, "FILE", "scores of words, two columns; repeatable");
  line.texts("--weight", arguments.weights, "NUMBER", "of the coordinate; one for each --scores and --learn");
  line.text("--learn", arguments.learn, "FILE",
            "learn scores from public labelled texts, a table or JSON lines");
  line.text("--label", arguments.label, "NAME", "the column or field with the labels of --learn");
  line.reading_options(arguments.reading);
  line.text("--name", arguments.name, "NAME", "the model's name (default: that of the output file)");
  line.text("--epsilon", arguments.epsilon, "NUMBER", "measure what is given away by tem at this epsilon");
  line.flag("--force", arguments.force, "replace an existing output file");
  line.flag("--json", arguments.json, kJsonHelp);
  line.text("--threads", arguments.threads, "NUMBER", kThreadsHelp);
  return line.parse(words) == CommandLine::Outcome::parsed;
}

// Which of the weights is that of --learn: weights are in the order of --scores and --learn.
std::size_t place_of_learn(Words words) {
  std::size_t before = 0;
  for (const std::string_view word : words) {
    if (word == "--learn" || word.starts_with("--learn=")) break;
    if (word == "--scores" || word.starts_with("--scores=")) ++before;
  }
  return before;
}

api::ExtendRequest extend_request(const ExtendArguments& arguments, Words typed) {
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
  if (!arguments.epsilon.empty()) {
    request.epsilon = parse_number("--epsilon", arguments.epsilon, Infinity::refused);
  }
  const std::size_t learnt = std::min(place_of_learn(typed), arguments.scores.size());
  for (std::size_t i = 0; i < arguments.scores.size(); ++i) {
    const bool is_behind = !arguments.learn.empty() && i >= learnt;
    request.coordinates.push_back({.scores = arguments.scores[i], .weight = weight(is_behind ? i + 1 : i)});
  }
  if (!arguments.learn.empty()) {
    request.learnt.push_back({.texts = arguments.learn,
                              .reading = arguments.reading,
                              .label = arguments.label,
                              .weight = weight(learnt)});
  }
  return request;
}

// An error as the share of right guesses, or of wrong ones. A bracket is written with both ends.
enum class Guesses { right, wrong };
std::string share_text(const Quantity& error, Guesses guesses) {
  const auto text = [&](double value) {
    return fmt::format("{:.3f}", guesses == Guesses::right ? 1 - value : value);
  };
  if (error.value) return text(*error.value);
  const Bounds ends = error.interval;
  return guesses == Guesses::right ? fmt::format("{} to {}", text(ends.high), text(ends.low))
                                   : fmt::format("{} to {}", text(ends.low), text(ends.high));
}

void say_given_away(const api::ExtendAnswer& answer) {
  if (!answer.disclosure) {
    say("what the scores stand for is given away on purpose: --epsilon measures how much");
    return;
  }
  say(fmt::format("what is given away on purpose, by tem at epsilon {}:",
                  number_text(answer.disclosure->epsilon)));
  for (std::size_t i = 0; i < answer.disclosure->properties.size(); ++i) {
    const api::Disclosure::Property& one = answer.disclosure->properties[i];
    if (!one.errors) {
      say(fmt::format("score {}: not measured, because its {} words of at least {} have one sign", i + 1,
                      grouped(one.words), api::kShownScore));
      continue;
    }
    say(fmt::format(
        "score {}: the best attacker guesses the sign right with probability {}; before it was {}, and "
        "{:.3f} "
        "without any output ({} words of at least {})",
        i + 1, share_text(one.errors->after, Guesses::right), share_text(one.errors->before, Guesses::right),
        1 - one.errors->without_output, grouped(one.words), api::kShownScore));
  }
  if (const auto& others = answer.disclosure->others) {
    say(fmt::format("the other {} words: E_opt {}; before it was {}", grouped(others->words),
                    share_text(others->after, Guesses::wrong), share_text(others->before, Guesses::wrong)));
  }
}

}  // namespace

int run_model_extend(Words words) {
  ExtendArguments arguments;
  if (!parse_model_extend(arguments, words)) return kDone;
  api::ExtendRequest request = extend_request(arguments, words);
  if (!arguments.learn.empty()) {
    say("the texts and labels of --learn must be public: the model shows what they say");
  }
  request.model = open_model(arguments.model);
  ProgressBar bar(is_terminal(Stream::error) ? ProgressBar::Mode::on : ProgressBar::Mode::off);
  const api::ExtendAnswer answer = api::extend_model(request, bar.work(thread_number(arguments.threads)));
  bar.clear();
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
  say_given_away(answer);
  return kDone;
}

}  // namespace sotto::cli
