#pragma once
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "model/fetch.h"
#include "objects.h"
#include "watch.h"

// Where models come from, and the views that Python has of them.
namespace sotto::python {

namespace fs = std::filesystem;

inline std::string cache_folder() {
  return cache_folder_of(std::getenv("XDG_CACHE_HOME"), std::getenv("HOME"));
}

inline std::string needed_cache_folder() {
  std::string folder = cache_folder();
  if (folder.empty()) {
    throw Error(
        ErrorCode::input_output,
        "there is no cache folder: neither HOME nor XDG_CACHE_HOME is set; set one, or open a model by path");
  }
  return folder;
}

// True: the user's cache folder; False: none; else a path.
inline std::string cache_of(nb::handle given) {
  if (given.ptr() == Py_True) return cache_folder();
  if (given.ptr() == Py_False || given.is_none()) return "";
  return nb::cast<fs::path>(given).string();
}

inline Vocabulary open_model(const fs::path& path, nb::handle cache) {
  std::string where = cache_of(cache);
  const std::string absolute = fs::absolute(path).string();
  std::shared_ptr<const Model> model;
  {
    const nb::gil_scoped_release released;
    model = Model::open(absolute, where);
  }
  return {.model = std::move(model), .path = absolute, .cache = std::move(where)};
}

inline Vocabulary default_model() {
  const fs::path path = fs::path(needed_cache_folder()) / fmt::format("{}.sotto", kDefaultModelName);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    throw Error(ErrorCode::input_output,
                fmt::format("the default model is not there ({}): sotto.Model.fetch() gets it, or give "
                            "sotto.Model.open a file that `sotto model import` made",
                            path.string()));
  }
  return open_model(path, nb::bool_(true));
}

inline Vocabulary fetch_model(nb::object progress) {
  FetchOptions options;
  options.folder = needed_cache_folder();
  options.rule = importable_word;
  if (const char* path = std::getenv("PATH")) options.search_path = path;
  for (char** entry = environ; *entry != nullptr; ++entry) options.environment.emplace_back(*entry);
  Watch watch(std::move(progress), "fetching");
  std::size_t steps = 0;
  options.on_step = [&](const std::string& step) { watch.step({.done = ++steps, .unit = step}); };
  const FetchedModels fetched = watch.run(0, [&](const Work&) { return fetch_default_model(options); });
  return open_model(fetched.common, nb::bool_(true));
}

inline Vocabulary from_words(
    const std::vector<std::string>& words,
    const nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>& vectors,
    const std::string& name) {
  if (vectors.shape(0) != words.size()) {
    throw Error(ErrorCode::bad_data,
                fmt::format("{} words and {} vectors: each word needs one", words.size(), vectors.shape(0)));
  }
  const std::vector<float> values(vectors.data(), vectors.data() + vectors.size());
  ModelOrigin origin;
  origin.name = name;
  origin.source = "Python";
  return {.model = Model::from_words(words, values, vectors.shape(1), origin)};
}

inline nb::object vectors_of(nb::handle self) {
  const Model& model = *nb::cast<const Vocabulary&>(self).model;
  return nb::cast(nb::ndarray<nb::numpy, const float, nb::ndim<2>>(
      model.rows(), {model.size(), model.dim()}, self, {static_cast<std::int64_t>(model.stride()), 1}));
}

inline nb::object vector_of(nb::handle self, nb::handle word) {
  const Vocabulary& vocabulary = nb::cast<const Vocabulary&>(self);
  const Model& model = *vocabulary.model;
  return nb::cast(nb::ndarray<nb::numpy, const float, nb::ndim<1>>(
      model.vector(vocabulary.known(word)).data(), {model.dim()}, self));
}

inline nb::str word_at(const Vocabulary& vocabulary, std::int64_t index) {
  if (index < 0 || static_cast<std::size_t>(index) >= vocabulary.model->size()) {
    throw nb::index_error("there is no word of that number");
  }
  return str_of(vocabulary.model->word(word_id(static_cast<std::size_t>(index))));
}

inline nb::tuple reduce_model(const Vocabulary& vocabulary) {
  if (vocabulary.path.empty()) {
    throw Error(
        ErrorCode::usage,
        "this model is in memory only and cannot be sent to another process: save it (model.save(path)) "
        "and use sotto.Model.open(path)");
  }
  return nb::make_tuple(nb::module_::import_("sotto._pickling").attr("reopen"),
                        nb::make_tuple(vocabulary.path, vocabulary.cache, vocabulary.model->identity()));
}

}  // namespace sotto::python
