#include "questions.h"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include <nlohmann/json.hpp>

#include "api/audit.h"
#include "api/certify.h"
#include "api/explain.h"
#include "api/measure.h"
#include "api/mechanisms.h"
#include "api/models.h"
#include "api/tune.h"
#include "api/verify.h"
#include "core/sha256.h"
#include "sotto/error.h"
#include "texts.h"
#include "watch.h"

namespace sotto::python {

namespace {

// The JSON of an answer as an object of the class `name`.
nb::object answer_of(const char* name, const api::Json& json) {
  const nb::object made = nb::module_::import_("sotto._answers").attr(name);
  return made.attr("from_json")(str_of(api::json_text(json)));
}

// The fault names what was given, never the text.
std::string text_of(nb::handle text, std::string_view what) {
  if (!PyUnicode_Check(text.ptr())) {
    throw nb::type_error(
        fmt::format("{}: str is expected, not {}", what, Py_TYPE(text.ptr())->tp_name).c_str());
  }
  return std::string(view_of(text, what));
}

bool is_mapping(nb::handle given) {
  return PyMapping_Check(given.ptr()) != 0 && nb::hasattr(given, "items");
}

api::AdversaryRequest request_of(const AdversaryArguments& given) {
  api::AdversaryRequest request;
  if (is_mapping(given.prior)) {
    auto& weights = request.prior.emplace<std::vector<WordWeight>>();
    for (nb::handle item : nb::iter(given.prior.attr("items")())) {
      weights.push_back(
          {.word = text_of(item[0], "a word of the prior"), .weight = nb::cast<double>(item[1])});
    }
  } else if (!given.prior.is_none()) {
    request.prior = text_of(given.prior, "prior");
  }
  if (!given.words.is_none()) {
    auto& words = request.words.emplace<std::vector<std::string>>();
    for (nb::handle word : nb::iter(given.words)) words.push_back(text_of(word, "a word of words"));
  }
  if (is_mapping(given.labels)) {
    auto& labels = request.labels.emplace<std::vector<WordLabel>>();
    for (nb::handle item : nb::iter(given.labels.attr("items")())) {
      labels.push_back({.word = text_of(item[0], "a word of labels"), .label = text_of(item[1], "a label")});
    }
  } else if (!given.labels.is_none()) {
    request.labels = nb::cast<std::filesystem::path>(given.labels);
  }
  return request;
}

}  // namespace

nb::object certify_built(Built& built, bool again, bool verify, nb::object progress) {
  if (built.answer.is_valid() && !again && !verify) return built.answer;
  if (built.vocabulary.is_none()) {
    throw Error(ErrorCode::usage,
                "a certificate is about the words of a model: build the mechanism with `model`");
  }
  Watch watch(std::move(progress));
  const api::CertifyAnswer answer = watch.run(built.threads, [&](const Work& work) {
    CertifiedMechanism known = built.certified;
    if (again) {
      known.certificate = certify_again(known.mechanism, work.at("certifying"));
      known.source = CertificateSource::computed;
    }
    return api::certify(std::move(known),
                        {.model = built.words().model, .verify = verify, .may_sample = false}, work);
  });
  built.certified.certificate = answer.certificate;
  built.certified.source = answer.source;
  nb::object made = answer_of("Certificate", to_json(answer));
  if (!verify) built.answer = made;
  return made;
}

nb::object certificate_of(Built& built) {
  return built.certified.certificate ? certify_built(built, false, false, nb::bool_(false)) : nb::none();
}

nb::object explain_word(nb::handle word, const WordBuilt& built, const std::string& unknown_word,
                        std::size_t top, std::size_t draws, nb::object progress) {
  api::ExplainRequest request;
  request.model = built.words().model;
  request.word = text_of(word, "the word");
  request.unknown_word = unknown_word;
  request.top = top;
  request.draws = draws;
  Watch watch(std::move(progress));
  return answer_of("Answer", to_json(watch.run(built.threads, [&](const Work& work) {
                     return api::explain(built.certified, request, work);
                   })));
}

nb::object audit_built(const WordBuilt& built, const AuditArguments& arguments, nb::object progress) {
  api::AuditRequest request{.model = built.words().model,
                            .subject = built.certified,
                            .pairs = arguments.pairs,
                            .draws = arguments.draws,
                            .deniability_words = arguments.deniability,
                            .level = arguments.level,
                            .seed_not_private = arguments.seed};
  for (const auto& [first, second] : arguments.pair) request.given_pairs.push_back(first + "," + second);
  Watch watch(std::move(progress));
  return answer_of("Answer", to_json(watch.run(built.threads,
                                               [&](const Work& work) { return api::audit(request, work); })));
}

nb::object measure_built(const WordBuilt& built, const AdversaryArguments& adversary,
                         const MeasureArguments& arguments, nb::object progress) {
  api::MeasureRequest request;
  request.adversary = request_of(adversary);
  request.copies = arguments.copies;
  request.draws = arguments.draws;
  request.by_draws = arguments.by_draws;
  request.seed_not_private = arguments.seed;
  Watch watch(std::move(progress));
  return answer_of("Measurement", to_json(watch.run(built.threads, [&](const Work& work) {
                     return api::measure(built.certified, request, work);
                   })));
}

nb::object tune_model(const Vocabulary& vocabulary, const AdversaryArguments& adversary,
                      const TuneArguments& arguments, nb::object progress) {
  api::TuneRequest request{
      .model = vocabulary.model,
      .adversary = request_of(adversary),
      .constraints = {.max_loss = arguments.max_loss,
                      .min_inference_error = arguments.min_inference_error,
                      .max_certified_epsilon = arguments.max_certified_epsilon},
      .scope = {.mechanisms = arguments.mechanisms, .calibrations = arguments.calibrations},
      .draws = arguments.draws,
      .seed = arguments.seed,
      .resume = arguments.resume};
  if (!arguments.loss.empty()) request.loss = parse_loss(arguments.loss);
  std::vector<Candidate> candidates;
  for (nb::handle one : nb::iter(arguments.candidates)) {
    candidates.push_back({.mechanism = nb::cast<std::string>(one[0]), .parameters = parameter_texts(one[1])});
  }
  request.candidates = std::move(candidates);
  Watch watch(std::move(progress));
  return answer_of("TuneAnswer", to_json(watch.run(arguments.threads, [&](const Work& work) {
                     return api::tune(request, work.at("tuning"));
                   })));
}

nb::object verify_report(nb::handle report, const Vocabulary& vocabulary,
                         const std::vector<std::filesystem::path>& released, nb::object progress) {
  api::VerifyRequest request{.model = vocabulary.model, .report = {}};
  std::filesystem::path path;
  if (PyUnicode_Check(report.ptr())) {
    request.report = text_of(report, "the report");
  } else if (is_mapping(report)) {
    request.report = nb::cast<std::string>(nb::module_::import_("json").attr("dumps")(report));
  } else {
    path = nb::cast<std::filesystem::path>(report);
  }
  Watch watch(std::move(progress));
  return answer_of("Answer", to_json(watch.run(0, [&](const Work& work) {
                     if (!path.empty()) request.report = api::read_report(path);
                     for (const auto& file : released) request.released.push_back(sha256_of_file(file));
                     return api::verify(request, work);
                   })));
}

nb::object info_of(const Vocabulary& vocabulary, bool verify) {
  return answer_of("Answer", to_json(api::model_info({.model = vocabulary.model, .verify = verify})));
}

nb::object list_mechanisms(const std::string& name) {
  return answer_of("Registry", to_json(api::list_mechanisms({.name = name}))).attr("mechanisms");
}

}  // namespace sotto::python
