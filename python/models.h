#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sotto/model.h"

// Where models come from, and the views that Python has of them.
namespace sotto::python {

namespace nb = nanobind;

using FloatRows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A model as Python holds it.
struct Vocabulary {
  std::shared_ptr<const Model> model;
  std::string path = {};   // empty: in memory only
  std::string cache = {};  // where derived things are kept, empty: nowhere
  nb::object words = {};   // the tuple, once it was asked for

  [[nodiscard]] nb::object all_words();
  // By any form that `privatize` would take for the word.
  [[nodiscard]] std::optional<WordId> find(nb::handle word) const;
  // Throws KeyError if there is none.
  [[nodiscard]] WordId known(nb::handle word) const;
};

// `cache`: True, the user's cache folder; False, none; else a path.
Vocabulary open_model(const std::filesystem::path& path, nb::handle cache);
Vocabulary default_model();
Vocabulary fetch_model(nb::object progress);
Vocabulary from_words(const std::vector<std::string>& words, const FloatRows& vectors,
                      const std::string& name);
// For unpickling. The many tasks of one worker share one model.
Vocabulary reopen(const std::string& path, const std::string& cache, const std::string& identity);
nb::tuple reduce_model(const Vocabulary& vocabulary);

// Read-only views on the model's own memory, which `self` keeps alive.
nb::object vectors_of(nb::handle self);
nb::object vector_of(nb::handle self, nb::handle word);
nb::str word_at(const Vocabulary& vocabulary, std::int64_t index);

}  // namespace sotto::python
