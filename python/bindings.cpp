// sotto._engine: names, signatures and help texts of what Python holds; questions.cpp has those of what it
// asks, ledger.cpp those of the ledger. What they call stands beside this file: models, mechanisms,
// privatizer, texts (str in and out) and watch (signals and progress).
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "core/stop.h"
#include "learning.h"
#include "ledger.h"
#include "mechanisms.h"
#include "model/fetch.h"
#include "models.h"
#include "privatizer.h"
#include "questions.h"
#include "sotto/error.h"
#include "terms.h"
#include "texts.h"
#include "tuning.h"

namespace sotto::python {
namespace {

using namespace nb::literals;

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    PyObject* type = PyExc_RuntimeError;
    if (error.code() == ErrorCode::usage || error.code() == ErrorCode::bad_data) type = PyExc_ValueError;
    if (error.code() == ErrorCode::input_output) type = PyExc_OSError;
    PyErr_SetString(type, with_keywords(error.what()).c_str());
  } catch (const Stopped&) {  // only after a Python exception, which is thrown in its place
    PyErr_SetString(PyExc_KeyboardInterrupt, "stopped");
  }
}

void bind_model(nb::module_& m) {
  nb::class_<Vocabulary>(
      m, "Model", "A public vocabulary and its vectors: immutable, memory-mapped when opened from a file.")
      .def(
          "__init__",
          [](nb::handle /*self*/, nb::args, nb::kwargs) {
            throw nb::type_error(
                "a model is not made by Model(): sotto.Model.default(), sotto.Model.open(path) or "
                "sotto.Model.from_words(words, vectors)");
          },
          nb::sig("def __init__(self, *args: object, **kwargs: object) -> None"))
      .def_static(
          "open", &open_model, "path"_a, nb::kw_only(), "cache"_a = true,
          nb::sig("def open(path: str | os.PathLike[str], *, cache: bool | str | os.PathLike[str] = True) -> "
                  "Model"),
          "Maps a .sotto file and checks it. cache: where things derived from the model are kept; True: "
          "the user's cache folder, as the program does; False: nowhere.")
      .def_static("default", &default_model, "The default model, from the user's cache folder.")
      .def_static("fetch", &fetch_model, nb::kw_only(), "progress"_a = nb::none(),
                  nb::sig("def fetch(*, progress: Progress = None) -> Model"),
                  "Gets the default model with npm if it is not there yet, and opens it.")
      .def_static(
          "from_words", &from_words, "words"_a, "vectors"_a, nb::kw_only(), "name"_a = "",
          nb::sig("def from_words(words: Sequence[str], vectors: NDArray[numpy.float32], *, name: str = '') "
                  "-> Model"),
          "A model in memory. Words are in frequency order, folded and distinct; it cannot be pickled "
          "until it is saved.")
      .def(
          "save",
          [](const Vocabulary& self, const std::filesystem::path& path, bool replace) {
            self.model->save(path, replace ? Model::Existing::replace : Model::Existing::refuse);
          },
          "path"_a, nb::kw_only(), "replace"_a = false,
          nb::sig("def save(self, path: str | os.PathLike[str], *, replace: bool = False) -> None"),
          "Writes the .sotto file, whole or not at all.")
      .def("__len__", [](const Vocabulary& self) { return self.model->size(); })
      .def(
          "__contains__",
          [](const Vocabulary& self, nb::handle word) {
            return PyUnicode_Check(word.ptr()) && self.find(word).has_value();
          },
          nb::sig("def __contains__(self, word: object, /) -> bool"))
      .def(
          "find",
          [](const Vocabulary& self, nb::str word) -> std::optional<std::uint32_t> {
            const auto found = self.find(word);
            return found ? std::optional(static_cast<std::uint32_t>(*found)) : std::nullopt;
          },
          "word"_a, "The number of a word by any form that privatize would take for it, or None.")
      .def("word", &word_at, "index"_a, "The word of a number; 0 is the most frequent.")
      .def("vector", &vector_of, "word"_a, nb::sig("def vector(self, word: str) -> NDArray[numpy.float32]"),
           "A read-only view of the word's vector. KeyError if the word is not in the model.")
      .def_prop_ro("words", &Vocabulary::all_words, nb::sig("def words(self) -> tuple[str, ...]"),
                   "All words in the model's order.")
      .def_prop_ro("vectors", &vectors_of, nb::sig("def vectors(self) -> NDArray[numpy.float32]"),
                   "All vectors, one row a word: a read-only view on the mapped file.")
      .def_prop_ro("dim", [](const Vocabulary& self) { return self.model->dim(); })
      .def_prop_ro(
          "identity", [](const Vocabulary& self) { return self.model->identity(); },
          "SHA-256 of words, vectors and dimension.")
      .def_prop_ro("name", [](const Vocabulary& self) { return self.model->origin().name; })
      .def_prop_ro(
          "path",
          [](const Vocabulary& self) -> std::optional<std::string> {
            return self.path.empty() ? std::nullopt : std::optional(self.path);
          },
          "None: in memory only.")
      .def("__repr__",
           [](const Vocabulary& self) {
             return fmt::format(
                 "<sotto.Model {}: {} words, {} dimensions>",
                 self.model->origin().name.empty() ? "without name" : self.model->origin().name,
                 self.model->size(), self.model->dim());
           })
      .def("info", &info_of, nb::kw_only(), "verify"_a = false,
           nb::sig("def info(self, *, verify: bool = False) -> Answer"),
           "What the model holds, where it came from and what is cached for it, as `sotto model info`.")
      // Immutable: scikit-learn copies parameters deeply when it clones, also a model that has no file.
      .def(
          "__deepcopy__", [](nb::object self, nb::handle /*memo*/) { return self; }, "memo"_a,
          nb::sig("def __deepcopy__(self, memo: object) -> Model"))
      .def("__reduce__", &reduce_model, nb::sig("def __reduce__(self) -> tuple[Any, ...]"));
  m.def("_reopen", &reopen, nb::sig("def _reopen(path: str, cache: str, identity: str) -> Model"));
}

