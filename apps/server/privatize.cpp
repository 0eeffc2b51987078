#include "server/privatize.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "api/release_debits.h"
#include "server/accounts.h"
#include "server/answers.h"
#include "server/problem.h"
#include "server/service.h"
#include "server/setting.h"

namespace sotto::server {

namespace {

using api::Json;
using Kind = Field::Kind;
using Presence = Field::Presence;

constexpr Field kOptions[] = {
    {.name = "strip_html", .help = "Remove HTML tags before words are replaced.", .kind = Kind::flag},
    {.name = "unknown_word",
     .help = "The public word that stands for words that the model does not have.",
     .kind = Kind::text,
     .least = 1,
     .most = 256},
};

constexpr Field kPrivatizeFields[] = {
    {.name = "text", .help = "One text. Give `text` or `texts`.", .kind = Kind::text},
    {.name = "texts",
     .help = "Several texts. All are released or none is.",
     .kind = Kind::texts,
     .least = 1,
     .most = 1'000},
    kMechanismField,
    kEpsilonField,
    kParametersField,
    {.name = "document",
     .help = "The id of the document, with `text`: every release of it adds epsilon to its account.",
     .kind = Kind::text,
     .least = 1,
     .most = kLongestId},
    {.name = "documents",
     .help = "The ids of the documents, one for each of `texts`.",
     .kind = Kind::texts,
     .least = 1,
     .most = 1'000},
    kSubjectField,
    {.name = "options", .help = "How texts are read.", .kind = Kind::object, .members = kOptions},
    {.name = "allow_weak",
     .help = "Release even if nearly all words are expected to stay as they are.",
     .kind = Kind::flag},
};

constexpr Field kPrivatizeAnswers[] = {
    {.name = "schema", .help = "sotto.privatized/1", .presence = Presence::required},
    kVersionAnswer,
    {.name = "text", .help = "The private text, if `text` was sent."},
    {.name = "texts", .help = "The private texts, if `texts` were sent.", .kind = Kind::texts},
    {.name = "mechanism", .help = "The mechanism that replaced the words.", .presence = Presence::required},
    {.name = "epsilon",
     .help = "Its nominal epsilon; null if it has none.",
     .kind = Kind::any,
     .presence = Presence::required},
    kCertifiedAnswer,
    kGuaranteeAnswer,
    {.name = "status", .help = "proven", .presence = Presence::required},
    {.name = "expected_unchanged",
     .help = "The share of words that is expected to stay, with its margin: from public data.",
     .kind = Kind::any,
     .presence = Presence::required},
    kSpentAnswer,
};

PrivatizerOptions options_of(const Json& body) {
  PrivatizerOptions options;
  if (!body.contains("options")) return options;
  const Json& given = body["options"];
  options.strip_html = given.value("strip_html", false);
  options.anchor = given.value("unknown_word", "");
  return options;
}

std::vector<std::string_view> texts_of(const Json& body, const ServiceLimits& limits) {
  const bool has_one = body.contains("text");
  if (has_one == body.contains("texts")) {
    throw Problem{.kind = &kField, .detail = "give either `text` or `texts`"};
  }
  if (has_one) return {body["text"].get_ref<const std::string&>()};
  std::vector<std::string_view> texts;
  for (const Json& text : body["texts"]) texts.push_back(text.get_ref<const std::string&>());
  if (texts.size() > limits.most_texts) {
    throw Problem{.kind = &kField, .detail = fmt::format("`texts` has at most {} texts", limits.most_texts)};
  }
  return texts;
}

// With `text` one document may be named alone.
Named named_in(const Json& body) {
  Named named = named_of(body, "texts");
  if (!body.contains("document")) return named;
  if (!body.contains("text")) {
    throw Problem{
        .kind = &kField,
        .detail = "`document` is the id of one `text`; with `texts` send `documents`, one id for each"};
  }
  named.documents.push_back(body["document"]);
  return named;
}

void check_promise(const ReadySetting& setting, const Json& body) {
  check_proven(setting.status);
  if (setting.strength == Strength::none && !body.value("allow_weak", false)) {
    throw Problem{.kind = &kWeak,
                  .detail =
                      "more than 90% of the words are expected to stay as they are; send a smaller "
                      "`epsilon`, or `allow_weak`: true"};
  }
}

}  // namespace

std::span<const Field> privatize_fields() {
  return kPrivatizeFields;
}

std::span<const Field> privatize_answers() {
  return kPrivatizeAnswers;
}

Response answer_privatize(Service& service, const Call& call) {
  const std::vector<std::string_view> texts = texts_of(call.body, service.options().limits);
  const Named named = named_in(call.body);
  service.spending().check(named);
  const Setting wanted = setting_of(call.body);
  check_proven(wanted.info->status);  // before it is built, which may take long
  const std::shared_ptr<ReadySetting> setting = service.settings().find(wanted, options_of(call.body));
  check_promise(*setting, call.body);
  Spending::Turn turn(service.spending(), call.request, call.sender);
  if (turn.stored()) return *turn.stored();
  PrivateTexts released = setting->release->texts(texts, {.threads = 1});
  const std::uint64_t tokens = released.counts.tokens;
  call.quantum = setting->time.quantum({.texts = texts.size(), .tokens = tokens});
  if (tokens > service.options().limits.most_tokens) {
    throw Problem{
        .kind = &kField,
        .detail = fmt::format("a request has at most {} words", service.options().limits.most_tokens)};
  }
  const Json& promise = setting->promise;
  Json answer = api::start_answer("sotto.privatized/1");
  if (call.body.contains("text")) {
    answer["text"] = std::move(released.texts.front());
  } else {
    answer["texts"] = std::move(released.texts);
  }
  answer["mechanism"] = promise["mechanism"];
  answer["epsilon"] = promise["nominal_epsilon"];
  for (const char* const key : {"certified_epsilon", "guarantee", "status", "expected_unchanged"}) {
    answer[key] = promise[key];
  }
  const Mechanism& mechanism = setting->built.mechanism;
  std::vector<Charge> charges =
      service.spending().charges(mechanism, api::word_scope(mechanism), named, call.sender, tokens);
  answer["spent"] = spent_json(charges);
  return turn.debit(std::move(charges), {.body = api::json_text(answer), .tokens = tokens});
}

}  // namespace sotto::server
