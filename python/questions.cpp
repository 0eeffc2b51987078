#include "questions.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "answers.h"
#include "api/mechanisms.h"
#include "api/models.h"
#include "api/verify.h"
#include "core/byte_stream.h"
#include "core/sha256.h"
#include "measure/labels.h"
#include "measure/prior.h"
#include "sotto/error.h"
#include "texts.h"
#include "tune/point.h"
#include "watch.h"

namespace sotto::python {

namespace {

// The JSON of an answer as an object of the class `name`.
nb::object answer_of(const char* name, const api::Json& json) {
  const nb::object made = nb::module_::import_("sotto._answers").attr(name);
  return made.attr("from_json")(str_of(api::json_text(json)));
}

using SharedModel = std::shared_ptr<const Model>;

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

// "rank", "uniform", "counts:FILE", "corpus:FILE", or a mapping of words to weights.
Prior prior_of(nb::handle given, const SharedModel& model) {
  if (is_mapping(given)) {
    std::vector<WordWeight> weights;
    for (nb::handle item : nb::iter(given.attr("items")())) {
      weights.push_back(
          {.word = text_of(item[0], "a word of the prior"), .weight = nb::cast<double>(item[1])});
    }
    return weighted_prior(model, weights);
  }
  const std::string text = PyUnicode_Check(given.ptr()) ? nb::str(given).c_str() : "";
  if (std::optional<Prior> prior = named_prior(model, text)) return std::move(*prior);
  throw Error(
      ErrorCode::usage,
      "prior: it must be 'rank', 'uniform', 'counts:FILE', 'corpus:FILE' or a mapping of words to weights");
}

// `words`: None, or the only words that occur; then the default prior is uniform, as with the program's
// --words.
Prior chosen_prior(nb::handle given, nb::handle words, const SharedModel& model) {
  Prior prior = given.is_none() ? (words.is_none() ? frequency_rank_prior(*model) : uniform_prior(*model))
                                : prior_of(given, model);
  if (words.is_none()) return prior;
  std::vector<std::string> given_words;
  for (nb::handle word : nb::iter(words)) given_words.push_back(text_of(word, "a word of words"));
  return restricted(prior, word_list(model, given_words));
}

// None, a mapping of words to labels, or the name of a file with two columns.
std::optional<Labels> labels_of(nb::handle given, const SharedModel& model) {
  if (given.is_none()) return std::nullopt;
  if (is_mapping(given)) {
    std::vector<WordLabel> pairs;
    for (nb::handle item : nb::iter(given.attr("items")())) {
      pairs.push_back({.word = text_of(item[0], "a word of labels"), .label = text_of(item[1], "a label")});
    }
    return sotto::labels_of(model, pairs);
  }
  return read_labels(model, *open_source(nb::str(given).c_str()));
}

UtilityLoss loss_of(const std::string& given, const std::optional<Labels>& labels) {
  if (given.empty()) return labels ? UtilityLoss::label : UtilityLoss::changed;
  for (const UtilityLoss loss :
       {UtilityLoss::changed, UtilityLoss::distance, UtilityLoss::label, UtilityLoss::flip}) {
    if (loss_name(loss) != given) continue;
    if (!labels && (loss == UtilityLoss::label || loss == UtilityLoss::flip)) {
      throw Error(ErrorCode::usage, fmt::format("loss {} needs labels", given));
    }
    return loss;
  }
  throw Error(ErrorCode::usage, fmt::format("loss {}: it must be changed, distance, label or flip", given));
}

std::vector<Candidate> candidates_of(nb::handle given) {
  std::vector<Candidate> out;
  for (nb::handle one : nb::iter(given)) {
    out.push_back({.mechanism = nb::cast<std::string>(one[0]), .parameters = parameter_texts(one[1])});
  }
  return out;
}

}  // namespace

nb::object certificate_of(const Built& built) {
  const auto& certificate = built.certified.certificate;
  if (!certificate) return nb::none();
  return nb::module_::import_("sotto._answers").attr("Certificate")(dict_of(*certificate, built.model()));
}

nb::object certify_built(Built& built, bool again, nb::object progress) {
  if (!built.certified.certificate || again) {
    Watch watch(std::move(progress));
    auto found = watch.run(built.threads, [&](const Work& work) {
      return certify_again(built.mechanism(), work.at("certifying"));
    });
    if (!found) {
      throw Error(
          ErrorCode::usage,
          fmt::format(
              "no certificate of {} can be computed on this model: it takes a known law, and up to {} "
              "words but for tem and hyperbolic; `sotto audit` draws instead",
              built.mechanism().info->name, kGeneralLimit));
    }
    built.certified.certificate = std::move(found);
  }
  return certificate_of(built);
}

nb::dict measure_words(const WordBuilt& built, nb::handle prior, nb::handle words, nb::handle labels,
                       std::size_t copies, std::size_t draws, bool by_draws, const Seed& seed,
                       nb::object progress) {
  const SharedModel& model = built.words().model;
  MeasureQuestion request{.prior = chosen_prior(prior, words, model), .labels = labels_of(labels, model)};
  request.copies = copies;
  request.draws = draws;
  if (by_draws) request.method = MeasureQuestion::Method::samples;
  request.seed_not_private = seed;
  Watch watch(std::move(progress));
  const Measurement measurement = watch.run(built.threads, [&](const Work& work) {
    return measure(built.mechanism(), request, work.at("measuring"));
  });
  return dict_of(measurement, request.prior);
}

nb::dict tune_model(const Vocabulary& vocabulary, const nb::dict& options, nb::object progress) {
  const auto text = [&](const char* key) { return nb::cast<std::string>(options[key]); };
  const auto texts = [&](const char* key) { return nb::cast<std::vector<std::string>>(options[key]); };
  const auto number = [&](const char* key) { return nb::cast<std::optional<double>>(options[key]); };
  const SharedModel& model = vocabulary.model;
  TuneQuestion question{.prior = chosen_prior(options["prior"], options["words"], model),
                        .labels = labels_of(options["labels"], model)};
  question.loss = loss_of(text("loss"), question.labels);
  question.draws = nb::cast<std::size_t>(options["draws"]);
  question.seed = nb::cast<std::uint64_t>(options["seed"]);
  const Constraints constraints{.max_loss = number("max_loss"),
                                .min_inference_error = number("min_inference_error"),
                                .max_certified_epsilon = number("max_certified_epsilon")};
  const std::vector<Candidate> candidates = candidates_of(options["candidates"]);
  const TuneScope scope{.mechanisms = texts("mechanisms"), .calibrations = texts("calibrations")};
  const std::string resume = text("resume");
  TuneBench bench(model, std::move(question));
  std::unique_ptr<TuneStore> store;
  if (!resume.empty()) store = std::make_unique<TuneStore>(resume, bench);
  Watch watch(std::move(progress));
  const TuneResult found = watch.run(nb::cast<unsigned>(options["threads"]), [&](const Work& given) {
    const Work& work = given.at("tuning");
    return candidates.empty() ? tune(bench, scope, constraints, store.get(), work)
                              : tune_candidates(bench, candidates, constraints, store.get(), work);
  });
  return dict_of(found, bench.question(), constraints);
}

nb::object verify_report(const std::string& report, const Vocabulary& vocabulary,
                         const std::vector<std::filesystem::path>& released, nb::object progress) {
  api::VerifyRequest request{.model = vocabulary.model, .report = report};
  Watch watch(std::move(progress));
  return answer_of("Answer", to_json(watch.run(0, [&](const Work& work) {
                     for (const auto& path : released) request.released.push_back(sha256_of_file(path));
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
