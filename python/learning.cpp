#include "learning.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <nlohmann/json.hpp>
#include <tuple>

#include "api/evaluate.h"
#include "api/learn.h"
#include "api/lift.h"
#include "mechanisms.h"
#include "questions.h"
#include "sotto/error.h"
#include "sotto/setting.h"
#include "texts.h"
#include "watch.h"

namespace sotto::python {

using namespace nb::literals;

namespace {

DenseMatrix matrix_of(const Rows& rows) {
  return {.rows = rows.shape(0),
          .columns = rows.shape(1),
          .values = std::vector<double>(rows.data(), rows.data() + rows.size())};
}

nb::object array_of_matrix(DenseMatrix matrix) {
  return array_of(std::move(matrix.values), {matrix.rows, matrix.columns});
}

// How texts are read; the same values as those of the release.
struct Reading {
  std::string anchor;
  bool strip_html = false;
};

api::LearnRequest request_of(const WordBuilt& built, const Reading& reading) {
  return {.mechanism = built.mechanism(),
          .texts = {.anchor = reading.anchor, .strip_html = reading.strip_html}};
}

std::vector<std::uint32_t> numbers_of(const Ids& ids) {
  return {ids.data(), ids.data() + ids.size()};
}

nb::object lift_words(const Rows& features, const WordBuilt& built, nb::handle prior, std::size_t draws,
                      bool by_draws, const Seed& seed, nb::object progress) {
  api::LiftRequest request;
  request.features = matrix_of(features);
  request.adversary = adversary_of(prior, nb::none(), nb::none());
  request.draws = draws;
  request.by_draws = by_draws;
  request.seed_not_private = seed;
  Watch watch(std::move(progress));
  api::LiftAnswer answer =
      watch.run(built.threads, [&](const Work& work) { return api::lift(built.certified, request, work); });
  const api::Json json = to_json(answer);
  return nb::make_tuple(array_of_matrix(std::move(answer.lifted.features)), answer_of("Answer", json));
}

nb::object text_space_of(const WordBuilt& built, nb::handle public_texts, nb::handle released,
                         std::size_t features, double smoothing, const std::string& anchor, bool strip_html,
                         std::size_t draws, const Seed& seed, nb::object progress) {
  const Texts known(public_texts);
  const Texts own(released);
  api::LearnRequest request = request_of(built, {.anchor = anchor, .strip_html = strip_html});
  request.settings.features = features;
  request.settings.smoothing = smoothing;
  request.public_texts = known.views();
  request.lift.draws = draws;
  request.lift.seed_not_private = seed;
  request.seed_not_private = seed;
  Watch watch(std::move(progress));
  api::TextSpaceAnswer answer =
      watch.run(built.threads, [&](const Work& work) { return api::text_space(request, own.views(), work); });
  const std::size_t words = answer.space.shares.size();
  nb::dict out;
  out["public_texts"] = answer.space.public_texts;
  out["exact"] = answer.space.is_exact;
  out["lift_error"] = answer.space.lift_error;
  out["known_share"] = answer.known_share;
  out["warnings"] = answer.warnings;
  out["clean"] = array_of_matrix(std::move(answer.space.clean));
  out["released"] = array_of_matrix(std::move(answer.space.released));
  out["shares"] = array_of(std::move(answer.space.shares), {words});
  return out;
}

nb::object text_means(const WordBuilt& built, nb::handle texts, const Rows& features,
                      const std::string& anchor, bool strip_html) {
  const Texts given(texts);
  const api::LearnRequest request = request_of(built, {.anchor = anchor, .strip_html = strip_html});
  const DenseMatrix words = matrix_of(features);
  if (words.rows != built.mechanism().space->size()) {
    throw Error(ErrorCode::usage, "the model of the mechanism has another number of words than the learner");
  }
  Watch watch(nb::bool_(false));
  return array_of_matrix(watch.run(built.threads, [&](const Work& work) {
    return product(mean_counts(api::tokens_of(request, given.views(), work), words.rows), words,
                   work.threads);
  }));
}

nb::object fit_texts(const WordBuilt& built, const Rows& clean, const Rows& released, nb::handle texts,
                     const Ids& labels, std::size_t classes, double penalty, const std::string& anchor,
                     bool strip_html, nb::object progress) {
  const Texts given(texts);
  const std::vector<std::uint32_t> numbers = numbers_of(labels);
  const TextLabels own{.of = numbers, .classes = classes};
  api::check_labels(given.views().size(), own);
  const api::LearnRequest request = request_of(built, {.anchor = anchor, .strip_html = strip_html});
  const TextSpace space{.clean = matrix_of(clean), .released = matrix_of(released), .shares = {}};
  Watch watch(std::move(progress));
  TextModel model = watch.run(built.threads, [&](const Work& work) {
    const TokenLists tokens = api::tokens_of(request, given.views(), work.at("reading"));
    return fit_text_model(space, tokens, own, penalty, work.at("learning").threads);
  });
  const std::size_t outputs = model.intercepts.size();
  return nb::make_tuple(array_of_matrix(std::move(model.clean)), array_of_matrix(std::move(model.released)),
                        array_of(std::move(model.intercepts), {outputs}));
}

using SettingTuple = std::tuple<std::size_t, double, double>;

nb::object rehearse_texts(const WordBuilt& built, nb::handle public_texts, const Ids& labels,
                          std::size_t classes, const std::vector<SettingTuple>& settings,
                          const std::string& anchor, bool strip_html, std::size_t draws, const Seed& seed,
                          nb::object progress) {
  const Texts known(public_texts);
  const std::vector<std::uint32_t> numbers = numbers_of(labels);
  api::LearnRequest request = request_of(built, {.anchor = anchor, .strip_html = strip_html});
  request.public_texts = known.views();
  request.lift.draws = draws;
  request.lift.seed_not_private = seed;
  request.seed_not_private = seed;
  std::vector<LearnSettings> tried;
  for (const auto& [features, smoothing, penalty] : settings) {
    tried.push_back({.features = features, .smoothing = smoothing, .penalty = penalty});
  }
  if (tried.empty()) tried = usual_settings();
  Watch watch(std::move(progress));
  return answer_of("Answer", to_json(watch.run(built.threads, [&](const Work& work) {
                     return api::rehearse(request, {.of = numbers, .classes = classes}, tried, work);
                   })));
}

std::vector<std::string> strings_of(const Texts& texts) {
  return {texts.views().begin(), texts.views().end()};
}

nb::object evaluate_texts(const Vocabulary& vocabulary, const std::string& mechanism,
                          const std::vector<nb::dict>& settings, nb::handle texts, nb::handle labels,
                          nb::handle public_texts, std::size_t draws, double test_share, double max_drop,
                          const std::string& anchor, bool strip_html, unsigned threads, const Seed& seed,
                          nb::object progress) {
  api::EvaluateRequest request;
  request.model = vocabulary.model;
  Watch watch(std::move(progress));
  for (const nb::dict& one : settings) {
    const ParameterTexts given = parameter_texts(one);
    request.settings.push_back(watch.run(threads, [&](const Work& work) {
      return sotto::chosen_setting(
          mechanism, given, [&] { return vocabulary.model; }, work);
    }));
  }
  request.data = {.texts = strings_of(Texts(texts)), .labels = strings_of(Texts(labels))};
  request.public_texts = strings_of(Texts(public_texts));
  request.texts = {.anchor = anchor, .strip_html = strip_html};
  request.draws = draws;
  request.test_share = test_share;
  request.max_drop = max_drop;
  request.seed_not_private = seed;
  return answer_of(
      "Answer", to_json(watch.run(threads, [&](const Work& work) { return api::evaluate(request, work); })));
}

}  // namespace

void bind_learning(nb::module_& m) {
  m.def("_lift", &lift_words, "features"_a, "mechanism"_a, "prior"_a.none(), "draws"_a, "by_draws"_a,
        "seed_not_private"_a.none(), "progress"_a.none(),
        nb::sig("def _lift(features: NDArray[numpy.float64], mechanism: Mechanism, prior: Prior, draws: int, "
                "by_draws: bool, seed_not_private: int | None, progress: Progress) -> "
                "tuple[NDArray[numpy.float64], Answer]"));
  m.def("_text_space", &text_space_of, "mechanism"_a, "public_texts"_a, "released"_a, "features"_a,
        "smoothing"_a, "anchor"_a, "strip_html"_a, "draws"_a, "seed_not_private"_a.none(),
        "progress"_a.none(),
        nb::sig("def _text_space(mechanism: Mechanism, public_texts: Sequence[str], released: "
                "Sequence[str], features: int, smoothing: float, anchor: str, strip_html: bool, draws: int, "
                "seed_not_private: int | None, progress: Progress) -> dict[str, Any]"));
  m.def("_text_means", &text_means, "mechanism"_a, "texts"_a, "features"_a, "anchor"_a, "strip_html"_a,
        nb::sig("def _text_means(mechanism: Mechanism, texts: Sequence[str], features: "
                "NDArray[numpy.float64], anchor: str, strip_html: bool) -> NDArray[numpy.float64]"));
  m.def("_fit_texts", &fit_texts, "mechanism"_a, "clean"_a, "released"_a, "texts"_a, "labels"_a, "classes"_a,
        "penalty"_a, "anchor"_a, "strip_html"_a, "progress"_a.none(),
        nb::sig("def _fit_texts(mechanism: Mechanism, clean: NDArray[numpy.float64], released: "
                "NDArray[numpy.float64], texts: Sequence[str], labels: NDArray[numpy.uint32], classes: int, "
                "penalty: float, anchor: str, strip_html: bool, progress: Progress) -> "
                "tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]"));
  m.def("_rehearse", &rehearse_texts, "mechanism"_a, "public_texts"_a, "labels"_a, "classes"_a, "settings"_a,
        "anchor"_a, "strip_html"_a, "draws"_a, "seed_not_private"_a.none(), "progress"_a.none(),
        nb::sig("def _rehearse(mechanism: Mechanism, public_texts: Sequence[str], labels: "
                "NDArray[numpy.uint32], classes: int, settings: Sequence[tuple[int, float, float]], anchor: "
                "str, strip_html: bool, draws: int, seed_not_private: int | None, progress: Progress) -> "
                "Answer"));
  m.def(
      "_evaluate", &evaluate_texts, "model"_a, "mechanism"_a, "settings"_a, "texts"_a, "labels"_a,
      "public_texts"_a, "draws"_a, "test_share"_a, "max_drop"_a, "anchor"_a, "strip_html"_a, "threads"_a,
      "seed_not_private"_a.none(), "progress"_a.none(),
      nb::sig("def _evaluate(model: Model, mechanism: str, settings: Sequence[dict[str, Any]], texts: "
              "Sequence[str], labels: Sequence[str], public_texts: Sequence[str], draws: int, test_share: "
              "float, max_drop: float, anchor: str, strip_html: bool, threads: int, seed_not_private: int | "
              "None, progress: Progress) -> Answer"));
}

}  // namespace sotto::python
