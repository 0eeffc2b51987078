// sotto certify --mechanism privemb: how far the projection stretches, against the sensitivity of the noise.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "cli/certify/answer.h"
#include "cli/certify/command.h"
#include "core/output_file.h"
#include "html/page.h"
#include "html/text.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "sotto/error.h"
#include "sotto/forecast.h"

namespace sotto::cli {

namespace {

struct VectorAnswer {
  Mechanism mechanism;
  std::shared_ptr<const Model> model;
  double sensitivity = 0;  // that the noise is made for: scale * epsilon
  double spectral = 0;
  double vocabulary = 0;
  double realised = 0;
  std::optional<Forecast> expected = {};  // of a release of the model's words

  [[nodiscard]] std::optional<Strength> strength() const {
    return expected ? std::optional(strength_of(expected->unchanged)) : std::nullopt;
  }

  [[nodiscard]] bool holds() const { return realised <= mechanism.claim.epsilon * (1 + kAgreement); }
  [[nodiscard]] std::string fact(std::string_view name) const {
    for (const auto& [key, value] : mechanism.facts) {
      if (key == name) return value;
    }
    return {};
  }
};

VectorAnswer compute(const CertifyArguments& arguments) {
  VectorAnswer answer;
  answer.model = open_model(arguments.choice.model);
  answer.mechanism = build_vector_mechanism(
      arguments.choice.mechanism,
      {.model = answer.model, .domain = VectorInput::Domain::words, .dim = answer.model->dim()},
      arguments.choice.parameters);
  const std::optional<VectorStretch> stretch = answer.mechanism.vectors->stretch_on(
      *answer.model, arguments.verify ? VectorMechanism::Measured::again : VectorMechanism::Measured::reuse);
  if (!stretch) {
    throw Error(ErrorCode::usage,
                fmt::format("{} has no map whose stretch could be certified", arguments.choice.mechanism));
  }
  const double scale = stretch->noise_scale;
  answer.sensitivity = scale * answer.mechanism.claim.epsilon;
  answer.spectral = stretch->spectral;
  answer.vocabulary = stretch->vocabulary;
  // Both are upper bounds of the stretch between words. So is the sensitivity, but for the paper's, which
  // may fail; where the rows are orthonormal only the rounding of the other two exceeds it.
  answer.realised = std::min(answer.spectral, answer.vocabulary) / scale;
  if (stretch->is_covered) {
    answer.realised = std::min(answer.realised, answer.mechanism.claim.epsilon);
  }
  answer.expected = vector_forecast(answer.mechanism, *answer.model, arguments.threads);
  return answer;
}

std::string verdict(const VectorAnswer& answer) {
  return fmt::format("{}: epsilon {} is claimed, at most {} is realised between words",
                     answer.holds() ? "the claim holds" : "THE CLAIM IS FALSE here",
                     number_text(answer.mechanism.claim.epsilon), upper_text(answer.realised));
}

Json to_json(const VectorAnswer& answer) {
  const Mechanism& mechanism = answer.mechanism;
  Json json = start_answer("sotto.certificate-answer/1");
  json["mechanism"] = mechanism.info->name;
  json["parameters"] = mechanism.parameters.texts();
  json["calibration"] = nullptr;
  json["metric"] = "euclidean";
  json["model"] = {{"name", answer.model->origin().name}, {"identity", answer.model->identity()}};
  json["n"] = answer.model->size();
  json["nominal_epsilon"] = mechanism.claim.epsilon;
  json["certified_epsilon"] = finite_or_null(answer.realised);
  json["additive_loss"] =
      0;  // the noise is added exactly, and the stretch is rounded up (docs/proofs/privemb.md)
  json["kind"] = "exact upper bound";
  json["holds"] = answer.holds();
  json["verdict"] = verdict(answer);
  json["slope"] = nullptr;
  json["gamma"] = nullptr;
  json["largest_word_loss"] = finite_or_null(mechanism.claim.largest_word_loss);
  json["worst_pair"] = nullptr;
  json["sensitivity"] = answer.sensitivity;
  json["spectral_stretch"] = answer.spectral;
  json["vocabulary_stretch"] = answer.vocabulary;
  json["facts"] = Json::object();
  for (const auto& [name, value] : mechanism.facts) json["facts"][name] = value;
  json["guarantee"] = mechanism.claim.guarantee;
  json["status"] = status_name(mechanism.claim.status);
  json["strength"] = answer.strength() ? Json(strength_name(*answer.strength())) : Json(nullptr);
  json["expected_unchanged"] = answer.expected ? Json{{"share", answer.expected->unchanged},
                                                      {"margin95", answer.expected->unchanged_margin}}
                                               : Json(nullptr);
  json["caveat"] = mechanism.claim.caveat.empty() ? Json(nullptr) : Json(mechanism.claim.caveat);
  return json;
}

std::string to_text(const VectorAnswer& answer, std::size_t width) {
  std::string out;
  const auto row = [&](std::string_view label, std::string_view text) {
    out += fmt::format("{:<12}{}\n", label, wrapped(text, width, 12));
  };
  row("mechanism", parameters_text(answer.mechanism));
  row("model", fmt::format("{} of {}", counted(answer.model->size(), "word"), answer.model->origin().name));
  row("guarantee", answer.mechanism.claim.guarantee);
  row("verdict", verdict(answer));
  row("nominal", fmt::format("epsilon {}", number_text(answer.mechanism.claim.epsilon)));
  row("certified", fmt::format("epsilon {} (exact upper bound)", upper_text(answer.realised)));
  row("projection", answer.fact("projection"));
  row("sensitivity", answer.fact("sensitivity"));
  row("stretch", fmt::format("between words of the model at most {}, between any vectors at most {}",
                             upper_text(answer.vocabulary), upper_text(answer.spectral)));
  row("status",
      fmt::format("{}; {}", status_name(answer.mechanism.claim.status), answer.mechanism.claim.caveat));
  if (const auto strength = answer.strength()) {
    row("strength",
        fmt::format("{}: {}", strength_name(*strength), strength_sentence(*strength, Released::vectors)));
  }
  return out;
}

std::string to_page(const VectorAnswer& answer, const std::vector<std::string>& command) {
  html::Page page(
      {.title =
           fmt::format("Certificate of privemb at epsilon {}", number_text(answer.mechanism.claim.epsilon)),
       .lead = fmt::format("How far the public projection stretches the distances between the {} of the "
                           "model, against the sensitivity that the noise is made for.",
                           counted(answer.model->size(), "word")),
       .version = SOTTO_VERSION,
       .command = html::shell_line(command)});
  using Tone = html::Notice::Tone;
  const Strength strength = answer.strength().value_or(Strength::weak);  // not known: not green
  html::Notice notice{.tone = !answer.holds() || strength == Strength::none ? Tone::bad
                              : strength == Strength::ok                    ? Tone::good
                                                                            : Tone::caution,
                      .title = verdict(answer),
                      .sentences = {answer.mechanism.claim.guarantee, answer.mechanism.claim.caveat}};
  if (answer.strength() && strength != Strength::ok) {
    notice.sentences.insert(notice.sentences.begin(), strength_sentence(strength, Released::vectors));
  }
  page.notice(notice);
  std::vector<html::Fact> facts = {
      {.name = "nominal epsilon", .value = number_text(answer.mechanism.claim.epsilon)},
      {.name = "certified epsilon", .value = upper_text(answer.realised), .note = "upper bound"},
      {.name = "stretch between words", .value = upper_text(answer.vocabulary), .note = "over all pairs"},
      {.name = "stretch of any vectors", .value = upper_text(answer.spectral), .note = "spectral norm"},
      {.name = "words", .value = std::uint64_t{answer.model->size()}},
      {.name = "model", .value = answer.model->origin().name, .note = answer.model->identity()}};
  for (const auto& [name, value] : answer.mechanism.facts) facts.push_back({.name = name, .value = value});
  page.facts(facts);
  return page.html();
}

}  // namespace

int certify_vectors(const CertifyArguments& arguments) {
  std::optional<OutputFile> page;
  if (!arguments.html.empty()) {
    page.emplace(arguments.html, arguments.force ? Overwrite::replace : Overwrite::refuse);
  }
  const VectorAnswer answer = compute(arguments);
  if (page) {
    page->write(to_page(answer, arguments.command));
    page->commit();
  }
  if (arguments.json) {
    print_answer(to_json(answer));
  } else {
    print(to_text(answer, std::clamp<std::size_t>(terminal_width(Stream::output), 60, 100)));
  }
  return answer.holds() ? kDone : kAnswerIsNo;
}

}  // namespace sotto::cli
