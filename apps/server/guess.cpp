#include "server/guess.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "server/answers.h"
#include "server/problem.h"
#include "server/service.h"
#include "server/setting.h"
#include "sotto/error.h"

namespace sotto::server {

namespace {

using Kind = Field::Kind;
using Presence = Field::Presence;

// Different words of one request. Each that is new to the server costs a pass over the model.
constexpr std::size_t kMostOutputs = 1'000;

constexpr Field kGuessFields[] = {
    {.name = "private",
     .help = "A private text, as POST /v1/privatize returned it, with up to 1,000 different words.",
     .presence = Presence::required},
    kMechanismField,
    kEpsilonField,
    kParametersField,
};

constexpr Field kGuesses[] = {
    {.name = "output", .help = "A word as it stands in the text.", .presence = Presence::required},
    {.name = "guess",
     .help = "The likeliest original; null if the mechanism does not write this output.",
     .kind = Kind::any,
     .presence = Presence::required},
    {.name = "posterior",
     .help = "The probability that the guess is right; null without a guess.",
     .kind = Kind::any,
     .presence = Presence::required},
};

constexpr Field kGuessAnswers[] = {
    kSchemaAnswer,
    kVersionAnswer,
    kMechanismAnswer,
    kParametersAnswer,
    kModelAnswer,
    {.name = "prior",
     .help = "What the attacker knew before: how often words occur.",
     .kind = Kind::any,
     .presence = Presence::required},
    {.name = "guesses",
     .help = "One for each word of the text, in its order. White space and punctuation have none.",
     .kind = Kind::objects,
     .presence = Presence::required,
     .members = kGuesses},
};

}  // namespace

std::span<const Field> guess_fields() {
  return kGuessFields;
}

std::span<const Field> guess_answers() {
  return kGuessAnswers;
}

Response answer_guess(Service& service, const Call& call) {
  const std::shared_ptr<api::Guesser> guesser = service.settings().find_guesser(setting_of(call.body));
  api::GuessRequest request;
  request.released = call.body["private"];
  request.most_outputs = kMostOutputs;
  try {
    const api::GuessAnswer answer = guesser->guess(request, {.threads = 1});
    return {.body = api::json_text(api::to_json(answer)), .tokens = answer.guesses.size()};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    throw Problem{.kind = &kField,
                  .detail = fmt::format("`private` has at most {} different words", kMostOutputs)};
  }
}

}  // namespace sotto::server
