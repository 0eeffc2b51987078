#pragma once
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "answers.h"
#include "objects.h"
#include "questions.h"
#include "watch.h"

// What mechanisms are asked: laws, samples, certificates, measurements, the best setting.
namespace sotto::python {

inline nb::object answer(const char* function, nb::handle argument) {
  return nb::module_::import_("sotto._answers").attr(function)(argument);
}

inline nb::object certificate_of(const Built& built) {
  const auto& certificate = built.certified.certificate;
  return certificate ? answer("certificate", dict_of(*certificate, built.model())) : nb::none();
}

inline nb::object certify_built(Built& built, bool again, nb::object progress) {
  if (!built.certified.certificate || again) {
    Watch watch(std::move(progress), "certifying");
    auto found =
        watch.run(built.threads, [&](const Work& work) { return certify_again(built.mechanism(), work); });
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

inline std::vector<double> log_law_of(const Built& built, nb::handle word) {
  const WordId id = built.words().known(word);
  const nb::gil_scoped_release released;
  std::optional<std::vector<double>> law = built.mechanism().words->log_law(id);
  if (!law) {
    throw Error(ErrorCode::usage, fmt::format("{} has no closed law; sample([word] * n) draws from it",
                                              built.mechanism().info->name));
  }
  return std::move(*law);
}

enum class Scale { logarithm, probability };
inline nb::object law_of(const Built& built, nb::handle word, Scale scale) {
  std::vector<double> law = log_law_of(built, word);
  const std::string& token = built.mechanism().token;
  if (!token.empty()) law = {0.0};
  if (scale == Scale::probability) {
    for (double& value : law) value = std::exp(value);
  }
  const std::size_t size = law.size();
  nb::object values = array_of(std::move(law), {size});
  if (scale == Scale::logarithm) return values;
  nb::object words = token.empty() ? nb::cast<Vocabulary&>(built.vocabulary).all_words()
                                   : nb::object(nb::make_tuple(str_of(token)));
  return nb::module_::import_("sotto._answers").attr("Law")(words, values);
}

inline nb::object sample_of(const Built& built, nb::handle given, const Seed& seed) {
  const Vocabulary& vocabulary = built.words();
  Ids ids;
  if (nb::try_cast<Ids>(given, ids, false)) {
    std::vector<WordId> in(ids.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (ids(i) >= vocabulary.model->size()) {
        throw Error(ErrorCode::bad_data,
                    fmt::format("id {} (counted from 0) is no word of the model, which has {}", i,
                                vocabulary.model->size()));
      }
      in[i] = word_id(ids(i));
    }
    const std::vector<WordId> drawn = sample(built, in, seed);
    std::vector<std::uint32_t> out(drawn.size());
    std::ranges::transform(drawn, out.begin(), [](WordId id) { return static_cast<std::uint32_t>(id); });
    return array_of(std::move(out), {drawn.size()});
  }
  if (PyUnicode_Check(given.ptr()) || nb::hasattr(given, "dtype")) {
    throw nb::type_error(
        "sample takes a list of words, or a one-dimensional array of uint32 with their numbers");
  }
  std::vector<WordId> in;
  const Lookup lookup(vocabulary.model);
  for (nb::handle word : nb::iter(given)) {
    if (!PyUnicode_Check(word.ptr())) throw nb::type_error("sample takes a list of str");
    const auto found = lookup.find(view_of(word, "a word"));
    if (!found) {
      throw nb::key_error(fmt::format("word {} (counted from 0) is not in the model", in.size()).c_str());
    }
    in.push_back(*found);
  }
  nb::list out;
  for (const WordId id : sample(built, in, seed)) out.append(str_of(built.mechanism().text_of(id)));
  return out;
}

inline nb::tuple reduce_words(const Built& built) {
  return nb::make_tuple(nb::module_::import_("sotto._pickling").attr("rebuild"),
                        nb::make_tuple(built.name, built.vocabulary, dict_of(built.texts), built.threads));
}

inline nb::tuple reduce_vectors(const Built& built) {
  return nb::make_tuple(nb::module_::import_("sotto._pickling").attr("rebuild_vectors"),
                        nb::make_tuple(built.name, built.vocabulary, built.mechanism().vectors->input_dim(),
                                       dict_of(built.texts), built.threads));
}

inline nb::dict measure_words(const WordBuilt& built, nb::handle prior, nb::handle words, nb::handle labels,
                              std::size_t copies, std::size_t draws, bool by_draws, const Seed& seed,
                              nb::object progress) {
  const SharedModel& model = built.words().model;
  MeasureRequest request{.prior = chosen_prior(prior, words, model), .labels = labels_of(labels, model)};
  request.copies = copies;
  request.draws = draws;
  if (by_draws) request.method = MeasureRequest::Method::samples;
  request.seed_not_private = seed;
  Watch watch(std::move(progress), "measuring");
  const Measurement measurement =
      watch.run(built.threads, [&](const Work& work) { return measure(built.mechanism(), request, work); });
  return dict_of(measurement, request.prior);
}

inline std::vector<Candidate> candidates_of(nb::handle given) {
  std::vector<Candidate> out;
  for (nb::handle one : nb::iter(given)) {
    out.push_back({.mechanism = nb::cast<std::string>(one[0]), .parameters = parameter_texts(one[1])});
  }
  return out;
}

// `options`: everything else, as sotto/_analysis.py puts it together.
inline nb::dict tune_model(const Vocabulary& vocabulary, const nb::dict& options, nb::object progress) {
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
  Watch watch(std::move(progress), "tuning");
  const TuneAnswer found = watch.run(nb::cast<unsigned>(options["threads"]), [&](const Work& work) {
    return candidates.empty() ? tune(bench, scope, constraints, store.get(), work)
                              : tune_candidates(bench, candidates, constraints, store.get(), work);
  });
  return dict_of(found, bench.question(), constraints);
}

}  // namespace sotto::python