void bind_mechanisms(nb::module_& m) {
  nb::class_<Built>(m, "AnyMechanism", "What mechanisms of words and of vectors have in common.")
      .def_prop_ro("name", [](const Built& self) { return std::string(self.mechanism().info->name); })
      .def_prop_ro(
          "parameters", [](const Built& self) { return dict_of(self.mechanism().parameters.texts()); },
          nb::sig("def parameters(self) -> dict[str, str]"), "All that is set, defaults included.")
      .def_prop_ro(
          "guarantee", [](const Built& self) { return self.mechanism().claim.guarantee; },
          "What holds, in one sentence with unit and metric.")
      .def_prop_ro(
          "status", [](const Built& self) { return std::string(status_name(self.mechanism().claim.status)); },
          "proven, refuted or not_private")
      .def_prop_ro(
          "strength",
          [](Built& self) -> std::optional<std::string> {
            if (self.mechanism().words == nullptr) return std::nullopt;
            return std::string(strength_name(strength_of(forecast_of(self).unchanged)));
          },
          "ok, weak (over half of the words are expected to stay as they are) or none (over 90%), whatever "
          "is "
          "proven. None for free vectors, which are no words.")
      .def_prop_ro("caveat", [](const Built& self) { return self.mechanism().claim.caveat; })
      .def_prop_ro(
          "arithmetic", [](const Built& self) { return self.mechanism().claim.arithmetic; },
          "How the guarantee survives floating point.")
      .def_prop_ro(
          "epsilon", [](const Built& self) { return self.mechanism().claim.epsilon; },
          "Nominal; infinity: none.")
      .def_prop_ro(
          "certified_epsilon",
          [](const Built& self) -> std::optional<double> {
            const auto& certificate = self.certified.certificate;
            return certificate ? std::optional(certificate->realised_epsilon) : std::nullopt;
          },
          "None: not computed; sotto.certify does.")
      .def_prop_ro("certificate", &certificate_of, nb::sig("def certificate(self) -> Certificate | None"))
      .def_prop_ro(
          "facts",
          [](const Built& self) {
            nb::dict out;
            for (const auto& [name, value] : self.mechanism().facts) out[str_of(name)] = str_of(value);
            return out;
          },
          nb::sig("def facts(self) -> dict[str, str]"), "Public facts that go with the claim.")
      .def("__repr__", [](const Built& self) {
        std::string out(self.mechanism().info->name);
        for (const auto& [name, text] : self.mechanism().parameters.texts())
          out += fmt::format(", {} {}", name, text);
        return fmt::format("<sotto mechanism {}: {}>", out, status_name(self.mechanism().claim.status));
      });

  nb::class_<WordBuilt, Built>(
      m, "Mechanism",
      "A mechanism that replaces words by words, on one model. It cannot be subclassed: from_law() makes one "
      "from a law of your own.")
      .def(
          "__init__",
          [](WordBuilt* self, nb::handle name, nb::object model, nb::args rest, nb::handle threads,
             nb::object progress, nb::kwargs parameters) {
            check_name_and_model(name, model);
            refuse_rest(rest,
                        "Mechanism() takes a name and a model, the rest by keyword: Mechanism('tem', "
                        "model, epsilon=2)");
            new (self) WordBuilt(build_words(
                nb::cast<std::string>(name), model, parameter_texts(parameters),
                argument<unsigned>(threads, "Mechanism(): `threads=` is a whole number from 0 on"),
                std::move(progress)));
          },
          "name"_a = nb::none(), "model"_a = nb::none(), "rest"_a, "threads"_a = 0, "progress"_a = nb::none(),
          "parameters"_a,
          nb::sig(
              "def __init__(self, name: str, model: Model, *, threads: int = 0, progress: Progress = None, "
              "**parameters: Parameter) -> None"),
          "name: one of sotto.mechanisms(), which lists the parameters of each with their help; "
          "sotto.mechanisms('tem') lists one. A dash in a parameter is an underscore, and lambda is lambda_. "
          "Most mechanisms need epsilon; uniform, redact and identity have none. Where a mechanism has a "
          "calibration (tem, hyperbolic), 'exact' and 'flat' may take minutes the first time.")
      // Overridden functions would be ignored: the engine calls its own.
      .def_static(
          "__init_subclass__",
          [](nb::args, nb::kwargs) {
            throw nb::type_error(
                "sotto.Mechanism cannot be subclassed: the engine would not call a law or sample of yours. "
                "sotto.Mechanism.from_law(model, law) makes a mechanism from your own probabilities");
          },
          nb::sig("def __init_subclass__(*args: object, **kwargs: object) -> None"))
      .def_static(
          "from_law", &own_law, "model"_a, "law"_a, nb::kw_only(), "epsilon"_a = nb::none(),
          "metric"_a = "euclidean", "threads"_a = 0, "progress"_a = nb::none(),
          nb::sig("def from_law(model: Model, law: OwnLaw, *, epsilon: float | None = None, metric: str = "
                  "'euclidean', threads: int = 0, progress: Progress = None) -> Mechanism"),
          "A mechanism from your own probabilities, for models of at most 5,000 words. law: a matrix whose "
          "row i holds the probabilities of all outputs of word i, in the model's order; or a function that "
          "gives the row of a word, as an array or as a mapping of output words. epsilon: your claim. The "
          "status is 'proven' only if the certificate is finite and keeps to the claim, 'refuted' if it "
          "exceeds the claim, else 'not_private'; there is a certificate up to 1,000 words. Draws are "
          "exact. The law counts as public: never make it from private text.")
      .def_prop_ro(
          "model", [](const WordBuilt& self) { return self.vocabulary; }, nb::sig("def model(self) -> Model"))
      .def(
          "law", [](const WordBuilt& self, nb::str word) { return law_of(self, word, Scale::probability); },
          "word"_a, nb::sig("def law(self, word: str) -> Law"),
          "The exact probabilities of all outputs for a word. ValueError where there is no closed form.")
      .def(
          "log_law", [](const WordBuilt& self, nb::str word) { return law_of(self, word, Scale::logarithm); },
          "word"_a, nb::sig("def log_law(self, word: str) -> NDArray[numpy.float64]"),
          "Natural logarithms of law().")
      .def("sample", &sample_of, "words"_a, nb::kw_only(), "seed_not_private"_a = nb::none(),
           nb::sig("@overload\ndef sample(self, words: Sequence[str], *, seed_not_private: int | None = "
                   "None) -> list[str]: ...\n"
                   "@overload\ndef sample(self, words: NDArray[numpy.uint32], *, seed_not_private: int | "
                   "None = None) -> NDArray[numpy.uint32]"),
           "One independent draw for each word, or for each number of a word.")
      .def("__reduce__", &reduce_words, nb::sig("def __reduce__(self) -> tuple[Any, ...]"));
  m.def(
      "_rebuild",
      [](const std::string& name, nb::object model, nb::dict texts, unsigned threads) {
        return build_words(name, model, parameter_texts(texts), threads, nb::bool_(false));
      },
      nb::sig("def _rebuild(name: str, model: Model, texts: dict[str, str], threads: int) -> Mechanism"));

  m.def(
      "_rebuild_law",
      [](nb::object model, nb::object table, std::optional<double> epsilon, const std::string& metric,
         unsigned threads) {
        return own_law(std::move(model), table, epsilon, metric, threads, nb::bool_(false));
      },
      "model"_a, "table"_a, "epsilon"_a.none(), "metric"_a, "threads"_a,
      nb::sig("def _rebuild_law(model: Model, table: NDArray[numpy.float64], epsilon: float | None, metric: "
              "str, threads: int) -> Mechanism"));

  nb::class_<VectorBuilt, Built>(m, "VectorMechanism", "A mechanism that releases vectors for vectors.")
      .def(
          "__init__",
          [](VectorBuilt* self, nb::handle name, nb::args rest, nb::object model, nb::handle dimension_in,
             nb::handle threads, nb::kwargs parameters) {
            if (name.is_none()) throw nb::type_error("VectorMechanism() needs a name, such as 'privemb'");
            refuse_rest(rest,
                        "VectorMechanism() takes a name, the rest by keyword: VectorMechanism('privemb', "
                        "dimension_in=100, dimension=20, epsilon=1)");
            const std::size_t dim =
                dimension_in.is_none()
                    ? 0
                    : argument<std::size_t>(dimension_in,
                                            "VectorMechanism(): `dimension_in=` is a whole number from 0 on");
            new (self) VectorBuilt(build_vectors(
                argument<std::string>(name, "VectorMechanism(): the name is a str"), model, dim,
                parameter_texts(parameters),
                argument<unsigned>(threads, "VectorMechanism(): `threads=` is a whole number from 0 on")));
          },
          "name"_a = nb::none(), "rest"_a, "model"_a = nb::none(), "dimension_in"_a = nb::none(),
          "threads"_a = 0, "parameters"_a,
          nb::sig(
              "def __init__(self, name: str, *, model: Model | None = None, dimension_in: int | None = None, "
              "threads: int = 0, **parameters: Parameter) -> None"),
          "For free vectors of dimension_in numbers (default: the model's). model: public vectors, for those "
          "parameters that learn from some.")
      .def_prop_ro(
          "model", [](const VectorBuilt& self) { return self.vocabulary; },
          nb::sig("def model(self) -> Model | None"))
      .def_prop_ro("input_dim", [](const VectorBuilt& self) { return self.mechanism().vectors->input_dim(); })
      .def_prop_ro("output_dim",
                   [](const VectorBuilt& self) { return self.mechanism().vectors->output_dim(); })
      .def("release", &release_of, "X"_a, nb::kw_only(), "seed_not_private"_a = nb::none(),
           nb::sig("def release(self, X: Any, *, seed_not_private: int | None = None) -> "
                   "NDArray[numpy.float64]"),
           "Row i is an independent release of row i of X, a two-dimensional array or a matrix of "
           "scipy.sparse, "
           "which never becomes dense as a whole. float64 rows in C order are read in place.")
      .def("__reduce__", &reduce_vectors, nb::sig("def __reduce__(self) -> tuple[Any, ...]"));
  m.def(
      "_rebuild_vectors",
      [](const std::string& name, nb::object model, std::size_t dim, nb::dict texts, unsigned threads) {
        return build_vectors(name, model, dim, parameter_texts(texts), threads);
      },
      "name"_a, "model"_a.none(), "dim"_a, "texts"_a, "threads"_a,
      nb::sig("def _rebuild_vectors(name: str, model: Model | None, dim: int, texts: dict[str, str], "
              "threads: int) "
              "-> VectorMechanism"));
}

