#include "api/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "api/audit_parts.h"
#include "core/uniform.h"
#include "sotto/certificate.h"
#include "sotto/error.h"
#include "sotto/forecast.h"
#include "text/lookup.h"

namespace sotto::api {

namespace {

WordPair parse_pair(const std::string& text, const Lookup& lookup) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) {
    throw Error(ErrorCode::usage,
                fmt::format("`pair` {}: give two words with a comma between, as doctor,nurse", text));
  }
  const auto first = lookup.find(text.substr(0, comma));
  const auto second = lookup.find(text.substr(comma + 1));
  if (!first || !second) {
    throw Error(ErrorCode::usage, fmt::format("`pair` {}: the model does not have the {} word", text,
                                              first ? "second" : "first"));
  }
  if (*first == *second) throw Error(ErrorCode::usage, fmt::format("`pair` {}: these are one word", text));
  return *first < *second ? WordPair{*first, *second} : WordPair{*second, *first};
}

// The pair of words that loses most, where the certificate is part of the claim or quickly computed.
std::optional<WordPair> worst_pair(const CertifiedMechanism& built, const Work& work) {
  constexpr std::size_t kMostWords = 400;
  std::optional<Certificate> certificate = built.certificate;
  if (!certificate && built.mechanism.space->size() <= kMostWords) {
    certificate = certify(built.mechanism, work);
  }
  if (!certificate || certificate->worst_first == certificate->worst_second) return std::nullopt;
  return WordPair{certificate->worst_first, certificate->worst_second};
}

