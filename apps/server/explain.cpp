#include "server/explain.h"

#include <nlohmann/json.hpp>

#include "server/answers.h"
#include "server/problem.h"
#include "server/service.h"
#include "server/setting.h"
#include "sotto/error.h"
#include "sotto/explain.h"

namespace sotto::server {

namespace {

using Kind = Field::Kind;
using Presence = Field::Presence;

constexpr std::size_t kUsualTop = 10;

constexpr Field kExplainFields[] = {
    {.name = "word", .help = "A word of the model.", .presence = Presence::required, .least = 1, .most = 256},
    kMechanismField,
    kEpsilonField,
    kParametersField,
    {.name = "top",
     .help = "How many outputs, and how many neighbours on the map (default 10).",
     .kind = Kind::integer,
     .least = 1,
     .most = 100},
};

constexpr Field kOutputs[] = {
    {.name = "word", .help = "The output.", .presence = Presence::required},
    {.name = "p",
     .help = "Its probability, or its share of the draws.",
     .kind = Kind::any,
     .presence = Presence::required},
    {.name = "p_paper", .help = "Its probability under the theorem's law.", .kind = Kind::any},
    {.name = "low", .help = "The lower end of a 95% interval, with draws.", .kind = Kind::any},
    {.name = "high", .help = "The upper end.", .kind = Kind::any},
};
constexpr Field kPoints[] = {
    {.name = "word", .help = "A word of the model.", .presence = Presence::required},
    {.name = "x", .help = "To the right.", .kind = Kind::any, .presence = Presence::required},
    {.name = "y", .help = "Upwards.", .kind = Kind::any, .presence = Presence::required},
};

constexpr Field kExplainAnswers[] = {
    kSchemaAnswer,
    kVersionAnswer,
    {.name = "word", .help = "The word as it was sent.", .presence = Presence::required},
    {.name = "explained_as", .help = "The word of the model.", .presence = Presence::required},
    kMechanismAnswer,
    kParametersAnswer,
    kMetricAnswer,
    kModelAnswer,
    kNominalAnswer,
    kCertifiedAnswer,
    {.name = "additive_loss",
     .help = "What the certificate adds for each word; null without a certificate.",
     .kind = Kind::any,
     .presence = Presence::required},
    {.name = "slope",
     .help = "How fast the logarithm of the probability falls with the distance.",
     .kind = Kind::any},
    {.name = "slope_paper", .help = "The same for the theorem's law.", .kind = Kind::any},
    kStatusAnswer,
    kGuaranteeAnswer,
    {.name = "caveat", .help = "What the guarantee does not cover."},
    {.name = "loss_bound",
     .help =
         "How much an output tells between the word and its nearest word, and one at the median distance.",
     .kind = Kind::any},
    {.name = "meaning", .help = "`loss_bound` in plain words.", .presence = Presence::required},
    {.name = "estimated", .help = "true: the probabilities come from draws.", .kind = Kind::flag},
    {.name = "draws", .help = "How many draws.", .kind = Kind::integer},
    {.name = "outputs",
     .help = "What the word may become, most likely first.",
     .kind = Kind::objects,
     .presence = Presence::required,
     .members = kOutputs},
    {.name = "map",
     .help =
         "The word at (0, 0) and its nearest words, nearest first, on the plane of the first two principal "
         "components of their vectors. It is a picture: lengths on it are not the distances of the "
         "guarantee.",
     .kind = Kind::objects,
     .presence = Presence::required,
     .members = kPoints},
};

}  // namespace

std::span<const Field> explain_fields() {
  return kExplainFields;
}

std::span<const Field> explain_answers() {
  return kExplainAnswers;
}

Response answer_explain(Service& service, const Call& call) {
  const std::shared_ptr<ReadySetting> setting = service.settings().find(setting_of(call.body), {});
  const std::size_t top = call.body.value("top", kUsualTop);
  const auto refuse = [] {  // the library's messages may repeat the word
    throw Problem{.kind = &kField, .detail = "`word` must be one word that the model has"};
  };
  // Member by member: g++ 12 destroys members twice if a later initialiser of a nested aggregate throws.
  api::ExplainRequest request;
  request.model = service.model();
  request.word = call.body["word"];
  request.top = top;
  request.map = top;
  try {
    const api::ExplainAnswer answer = api::explain(setting->built, request, {.threads = 1});
    if (answer.is_unknown) refuse();
    return {.body = api::json_text(api::to_json(answer))};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    refuse();
  }
  return {};
}

}  // namespace sotto::server