void bind_privatizer(nb::module_& m) {
  nb::class_<TextCounts>(m, "TextCounts", "Sums over documents; they come from private text.")
      .def_ro("documents", &TextCounts::documents)
      .def_ro("tokens", &TextCounts::tokens)
      .def_ro("unknown_tokens", &TextCounts::unknown_tokens);
  nb::class_<Core>(m, "PrivatizerCore", "The engine's part of sotto.Privatizer.")
      .def(
          "__init__",
          [](Core* self, nb::object mechanism, const std::string& unknown, const std::string& anchor,
             bool strip_html, unsigned threads, const Seed& seed, bool certify, nb::handle ledger,
             nb::handle subject, const std::optional<std::string>& attack_result) {
            const auto& built = checked<WordBuilt>(mechanism, "a sotto.Mechanism");
            api::ReleaseRequest request{.built = built.certified,
                                        .texts = PrivatizerOptions{.unknown = parse_unknown_words(unknown),
                                                                   .anchor = anchor,
                                                                   .strip_html = strip_html},
                                        .seed_not_private = seed,
                                        .certify = certify,
                                        .allow_weak = true,
                                        .ledger = ledger_use(ledger, subject),
                                        .attack_result = attack_result};
            new (self) Core{mechanism, api::Release(std::move(request)), threads};
          },
          "mechanism"_a, "unknown"_a, "anchor"_a, "strip_html"_a, "threads"_a, "seed_not_private"_a.none(),
          "certify"_a, "ledger"_a.none(), "subject"_a.none(), "attack_result"_a.none(),
          nb::sig("def __init__(self, mechanism: Mechanism, unknown: str, anchor: str, strip_html: bool, "
                  "threads: int, "
                  "seed_not_private: int | None, certify: bool, ledger: Ledger | None, subject: str | None, "
                  "attack_result: str | None) -> None"))
      .def("privatize", &privatize, "texts"_a, "subject"_a = nb::none(), "documents"_a = nb::none(),
           nb::sig("def privatize(self, texts: Sequence[str | None], subject: str | None = None, documents: "
                   "Sequence[str | None] | None = None) -> tuple[list[str], TextCounts]"))
      .def(
          "report",
          [](Core& self, const TextCounts* counts, bool is_public, const std::optional<std::string>& when,
             nb::handle file) {
            return report(self, {.counts = counts == nullptr ? std::nullopt : std::optional(*counts),
                                 .released_at = when,
                                 .detail = is_public ? ReportDetail::public_only : ReportDetail::data_holder,
                                 .file = file.is_none() ? std::nullopt : std::optional(written_file(file))});
          },
          "counts"_a.none(), "is_public"_a = false, "when"_a = nb::none(), "file"_a = nb::none(),
          nb::sig("def report(self, counts: TextCounts | None, is_public: bool = False, when: str | None = "
                  "None, file: Mapping[str, Any] | None = None) -> str"))
      .def_prop_ro(
          "released_at", [](const Core& self) { return self.release.answer().facts.released_at; },
          "UTC, of the last call; empty before the first.")
      .def_prop_ro("status",
                   [](const Core& self) { return std::string(status_name(self.release.answer().status())); })
      .def_prop_ro(
          "strength",
          [](Core& self) {
            return std::string(
                strength_name(strength_of(forecast_of(nb::cast<Built&>(self.built)).unchanged)));
          },
          "ok, weak or none: how much a release hides, whatever is proven.")
      .def_prop_ro(
          "expected_unchanged",
          [](Core& self) { return forecast_of(nb::cast<Built&>(self.built)).unchanged; },
          "Share of the words expected to stay, by public word frequencies.")
      .def_prop_ro("anchor", [](const Core& self) {
        const Privatizer privatizer = self.release.answer().privatizer;
        return str_of(privatizer.mechanism().space->model().word(privatizer.anchor()));
      });
}

}  // namespace
}  // namespace sotto::python

NB_MODULE(_engine, m) {
  using namespace sotto::python;
  m.doc() = "The C++ engine of sotto.";
  nb::register_exception_translator(translate);
  m.attr("version") = SOTTO_VERSION;
  m.attr("default_model_name") = sotto::kDefaultModelName;
  bind_model(m);
  bind_mechanisms(m);
  bind_ledger(m);
  bind_privatizer(m);
  bind_questions(m);
  bind_tuning(m);
  bind_learning(m);
}