// A draw costs a microsecond where the law is known, and a search of the model otherwise.
struct Effort {
  std::size_t pairs = 60;
  std::uint32_t draws = 100'000;
  std::size_t deniability_words = 500;
};
constexpr Effort kProgramEffort = {.pairs = 20, .draws = 10'000, .deniability_words = 20};

Effort usual_effort(const Mechanism& mechanism) {
  if (mechanism.words->log_law(word_id(0))) return {};
  const double row =
      static_cast<double>(mechanism.space->size()) * static_cast<double>(mechanism.space->model().dim());
  constexpr double kCheapRow = 5e4;
  if (row <= kCheapRow) return {};
  const double slower = row / kCheapRow;
  return {.pairs = slower > 10 ? 12U : 60U,
          .draws = static_cast<std::uint32_t>(std::max(4000.0, 100'000 / slower)),
          .deniability_words = static_cast<std::size_t>(std::clamp(500 / slower, 20.0, 500.0))};
}

Effort effort_of(const AuditRequest& request, const Effort& usual) {
  return {.pairs = request.pairs.value_or(usual.pairs),
          .draws = request.draws.value_or(usual.draws),
          .deniability_words = request.deniability_words.value_or(usual.deniability_words)};
}

// Keeps the texts that the model does not have, as the subject is gone when the answer is read.
void keep_texts(AuditAnswer& answer, const AuditFinding& finding, const AuditSubject& subject) {
  std::vector<AuditWord> named = {finding.pair.first, finding.pair.second, finding.pair.exact_output,
                                  finding.event.likelier, finding.event.other};
  const auto& outputs = finding.event.outputs;
  named.insert(named.end(), outputs.begin(),
               outputs.begin() + static_cast<std::ptrdiff_t>(std::min(kOutputsNamed, outputs.size())));
  for (const AuditWord word : named) {
    if (word >= answer.space->size()) answer.texts.try_emplace(word, subject.text(word));
  }
}

}  // namespace

RandomSource audit_random(const AuditRequest& request, std::uint64_t purpose) {
  return request.seed_not_private ? RandomSource::seeded_not_private(*request.seed_not_private * 4 + purpose)
                                  : RandomSource::fresh();
}

std::vector<AuditPair> choose_pairs(const AuditRequest& request, const AuditClaim& claim, PairChoice choice) {
  const Lookup lookup(request.model);
  for (const std::string& text : request.given_pairs) choice.given.push_back(parse_pair(text, lookup));
  Rng rng = audit_random(request, 0).stream(0);
  return choose_audit_pairs(claim, choice, rng);
}

void run_audit(AuditAnswer& answer, AuditSubject& subject, const std::vector<AuditPair>& pairs,
               const AuditOptions& given) {
  if (pairs.empty()) {
    throw Error(ErrorCode::usage, "there is no pair of words to audit; give `pairs` or `pair`");
  }
  AuditOptions options = given;
  options.distance = [space = answer.space](AuditWord output, AuditWord word) {
    if (output >= space->size() || word >= space->size()) return std::nan("");
    return space->distance(word_id(output), word_id(word));
  };
  answer.result = sotto::audit(subject, pairs, options);
  for (const AuditFinding& finding : answer.result.pairs) keep_texts(answer, finding, subject);
  for (const auto* finding : {&answer.result.witness, &answer.result.strongest}) {
    if (*finding) keep_texts(answer, **finding, subject);
  }
}

namespace {

AuditAnswer audit_mechanism(const AuditRequest& request, CertifiedMechanism built, const Work& work) {
  const Mechanism& mechanism = built.mechanism;
  const Effort effort = effort_of(request, usual_effort(mechanism));
  const AuditClaim claim = audit_claim(mechanism);
  auto pairs = choose_pairs(
      request, claim,
      {.pairs = effort.pairs, .worst = worst_pair(built, work.at("certifying")), .threads = work.threads});
  if (mechanism.token.empty()) add_exact_losses(pairs, *mechanism.words, work.at("certifying"));
  AuditAnswer answer{.subject = setting_text(mechanism),
                     .space = mechanism.space,
                     .claimed_epsilon = claim.epsilon,
                     .draws = effort.draws};
  MechanismSubject subject(*mechanism.words, mechanism.space->model(), audit_random(request, 1));
  run_audit(answer, subject, pairs,
            {.draws = effort.draws, .level = request.level, .work = work.at("auditing")});
  if (effort.deniability_words > 0) {
    answer.deniability = measure_deniability(mechanism, effort.deniability_words, audit_random(request, 2),
                                             work.at("deniability"));
  }
  answer.expected_unchanged = forecast(mechanism, {.threads = work.threads}).unchanged;
  answer.mechanism = std::move(built.mechanism);
  return answer;
}

// Two made-up words; a model that had them would be a strange one, and then others are tried.
AuditPair unknown_pair(ProgramSubject& subject, const Model& model) {
  std::vector<AuditWord> found;
  for (std::size_t i = 0; found.size() < 2; ++i) {
    const std::string text = fmt::format("{}qzx", std::string(1 + i / 26, static_cast<char>('a' + i % 26)));
    if (!model.find(text)) found.push_back(subject.word_of(text));
  }
  return {.first = found[0], .second = found[1], .kind = AuditPair::Kind::unknown};
}

ReplayCheck check_replay(ProgramSubject& subject, const AuditRequest& request) {
  constexpr std::size_t kWords = 10;
  constexpr std::size_t kTimes = 20;
  // Its share of the level: certify/audit.cpp leaves a tenth.
  constexpr double kReplayShare = 0.1;
  Rng rng = audit_random(request, 3).stream(0);
  std::vector<AuditWord> some;
  for (std::size_t i = 0; i < kWords; ++i) {
    some.push_back(static_cast<AuditWord>(uniform_below(rng, request.model->size())));
  }
  std::vector<AuditWord> list;
  for (std::size_t i = 0; i < kTimes; ++i) list.insert(list.end(), some.begin(), some.end());
  const std::vector<AuditWord> first = subject.answers(list);
  const std::vector<AuditWord> second = subject.answers(list);
  const double p = replay_probability(list, first, second);
  return {.lines = list.size(), .probability = p, .repeats = p < kReplayShare * request.level};
}

AuditAnswer audit_program(const AuditRequest& request, const AuditedProgram& audited, const Work& work) {
  const AuditClaim claim = audit_claim(Space::make(request.model, audited.metric), audited.epsilon);
  const Effort effort = effort_of(request, kProgramEffort);
  ProgramSubject subject(audited.program, request.model);
  auto pairs = choose_pairs(request, claim, {.pairs = effort.pairs, .threads = work.threads});
  AuditAnswer answer{.subject = audited.program.command,
                     .space = claim.space,
                     .claimed_epsilon = claim.epsilon,
                     .draws = effort.draws,
                     .replay = check_replay(subject, request)};
  if (!request.known_words_only) pairs.push_back(unknown_pair(subject, *request.model));
  run_audit(answer, subject, pairs,
            {.draws = effort.draws, .level = request.level, .work = work.at("auditing")});
  if (effort.deniability_words > 0) {
    answer.deniability =
        measure_deniability(subject, *request.model, effort.deniability_words, work.at("deniability"));
    answer.expected_unchanged = answer.deniability->overall.unchanged.mean;
  }
  return answer;
}

}  // namespace

AuditedProgram parse_program(OutsideProgram program, ParameterTexts claim) {
  const auto taken = [&](std::string_view name) {
    const auto found = claim.find(name);
    return found == claim.end() ? std::string() : claim.extract(found).mapped();
  };
  const std::string epsilon = taken("epsilon");
  const std::string metric = taken("metric");
  if (!claim.empty()) {
    throw Error(ErrorCode::usage,
                fmt::format("`{}` is a parameter of our mechanisms; with `command` give only "
                            "`epsilon` and `metric`, which say what is claimed",
                            claim.begin()->first));
  }
  if (epsilon.empty()) throw Error(ErrorCode::usage, "`command` needs `epsilon`, the claim to be audited");
  const double value = parse_number("`epsilon`", epsilon, Infinity::refused);
  if (!(value > 0)) throw Error(ErrorCode::usage, fmt::format("`epsilon` {}: it must be above 0", epsilon));
  return {.program = std::move(program),
          .epsilon = value,
          .metric = parse_metric(metric.empty() ? "euclidean" : metric)};
}

AuditAnswer audit(const AuditRequest& request, const Work& work) {
  if (!(request.level > 0 && request.level < 1)) {
    throw Error(ErrorCode::usage,
                fmt::format("`level` {}: it must be above 0 and below 1", number_text(request.level)));
  }
  if (const auto* audited = std::get_if<AuditedProgram>(&request.subject)) {
    return audit_program(request, *audited, work);
  }
  if (request.known_words_only) {
    throw Error(ErrorCode::usage,
                "`known-words-only` is for `command`: a mechanism only sees words of the model");
  }
  if (const auto* built = std::get_if<CertifiedMechanism>(&request.subject)) {
    if (built->mechanism.vectors) return audit_vectors(request, built->mechanism, work);
    return audit_mechanism(request, *built, work);
  }
  const Setting& setting = std::get<Setting>(request.subject);
  if (setting.info->build_vectors != nullptr) {
    const VectorInput input{
        .model = request.model, .domain = VectorInput::Domain::words, .dim = request.model->dim()};
    return audit_vectors(request, build_vector_mechanism(setting, input), work);
  }
  return audit_mechanism(request, build_mechanism(setting, request.model, work.at("calibrating")), work);
}

}  // namespace sotto::api
