#include "server/long_questions.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "server/answers.h"
#include "server/jobs.h"
#include "server/problem.h"
#include "server/service.h"
#include "server/setting.h"
#include "sotto/certify.h"
#include "sotto/error.h"
#include "sotto/measure.h"

namespace sotto::server {

namespace {

using api::Json;
using Kind = Field::Kind;
using Presence = Field::Presence;

constexpr Field kCertificateFields[] = {kMechanismField, kEpsilonField, kParametersField};

constexpr std::string_view kRank = "rank";
constexpr std::string_view kUniform = "uniform";

constexpr Field kMeasureFields[] = {
    kMechanismField,
    kEpsilonField,
    kParametersField,
    {.name = "prior",
     .help = "How often words occur, as the attacker knows it: rank (the default: the model's frequency "
             "rank) or uniform (the default with `words`)."},
    {.name = "words",
     .help = "The only words that occur (default: all words of the model).",
     .kind = Kind::texts,
     .least = 1},
    {.name = "copies",
     .help = "Up to how many releases of the same text are attacked together (default 8; 0: none).",
     .kind = Kind::integer,
     .most = api::kMostCopies},
    {.name = "draws",
     .help = "How many draws are made where the law has no closed form (default 500,000).",
     .kind = Kind::integer,
     .least = 1,
     .most = 10'000'000},
    {.name = "by_draws", .help = "Use draws only, also where the law is known.", .kind = Kind::flag},
};

constexpr Field null_or(std::string_view name, std::string_view help) {
  return {.name = name, .help = help, .kind = Kind::any, .presence = Presence::required};
}
constexpr Field perhaps(std::string_view name, std::string_view help) {
  return {.name = name, .help = help, .kind = Kind::any};
}

constexpr Field kCertificateAnswers[] = {
    kSchemaAnswer,
    kVersionAnswer,
    kMechanismAnswer,
    kParametersAnswer,
    null_or("calibration", "How the law follows from epsilon; null if the mechanism has no calibration."),
    kMetricAnswer,
    kModelAnswer,
    {.name = "n", .help = "Words of the model.", .kind = Kind::integer, .presence = Presence::required},
    {.name = "merged_words", .help = "Words that share the vector of another.", .kind = Kind::integer},
    kNominalAnswer,
    kCertifiedAnswer,
    null_or("additive_loss",
            "A constant that is added to the loss of each word; null if it is not computed."),
    {.name = "kind",
     .help = "What the certified epsilon is: an upper bound, exact, a proven bound, or a lower bound only.",
     .presence = Presence::required},
    {.name = "holds",
     .help = "false: the loss is above what is claimed.",
     .kind = Kind::flag,
     .presence = Presence::required},
    {.name = "verdict", .help = "What was found, in one sentence.", .presence = Presence::required},
    null_or("slope",
            "How fast the logarithm of the probability falls with the distance; null if the law is not of "
            "tem's form."),
    null_or("gamma", "The distance beyond which all words are equally likely."),
    null_or("largest_word_loss", "The largest loss of one word over all pairs."),
    null_or("worst_pair", "The pair of words that loses most for its distance."),
    perhaps("sensitivity",
            "Vectors only: how much the projection may stretch a distance, as the noise assumes."),
    perhaps("spectral_stretch", "Vectors only: a bound of the stretch for any two vectors."),
    perhaps("vocabulary_stretch", "Vectors only: a bound of the stretch for any two words of the model."),
    perhaps("facts", "Vectors only: public facts about the projection and the noise."),
    perhaps("smallest_distance", "The smallest distance between two words."),
    perhaps("largest_distance", "The largest distance between two words."),
    perhaps("median_nearest_distance", "The median distance of a word to the nearest other one."),
    perhaps("epsilon_times_median_nearest_distance", "The loss between typical neighbours."),
    perhaps("mean_unchanged", "The mean probability that a word stays."),
    kGuaranteeAnswer,
    kStatusAnswer,
    null_or("strength", "ok, weak or none: by the share of words that is expected to stay."),
    null_or("expected_unchanged", "The share of words that is expected to stay, with its margin."),
    null_or("caveat", "What the guarantee does not cover."),
    perhaps("source", "Whether the certificate was computed now or kept and checked."),
    perhaps("sampled_lower_bound", "Without a certificate: a lower bound from some pairs of words."),
    perhaps("worst_pairs", "The pairs that lose most."),
    perhaps("distance_bands", "The worst pair of each band of distance."),
    perhaps("notes", "Why values are null."),
};

constexpr Field kMeasureAnswers[] = {
    kSchemaAnswer,
    kVersionAnswer,
    kMechanismAnswer,
    kParametersAnswer,
    kMetricAnswer,
    kModelAnswer,
    kNominalAnswer,
    kCertifiedAnswer,
    kStatusAnswer,
    null_or("prior", "What the attacker knew before."),
    {.name = "closed_law",
     .help = "true: the figures are exact.",
     .kind = Kind::flag,
     .presence = Presence::required},
    {.name = "draws", .help = "How many draws were used.", .kind = Kind::integer},
    {.name = "bands_by", .help = "frequency: how words are put into bands.", .presence = Presence::required},
    {.name = "bands",
     .help = "The figures of all words, then of bands of frequency.",
     .kind = Kind::objects,
     .presence = Presence::required},
};

constexpr Field kJobAnswers[] = {
    kSchemaAnswer,
    kVersionAnswer,
    {.name = "job", .help = "The id of the job.", .presence = Presence::required},
    {.name = "state", .help = "queued, running, done, failed or cancelled", .presence = Presence::required},
    null_or("stage", "The part of the work that runs now; null before the first."),
    null_or("progress", "From 0 to 1, within the stage."),
    null_or("result", "The answer if the job is done, a problem document if it failed, otherwise null."),
};

// Runs the question, and says what the client can change without repeating what it sent.
template <class Ask>
Json asked(const Ask& ask) {
  try {
    return ask();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage && error.code() != ErrorCode::bad_data) throw;
    throw Problem{.kind = &kField,
                  .detail =
                      "the mechanism and its `parameters` do not fit this model or this question, or "
                      "`words` holds no word of the model"};
  }
}

struct Length {
  bool is_known = true;  // no draws are needed
};

Response at_once_or_later(Service& service, const Call& call, const Length& length, Jobs::Task task) {
  if (length.is_known && service.model()->size() <= kQuickModel) {
    return {.body = api::json_text(task({.threads = 1}))};
  }
  const std::string id = service.jobs().add(call.sender, std::move(task));
  const std::optional<Json> job = service.jobs().find(id, call.sender);
  return {.status = 202,
          .body = api::json_text(job.value_or(Json::object())),
          .headers = {{"Location", "/v1/jobs/" + id}}};
}

api::MeasureRequest measure_request(const Json& body) {
  // Member by member: g++ 12 destroys members twice if a later initialiser of a nested aggregate throws.
  api::MeasureRequest request;
  request.setting = setting_of(body);
  request.copies = body.value("copies", std::size_t{8});
  request.draws = body.value("draws", std::size_t{0});
  request.by_draws = body.value("by_draws", false);
  // Of the library's priors only those that read no file.
  const std::string prior = body.value("prior", "");
  if (!prior.empty() && prior != kRank && prior != kUniform) {
    throw Problem{.kind = &kField, .detail = "`prior` must be rank or uniform"};
  }
  request.adversary.prior = prior;
  if (body.contains("words")) request.adversary.words = body["words"].get<std::vector<std::string>>();
  return request;
}

Response job_response(const std::optional<Json>& job) {
  if (!job) {
    throw Problem{
        .kind = &kNotFound,
        .detail = "there is no such job: it was removed, it is too old, or the server was restarted"};
  }
  return {.body = api::json_text(*job)};
}

}  // namespace

