#include "models.h"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <utility>

#include "api/models.h"
#include "model/fetch.h"
#include "sotto/error.h"
#include "text/lookup.h"
#include "texts.h"
#include "watch.h"

namespace sotto::python {

namespace fs = std::filesystem;

namespace {

std::string cache_folder() {
  return cache_folder_of(std::getenv("XDG_CACHE_HOME"), std::getenv("HOME"));
}

// True: the user's cache folder; False: none; else a path.
std::string cache_of(nb::handle given) {
  if (given.ptr() == Py_True) return cache_folder();
  if (given.ptr() == Py_False || given.is_none()) return "";
  fs::path path;
  if (!nb::try_cast<fs::path>(given, path)) {
    throw nb::type_error(
        fmt::format("open(): `cache=` is True, False or a path, not {}", Py_TYPE(given.ptr())->tp_name)
            .c_str());
  }
  return path.string();
}

}  // namespace

nb::object Vocabulary::all_words() {
  if (!words.is_valid()) {
    nb::object made = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(model->size())));
    if (!made.is_valid()) throw nb::python_error();
    for (std::size_t i = 0; i < model->size(); ++i) {
      PyTuple_SET_ITEM(made.ptr(), static_cast<Py_ssize_t>(i),
                       str_of(model->word(word_id(i))).release().ptr());
    }
    words = std::move(made);
  }
  return words;
}

std::optional<WordId> Vocabulary::find(nb::handle word) const {
  return Lookup(model).find(view_of(word, "the word"));
}

WordId Vocabulary::known(nb::handle word) const {
  if (const auto found = find(word)) return *found;
  throw nb::key_error("the word is not in the model; `word in model` tells which are");
}

Vocabulary open_model(const fs::path& path, nb::handle cache) {
  std::string where = cache_of(cache);
  const std::string absolute = fs::absolute(path).string();
  std::shared_ptr<const Model> model;
  {
    const nb::gil_scoped_release released;
    model = Model::open(absolute, where);
  }
  return {.model = std::move(model), .path = absolute, .cache = std::move(where)};
}

Vocabulary default_model() {
  return open_model(api::find_model({.cache = cache_folder()}), nb::bool_(true));
}

Vocabulary fetch_model(nb::object progress) {
  api::FetchRequest request{.cache = cache_folder(), .search_path = {}, .environment = {}};
  if (const char* path = std::getenv("PATH")) request.search_path = path;
  for (char** entry = environ; *entry != nullptr; ++entry) request.environment.emplace_back(*entry);
  Watch watch(std::move(progress));
  std::size_t steps = 0;
  request.on_step = [&](const std::string& step) { watch.step({.done = ++steps, .unit = step}); };
  const auto fetched = watch.run(0, [&](const Work& work) {
    (void)work.at("fetching");
    return api::fetch_models(request, work);
  });
  return open_model(fetched.default_file, nb::bool_(true));
}

Vocabulary from_words(const std::vector<std::string>& words, const FloatRows& vectors,
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

Vocabulary reopen(const std::string& path, const std::string& cache, const std::string& identity) {
  // Used under the GIL.
  static std::map<std::pair<std::string, std::string>, std::weak_ptr<const Model>> opened;
  auto& known = opened[{path + '\0' + cache, identity}];
  std::shared_ptr<const Model> model = known.lock();
  if (!model) {
    model = Model::open(path, cache);
    if (model->identity() != identity) {
      throw Error(ErrorCode::bad_data,
                  fmt::format("{} holds another model than the one that was pickled (identity {}, then {})",
                              path, model->identity().substr(0, 12), identity.substr(0, 12)));
    }
    known = model;
  }
  return {.model = std::move(model), .path = path, .cache = cache};
}

nb::object vectors_of(nb::handle self) {
  const Model& model = *nb::cast<const Vocabulary&>(self).model;
  return nb::cast(nb::ndarray<nb::numpy, const float, nb::ndim<2>>(
      model.rows(), {model.size(), model.dim()}, self, {static_cast<std::int64_t>(model.stride()), 1}));
}

nb::object vector_of(nb::handle self, nb::handle word) {
  const Vocabulary& vocabulary = nb::cast<const Vocabulary&>(self);
  const Model& model = *vocabulary.model;
  return nb::cast(nb::ndarray<nb::numpy, const float, nb::ndim<1>>(
      model.vector(vocabulary.known(word)).data(), {model.dim()}, self));
}

nb::str word_at(const Vocabulary& vocabulary, std::int64_t index) {
  if (index < 0 || static_cast<std::size_t>(index) >= vocabulary.model->size()) {
    throw nb::index_error("there is no word of that number");
  }
  return str_of(vocabulary.model->word(word_id(static_cast<std::size_t>(index))));
}

nb::tuple reduce_model(const Vocabulary& vocabulary) {
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
