#include "mechanisms.h"

#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "api/vectors.h"
#include "core/parallel.h"
#include "sotto/error.h"
#include "sotto/setting.h"
#include "terms.h"
#include "text/lookup.h"
#include "texts.h"
#include "watch.h"

namespace sotto::python {

namespace {

// Throws KeyError for a name that is not in the registry.
void check_name(const std::string& name) {
  try {
    (void)find_mechanism(name);
  } catch (const Error& error) {
    throw nb::key_error(with_keywords(error.what()).c_str());
  }
}

constexpr std::size_t kSampleBlock = 4096;

// One random stream a block, so that a seeded call does not depend on the number of threads.
std::vector<WordId> sample(const Built& built, std::span<const WordId> in, const Seed& seed) {
  std::vector<WordId> out(in.size());
  Watch watch(nb::bool_(false));
  const auto draw = [&](const Work& work) {
    const RandomSource random = RandomSource::fresh_or_seeded_not_private(seed);
    parallel_blocks(in.size(), kSampleBlock, work.threads, [&](std::size_t begin, std::size_t end) {
      Rng rng = random.stream(begin / kSampleBlock);
      built.mechanism().words->sample_batch(in.subspan(begin, end - begin),
                                            std::span(out).subspan(begin, end - begin), rng);
    });
  };
  if (in.size() <= kSampleBlock) {
    const nb::gil_scoped_release released;
    draw({.threads = 1});
  } else {
    watch.run(built.threads, draw);
  }
  return out;
}

std::vector<double> release(const Built& built, const Rows& rows, const Seed& seed) {
  const api::VectorRelease vectors({.mechanism = built.mechanism(), .seed_not_private = seed});
  Watch watch(nb::bool_(false));
  return watch.run(built.threads, [&](const Work& work) {
    return vectors.array({.values = {rows.data(), rows.size()}, .columns = rows.shape(1)}, work);
  });
}

using Numbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A matrix of scipy.sparse, whatever its form.
nb::object release_sparse(const Built& built, nb::handle given, const Seed& seed) {
  const nb::object rows = given.attr("tocsr")();
  const auto starts = nb::cast<Numbers>(rows.attr("indptr").attr("astype")("int64"));
  const auto places = nb::cast<Numbers>(rows.attr("indices").attr("astype")("int64"));
  const auto values = nb::cast<Values>(rows.attr("data").attr("astype")("float64"));
  const auto shape = nb::cast<std::pair<std::size_t, std::size_t>>(rows.attr("shape"));
  const api::VectorRelease vectors({.mechanism = built.mechanism(), .seed_not_private = seed});
  Watch watch(nb::bool_(false));
  std::vector<double> released = watch.run(built.threads, [&](const Work& work) {
    return vectors.sparse_array({.starts = {starts.data(), starts.size()},
                                 .places = {places.data(), places.size()},
                                 .values = {values.data(), values.size()},
                                 .columns = shape.second},
                                work);
  });
  return array_of(std::move(released), {shape.first, built.mechanism().vectors->output_dim()});
}

std::vector<double> log_law_of(const Built& built, nb::handle word) {
  const WordId id = built.words().known(word);
  const nb::gil_scoped_release released;
  std::optional<std::vector<double>> law = built.mechanism().words->log_law(id);
  if (!law) {
    throw Error(ErrorCode::usage, fmt::format("{} has no closed law; sample([word] * n) draws from it",
                                              built.mechanism().info->name));
  }
  return std::move(*law);
}

}  // namespace

WordBuilt build_words(const std::string& name, const nb::object& vocabulary, const ParameterTexts& texts,
                      unsigned threads, nb::object progress) {
  check_name(name);
  const std::shared_ptr<const Model> model = checked<Vocabulary>(vocabulary, "a sotto.Model").model;
  Watch watch(std::move(progress));
  CertifiedMechanism built = watch.run(threads, [&](const Work& work) {
    const Setting setting = sotto::chosen_setting(
        name, texts, [&] { return model; }, work);
    return build_mechanism(setting, model, work.at("calibrating"));
  });
  return {{vocabulary, threads, std::move(built)}};
}

void refuse_rest(const nb::args& rest, const char* takes) {
  if (rest.size() != 0) throw nb::type_error(takes);
}

void check_name_and_model(nb::handle name, nb::handle model) {
  if (nb::isinstance<Vocabulary>(name)) {
    throw nb::type_error("Mechanism() takes the name first: Mechanism('tem', model, epsilon=2)");
  }
  if (name.is_none()) {
    throw nb::type_error("Mechanism() needs a name, such as 'tem'; sotto.mechanisms() lists them");
  }
  if (!PyUnicode_Check(name.ptr())) {
    throw nb::type_error(
        fmt::format("Mechanism(): the name is a str, not {}", Py_TYPE(name.ptr())->tp_name).c_str());
  }
  if (model.is_none()) {
    throw nb::type_error("Mechanism() needs `model=`: sotto.Model.default(), or sotto.Model.open(path)");
  }
  if (PyUnicode_Check(model.ptr()) || nb::hasattr(model, "__fspath__")) {
    throw nb::type_error("Mechanism(): `model=` is a sotto.Model, not a path: sotto.Model.open(path)");
  }
  (void)checked<Vocabulary>(model, "Mechanism(): `model=`: a sotto.Model");
}

WordBuilt own_law(nb::object vocabulary, nb::handle law, std::optional<double> epsilon,
                  const std::string& metric, unsigned threads, nb::object progress) {
  const std::shared_ptr<const Model> model = checked<Vocabulary>(vocabulary, "a sotto.Model").model;
  OwnLaw own{.probabilities = {}, .metric = parse_metric(metric), .epsilon = epsilon};
  if (model->size() > kMostOwnLawWords) (void)mechanism_from_law(model, own);  // says why not
  nb::object table = nb::module_::import_("sotto._law").attr("table")(vocabulary, law);
  const auto rows = nb::cast<Rows>(table);
  own.probabilities = {rows.data(), rows.size()};
  Watch watch(std::move(progress));
  CertifiedMechanism built =
      watch.run(threads, [&](const Work& work) { return mechanism_from_law(model, own, work); });
  return {{vocabulary, threads, std::move(built)}, table};
}

VectorBuilt build_vectors(const std::string& name, const nb::object& vocabulary, std::size_t dim,
                          const ParameterTexts& texts, unsigned threads) {
  check_name(name);
  const Setting setting = sotto::chosen_setting(name, texts, {}, {.threads = threads});
  VectorInput input{.domain = VectorInput::Domain::free, .dim = dim};
  if (!vocabulary.is_none()) {
    input.model = checked<Vocabulary>(vocabulary, "a sotto.Model").model;
    if (dim == 0) input.dim = input.model->dim();
  }
  if (input.dim == 0) {
    throw Error(
        ErrorCode::usage,
        "the dimension of the vectors is not known: give `dimension_in`, or the `model` that they come from");
  }
  CertifiedMechanism built;
  {
    const nb::gil_scoped_release released;
    built.mechanism = build_vector_mechanism(setting, input);
  }
  return {{vocabulary, threads, std::move(built)}};
}

nb::object law_of(const Built& built, nb::handle word, Scale scale) {
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

nb::object sample_of(const Built& built, nb::handle given, const Seed& seed) {
  const Vocabulary& vocabulary = built.words();
  Ids ids;
  if (nb::try_cast<Ids>(given, ids, false)) {
    std::vector<WordId> in(ids.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (ids(i) >= vocabulary.model->size()) {
        throw Error(ErrorCode::bad_data, fmt::format("entry {} of the ids (counted from 0) is too large: the "
                                                     "model has {} words, and their ids start at 0",
                                                     i, vocabulary.model->size()));
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

nb::object release_of(const Built& built, nb::handle given, const Seed& seed) {
  if (nb::hasattr(given, "tocsr")) return release_sparse(built, given, seed);
  const auto rows = argument<Rows>(
      given, "release(): X is a two-dimensional array of numbers, or a matrix of scipy.sparse");
  return array_of(release(built, rows, seed), {rows.shape(0), built.mechanism().vectors->output_dim()});
}

nb::tuple reduce_words(const WordBuilt& built) {
  const nb::module_ pickling = nb::module_::import_("sotto._pickling");
  if (built.table.is_valid()) {
    const Parameters& parameters = built.mechanism().parameters;
    const nb::object claimed =
        parameters.has("epsilon") ? nb::object(nb::float_(parameters.number("epsilon"))) : nb::none();
    return nb::make_tuple(
        pickling.attr("rebuild_law"),
        nb::make_tuple(built.vocabulary, built.table, claimed, parameters.text("metric"), built.threads));
  }
  return nb::make_tuple(pickling.attr("rebuild"),
                        nb::make_tuple(std::string(built.mechanism().info->name), built.vocabulary,
                                       dict_of(built.mechanism().parameters.texts()), built.threads));
}

nb::tuple reduce_vectors(const Built& built) {
  return nb::make_tuple(nb::module_::import_("sotto._pickling").attr("rebuild_vectors"),
                        nb::make_tuple(std::string(built.mechanism().info->name), built.vocabulary,
                                       built.mechanism().vectors->input_dim(),
                                       dict_of(built.mechanism().parameters.texts()), built.threads));
}

const Forecast& forecast_of(Built& built) {
  if (!built.forecast) {
    Watch watch(nb::bool_(false));
    built.forecast = watch.run(built.threads, [&](const Work& work) {
      return forecast(built.mechanism(), {.threads = work.threads});
    });
  }
  return *built.forecast;
}

}  // namespace sotto::python
