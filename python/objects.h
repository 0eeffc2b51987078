#pragma once
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "core/utc_time.h"
#include "sotto/certificate.h"
#include "sotto/error.h"
#include "sotto/forecast.h"
#include "sotto/privatizer.h"
#include "sotto/rng.h"
#include "text/lookup.h"
#include "text/report.h"
#include "text/words.h"
#include "texts.h"
#include "watch.h"

// The engine's objects as Python holds them. None of them holds random state: every call takes a fresh key.
namespace sotto::python {

namespace nb = nanobind;

using Doubles = nb::ndarray<nb::numpy, double, nb::c_contig>;
using Ids = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Seed = std::optional<std::uint64_t>;

inline RandomSource random_of(const Seed& seed) {
  return seed ? RandomSource::seeded_not_private(*seed) : RandomSource::fresh();
}

// An array that owns the moved vector.
template <typename T>
nb::object array_of(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* data = kept->data();
  nb::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::c_contig>(data, shape, owner));
}

struct Vocabulary {
  std::shared_ptr<const Model> model;
  std::string path = {};   // empty: in memory only
  std::string cache = {};  // where derived things are kept, empty: nowhere
  nb::object words = {};   // the tuple, once it was asked for

  [[nodiscard]] nb::object all_words() {
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
  // By any form that `privatize` would take for the word.
  [[nodiscard]] std::optional<WordId> find(nb::handle word) const {
    return Lookup(model).find(view_of(word, "the word"));
  }
  [[nodiscard]] WordId known(nb::handle word) const {
    if (const auto found = find(word)) return *found;
    throw nb::key_error("the word is not in the model; `word in model` tells which are");
  }
};

// Models that were unpickled, so that the many tasks of one worker share one. Used under the GIL.
inline Vocabulary reopen(const std::string& path, const std::string& cache, const std::string& identity) {
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

// A mechanism of words or of vectors, with what it takes to build it again elsewhere.
struct Built {
  std::string name;  // as it was asked for, perhaps an alias
  ParameterTexts texts;
  nb::object vocabulary;  // a Vocabulary, or None
  unsigned threads = 0;
  CertifiedMechanism certified;
  std::optional<Forecast> forecast = {};  // once a report asked for it

  [[nodiscard]] const Mechanism& mechanism() const { return certified.mechanism; }
  [[nodiscard]] const Vocabulary& words() const { return nb::cast<const Vocabulary&>(vocabulary); }
  [[nodiscard]] const Model* model() const { return vocabulary.is_none() ? nullptr : words().model.get(); }
};

struct WordBuilt : Built {};
struct VectorBuilt : Built {};

// Throws TypeError if it is something else.
template <typename T>
const T& checked(nb::handle given, const char* expected) {
  if (!nb::isinstance<T>(given)) {
    throw nb::type_error(
        fmt::format("{} is expected, not {}", expected, Py_TYPE(given.ptr())->tp_name).c_str());
  }
  return nb::cast<const T&>(given);
}

// Throws KeyError for a name that is not in the registry.
inline const MechanismInfo& known_mechanism(const std::string& name) {
  try {
    return find_mechanism(name);
  } catch (const Error& error) {
    throw nb::key_error(error.what());
  }
}

inline WordBuilt build_words(const std::string& name, const nb::object& vocabulary, ParameterTexts texts,
                             unsigned threads, nb::object progress) {
  (void)known_mechanism(name);
  (void)parse_setting(name, texts);
  const std::shared_ptr<const Model> model = checked<Vocabulary>(vocabulary, "a sotto.Model").model;
  Watch watch(std::move(progress), "calibrating");
  CertifiedMechanism built =
      watch.run(threads, [&](const Work& work) { return build_mechanism(name, model, texts, work); });
  return {{name, std::move(texts), vocabulary, threads, std::move(built)}};
}

inline VectorBuilt build_vectors(const std::string& name, const nb::object& vocabulary, std::size_t dim,
                                 ParameterTexts texts, unsigned threads) {
  (void)known_mechanism(name);
  VectorInput input{.domain = VectorInput::Domain::free, .dim = dim};
  if (!vocabulary.is_none()) {
    input.model = checked<Vocabulary>(vocabulary, "a sotto.Model").model;
    if (dim == 0) input.dim = input.model->dim();
  }
  if (input.dim == 0) {
    throw Error(ErrorCode::usage,
                "how long the vectors are is not known: give dimension_in, or the model that they come from");
  }
  CertifiedMechanism built;
  {
    const nb::gil_scoped_release released;
    built.mechanism = build_vector_mechanism(name, input, texts);
  }
  return {{name, std::move(texts), vocabulary, threads, std::move(built)}};
}

inline constexpr std::size_t kSampleBlock = 4096;

// One random stream a block, so that a seeded call does not depend on the number of threads.
inline std::vector<WordId> sample(const Built& built, std::span<const WordId> in, const Seed& seed) {
  std::vector<WordId> out(in.size());
  Watch watch(nb::bool_(false), "sampling");
  const auto draw = [&](const Work& work) {
    const RandomSource random = random_of(seed);
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

inline std::vector<double> release(const Built& built, const Rows& rows, const Seed& seed) {
  const VectorMechanism& vectors = *built.mechanism().vectors;
  const std::size_t count = rows.shape(0);
  const std::size_t in_dim = vectors.input_dim();
  const std::size_t out_dim = vectors.output_dim();
  if (rows.shape(1) != in_dim) {
    throw Error(ErrorCode::bad_data,
                fmt::format("the vectors have {} dimensions; this mechanism was built for {}", rows.shape(1),
                            in_dim));
  }
  const std::span<const double> in(rows.data(), count * in_dim);
  std::vector<double> out(count * out_dim);
  const std::size_t block = std::clamp<std::size_t>((std::size_t{1} << 18) / in_dim, 1, 512);
  Watch watch(nb::bool_(false), "releasing");
  watch.run(built.threads, [&](const Work& work) {
    const RandomSource random = random_of(seed);
    parallel_blocks(count, block, work.threads, [&](std::size_t begin, std::size_t end) {
      const auto own = in.subspan(begin * in_dim, (end - begin) * in_dim);
      const auto bad = std::ranges::find_if_not(own, [](double value) { return std::isfinite(value); });
      if (bad != own.end()) {
        throw Error(
            ErrorCode::bad_data,
            fmt::format("row {} (counted from 0) holds NaN or infinity, which has no distance to anything; "
                        "remove or mend it, for example with numpy.nan_to_num",
                        begin + static_cast<std::size_t>(bad - own.begin()) / in_dim));
      }
      Rng rng = random.stream(begin / block);
      vectors.release_batch(own, std::span(out).subspan(begin * out_dim, (end - begin) * out_dim), rng);
    });
  });
  return out;
}

// A text privatiser with the sums of all that it released.
struct Core {
  nb::object built;  // a WordBuilt
  Privatizer privatizer;
  unsigned threads = 0;
  Seed seed = {};
  bool certify = false;           // the report gets the certificate, computed if it is missing
  std::uint64_t next_stream = 0;  // seeded only: no two texts get the same noise
  TextCounts total = {};
  std::string released_at = {};  // of the last call; empty: none yet
};

inline constexpr std::size_t kInlineBytes = std::size_t{16}
                                            << 10;  // less is done before a thread has started

// The released texts and the counts of this call.
inline std::pair<nb::list, TextCounts> privatize(Core& core, nb::handle given) {
  const Texts texts(given);
  std::vector<std::vector<std::string>> released(texts.blocks());
  std::vector<TextCounts> counts(texts.blocks());
  const std::uint64_t first_stream = core.next_stream;
  core.next_stream += texts.blocks();
  Watch watch(nb::bool_(false), "privatising");
  const auto work_on = [&](const Work& work) {
    const RandomSource random = random_of(core.seed);
    parallel_blocks(texts.blocks(), 1, work.threads, [&](std::size_t block, std::size_t /*end*/) {
      Rng rng = random.stream(first_stream + block);
      try {
        core.privatizer.privatize(texts.block(block), rng, released[block], counts[block]);
      } catch (const BadDocument& bad) {
        throw Error(bad.code(), fmt::format("text {} (counted from 0): {}",
                                            texts.place(texts.begin(block) + bad.document()), bad.what()));
      }
    });
  };
  if (texts.bytes() <= kInlineBytes) {
    const nb::gil_scoped_release without_lock;
    work_on({.threads = 1});
  } else {
    watch.run(core.threads, work_on);
  }
  TextCounts sums;
  for (const TextCounts& own : counts) sums.add(own);
  core.total.add(sums);
  core.released_at = utc_now();
  return {texts.list_of(released), sums};
}

// Made once for a mechanism, from public data.
inline const Forecast& forecast_of(Built& built) {
  if (!built.forecast) {
    Watch watch(nb::bool_(false), "forecasting");
    built.forecast = watch.run(built.threads, [&](const Work& work) {
      return forecast(built.mechanism(), {.threads = work.threads});
    });
  }
  return *built.forecast;
}

// A mechanism may have been certified before: that must not change what a report says.
inline std::optional<Certificate> certificate_for_report(const Core& core, const Built& built) {
  if (built.mechanism().claim.by_certificate) return built.certified.certificate;
  if (!core.certify) return std::nullopt;
  Watch watch(nb::bool_(false), "certifying");
  CertifiedMechanism certified{.mechanism = built.mechanism()};
  watch.run(built.threads, [&](const Work& work) { add_certificate(certified, work); });
  if (certified.certificate) return certified.certificate;
  throw Error(ErrorCode::usage,
              fmt::format("certify=True: no certificate of {} can be computed on this model",
                          built.mechanism().info->name));
}

// JSON, as the program's --report.
struct ReportRequest {
  const TextCounts& counts;
  std::string released_at;
  ReportDetail detail;
};
inline std::string report(Core& core, const ReportRequest& request) {
  Built& built = nb::cast<Built&>(core.built);
  const Forecast& expected = forecast_of(built);
  ReleaseFacts facts{.counts = request.counts, .certificate = certificate_for_report(core, built)};
  facts.released_at = request.released_at;
  facts.expected_unchanged = expected.unchanged;
  facts.expected_unchanged_margin = expected.unchanged_margin;
  facts.scaled_nearest_distance = expected.scaled_nearest;
  facts.seeded_not_private = core.seed.has_value();
  return release_report(core.privatizer, facts, request.detail);
}

}  // namespace sotto::python
