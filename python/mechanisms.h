#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models.h"
#include "sotto/certificate.h"
#include "sotto/forecast.h"
#include "sotto/rng.h"

// Mechanisms as Python holds them. None holds random state: every call takes a fresh key.
namespace sotto::python {

using Ids = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Seed = std::optional<std::uint64_t>;

// A mechanism of words or of vectors, with what it takes to build it again elsewhere.
struct Built {
  nb::object vocabulary;  // a Vocabulary, or None
  unsigned threads = 0;
  CertifiedMechanism certified;
  std::optional<Forecast> forecast = {};  // once a report asked for it
  nb::object answer = {};                 // the sotto.Certificate, once it was asked for

  [[nodiscard]] const Mechanism& mechanism() const { return certified.mechanism; }
  [[nodiscard]] const Vocabulary& words() const { return nb::cast<const Vocabulary&>(vocabulary); }
};

struct WordBuilt : Built {
  nb::object table = {};  // the matrix of Mechanism.from_law
};
struct VectorBuilt : Built {};

// An array that owns the moved vector.
template <typename T>
nb::object array_of(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* data = kept->data();
  nb::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::c_contig>(data, shape, owner));
}

// Throws TypeError if `given` is something else.
template <typename T>
const T& checked(nb::handle given, const char* expected) {
  if (!nb::isinstance<T>(given)) {
    const std::string found = Py_TYPE(given.ptr())->tp_name;
    throw nb::type_error((expected + (" is expected, not " + found)).c_str());
  }
  return nb::cast<const T&>(given);
}

// An argument of a constructor, whose own TypeError would list a signature: `expected` is "Ledger(): `key=`
// is a path", and the message adds what was given.
template <typename T>
T argument(nb::handle given, const char* expected) {
  T out;
  if (nb::try_cast<T>(given, out)) return out;
  const bool is_number = PyLong_Check(given.ptr());  // too small or too large
  const std::string found = is_number ? nb::repr(given).c_str() : Py_TYPE(given.ptr())->tp_name;
  throw nb::type_error((expected + (", not " + found)).c_str());
}
// Throws TypeError if there are more arguments by position than the constructor has; `takes` says what it
// takes.
void refuse_rest(const nb::args& rest, const char* takes);

// They throw KeyError for a name that is not in the registry.
WordBuilt build_words(const std::string& name, const nb::object& vocabulary, const ParameterTexts& texts,
                      unsigned threads, nb::object progress);
// Throws TypeError that names what is missing, or what is of the wrong type.
void check_name_and_model(nb::handle name, nb::handle model);
// Mechanism.from_law: `law` is a matrix or a function of a word.
WordBuilt own_law(nb::object vocabulary, nb::handle law, std::optional<double> epsilon,
                  const std::string& metric, unsigned threads, nb::object progress);
// `dim`: of the vectors; 0, the model's.
VectorBuilt build_vectors(const std::string& name, const nb::object& vocabulary, std::size_t dim,
                          const ParameterTexts& texts, unsigned threads);
nb::tuple reduce_words(const WordBuilt& built);
nb::tuple reduce_vectors(const Built& built);

// Made once for a mechanism, from public data.
const Forecast& forecast_of(Built& built);
enum class Scale { logarithm, probability };
nb::object law_of(const Built& built, nb::handle word, Scale scale);
// `given`: words, or an array of their numbers; the answer is of the same kind.
nb::object sample_of(const Built& built, nb::handle given, const Seed& seed);
// `given`: a two-dimensional array, or a matrix of scipy.sparse.
nb::object release_of(const Built& built, nb::handle given, const Seed& seed);

}  // namespace sotto::python