std::span<const Field> certificate_fields() {
  return kCertificateFields;
}
std::span<const Field> certificate_answers() {
  return kCertificateAnswers;
}
std::span<const Field> measure_fields() {
  return kMeasureFields;
}
std::span<const Field> measure_answers() {
  return kMeasureAnswers;
}
std::span<const Field> job_answers() {
  return kJobAnswers;
}

Response answer_certificate(Service& service, const Call& call) {
  api::CertifyRequest request;
  request.model = service.model();
  request.setting = setting_of(call.body, Releases::any);
  const Length length{.is_known = request.setting.info->known_by == MechanismInfo::KnownBy::law};
  return at_once_or_later(service, call, length, [request = std::move(request)](const Work& work) {
    return asked([&] { return api::to_json(api::certify(request, work)); });
  });
}

Response answer_measure(Service& service, const Call& call) {
  api::MeasureRequest request = measure_request(call.body);
  request.model = service.model();
  const Length length{.is_known =
                          request.setting.info->known_by == MechanismInfo::KnownBy::law && !request.by_draws};
  return at_once_or_later(service, call, length, [request = std::move(request)](const Work& work) {
    return asked([&] { return api::to_json(api::measure(request, work)); });
  });
}

Response answer_job(Service& service, const Call& call) {
  return job_response(service.jobs().find(call.item, call.sender));
}

Response answer_job_removal(Service& service, const Call& call) {
  return job_response(service.jobs().remove(call.item, call.sender));
}

}  // namespace sotto::server
