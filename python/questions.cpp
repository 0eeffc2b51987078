#include "questions.h"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "api/attack.h"
#include "api/audit.h"
#include "api/guess.h"
#include "api/language.h"
#include "api/mechanisms.h"
#include "api/models.h"
#include "api/verify.h"
#include "core/sha256.h"
#include "sotto/certify.h"
#include "sotto/error.h"
#include "sotto/explain.h"
#include "sotto/measure.h"
#include "texts.h"
#include "watch.h"

namespace sotto::python {

using namespace nb::literals;

namespace {

// The fault names what was given, never the text.
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

}  // namespace

nb::object answer_of(const char* name, const api::Json& json) {
  const nb::object made = nb::module_::import_("sotto._answers").attr(name);
  return made.attr("from_json")(str_of(api::json_text(json)));
}

std::vector<std::string> texts_of(nb::handle texts, const char* caller) {
  std::vector<std::string> out;
  for (nb::handle text : nb::iter(nb::module_::import_("sotto._texts").attr("listed")(texts, caller))) {
    out.push_back(text_of(text, fmt::format("text {} (counted from 0)", out.size())));
  }
  return out;
}

api::AdversaryRequest adversary_of(nb::handle prior, nb::handle words, nb::handle labels) {
  api::AdversaryRequest request;
  if (is_mapping(prior)) {
    auto& weights = request.prior.emplace<std::vector<WordWeight>>();
    for (nb::handle item : nb::iter(prior.attr("items")())) {
      weights.push_back(
          {.word = text_of(item[0], "a word of the prior"), .weight = nb::cast<double>(item[1])});
    }
  } else if (!prior.is_none()) {
    request.prior = text_of(prior, "prior");
  }
  if (!words.is_none()) {
    if (PyUnicode_Check(words.ptr())) throw nb::type_error("words: a list of words is expected, not one str");
    auto& list = request.words.emplace<std::vector<std::string>>();
    for (nb::handle word : nb::iter(words)) list.push_back(text_of(word, "a word of words"));
  }
  if (is_mapping(labels)) {
    auto& pairs = request.labels.emplace<std::vector<WordLabel>>();
    for (nb::handle item : nb::iter(labels.attr("items")())) {
      pairs.push_back({.word = text_of(item[0], "a word of labels"), .label = text_of(item[1], "a label")});
    }
  } else if (!labels.is_none()) {
    request.labels = nb::cast<std::filesystem::path>(labels);
  }
  return request;
}

namespace {

// Asks a question while the caller can stop it, and turns its answer into an object of the class `name`.
template <typename Ask>
nb::object asked(const char* name, unsigned threads, nb::object progress, const Ask& ask) {
  Watch watch(std::move(progress));
  return answer_of(name, to_json(watch.run(threads, ask)));
}

nb::object certify_built(Built& built, bool again, bool verify, nb::object progress) {
  if (built.answer.is_valid() && !again && !verify) return built.answer;
  if (built.vocabulary.is_none()) {
    throw Error(ErrorCode::usage,
                "a certificate is about the words of a model: build the mechanism with `model`");
  }
  Watch watch(std::move(progress));
  const api::CertifyAnswer answer = watch.run(built.threads, [&](const Work& work) {
    CertifiedMechanism known = built.certified;
    if (again) {
      known.certificate = certify_again(known.mechanism, work.at("certifying"));
      known.source = CertificateSource::computed;
    }
    return api::certify(std::move(known),
                        {.model = built.words().model, .verify = verify, .may_sample = false}, work);
  });
  built.certified.certificate = answer.certificate;
  built.certified.source = answer.source;
  nb::object made = answer_of("Certificate", to_json(answer));
  if (!verify) built.answer = made;
  return made;
}

nb::object explain_word(nb::handle word, const WordBuilt& built, const std::string& unknown_word,
                        std::size_t top, std::size_t draws, nb::object progress) {
  api::ExplainRequest request;
  request.model = built.words().model;
  request.word = text_of(word, "the word");
  request.unknown_word = unknown_word;
  request.top = top;
  request.draws = draws;
  return asked("Answer", built.threads, std::move(progress),
               [&](const Work& work) { return api::explain(built.certified, request, work); });
}

// Throws Error(usage) if the mechanism was built without a model.
const std::shared_ptr<const Model>& model_of(const Built& built, const char* question) {
  if (!built.vocabulary.is_none()) return built.words().model;
  throw Error(ErrorCode::usage,
              fmt::format("{} is about the words of a model: build the mechanism with `model`", question));
}

nb::object audit_words(const Built& built, std::optional<std::size_t> pairs,
                       std::optional<std::uint32_t> draws, std::optional<std::size_t> deniability,
                       double level, const std::vector<std::pair<std::string, std::string>>& given,
                       const Seed& seed, nb::object progress) {
  api::AuditRequest request;
  request.model = model_of(built, "an audit");
  request.subject = built.certified;
  request.pairs = pairs;
  request.draws = draws;
  request.deniability_words = deniability;
  request.level = level;
  for (const auto& [first, second] : given) request.given_pairs.push_back(first + "," + second);
  request.seed_not_private = seed;
  return asked("Answer", built.threads, std::move(progress),
               [&](const Work& work) { return api::audit(request, work); });
}

nb::object measure_words(const Built& built, nb::handle prior, nb::handle words, nb::handle labels,
                         std::size_t copies, std::size_t draws, bool by_draws, const std::string& bands,
                         const Seed& seed, nb::object progress) {
  api::MeasureRequest request;
  request.model = model_of(built, "a measurement");
  request.adversary = adversary_of(prior, words, labels);
  request.copies = copies;
  request.draws = draws;
  request.by_draws = by_draws;
  request.bands = parse_bands(bands);
  request.seed_not_private = seed;
  return asked("Measurement", built.threads, std::move(progress),
               [&](const Work& work) { return api::measure(built.certified, request, work); });
}

nb::object attack_texts(nb::handle texts, const WordBuilt& built,
                        const std::optional<std::filesystem::path>& prior, nb::handle released,
                        const std::string& unknown_word, bool strip_html, nb::handle labels,
                        const std::vector<std::string>& lexicon, std::size_t draws, const Seed& seed,
                        nb::object progress) {
  api::AttackRequest request;
  request.sample = texts_of(texts, "attack takes");
  if (!released.is_none()) request.released = texts_of(released, "`released` takes");
  if (prior) request.prior = prior->string();
  if (!labels.is_none()) request.labels = texts_of(labels, "`labels` takes");
  request.lexicon = lexicon;
  request.unknown_word = unknown_word;
  request.strip_html = strip_html;
  request.draws = draws;
  request.seed_not_private = seed;
  return asked("Answer", built.threads, std::move(progress),
               [&](const Work& work) { return api::attack(built.certified, request, work); });
}

nb::object guess_words(nb::handle released, const WordBuilt& built, nb::object progress) {
  api::GuessRequest request;
  request.released = text_of(released, "the released text");
  return asked("Answer", built.threads, std::move(progress),
               [&](const Work& work) { return api::guess(built.certified, request, work); });
}

nb::object train_words(nb::handle texts, const Vocabulary& vocabulary, const std::filesystem::path& output,
                       std::size_t order, const std::string& unknown_word, bool strip_html, bool force,
                       nb::object progress) {
  api::LanguageTrainRequest request;
  request.model = vocabulary.model;
  request.text = texts_of(texts, "train_language_model takes");
  request.order = order;
  request.unknown_word = unknown_word;
  request.strip_html = strip_html;
  return asked("Answer", 0, std::move(progress), [&](const Work& work) {
    api::LanguageAnswer answer = api::train_language_model(request, work);
    answer.file->save(output, force ? Overwrite::replace : Overwrite::refuse);
    return answer;
  });
}

nb::object fetch_words(const Vocabulary& vocabulary, nb::object progress) {
  api::LanguageFetchRequest request{.model = vocabulary.model};
  if (const char* path = std::getenv("PATH")) request.search_path = path;
  for (char** entry = environ; *entry != nullptr; ++entry) request.environment.emplace_back(*entry);
  return asked("Answer", 0, std::move(progress),
               [&](const Work& work) { return api::fetch_language_model(request, work); });
}

nb::object verify_report(nb::handle report, const Vocabulary& vocabulary,
                         const std::vector<std::filesystem::path>& released, nb::object progress) {
  api::VerifyRequest request{.model = vocabulary.model, .report = {}};
  std::filesystem::path path;
  if (PyUnicode_Check(report.ptr())) {
    request.report = text_of(report, "the report");
  } else if (is_mapping(report)) {
    request.report = nb::cast<std::string>(nb::module_::import_("json").attr("dumps")(report));
  } else {
    path = nb::cast<std::filesystem::path>(report);
  }
  return asked("Answer", 0, std::move(progress), [&](const Work& work) {
    if (!path.empty()) request.report = api::read_report(path);
    for (const auto& file : released) request.released.push_back(sha256_of_file(file));
    return api::verify(request, work);
  });
}

nb::object list_mechanisms(const std::string& name) {
  return answer_of("Registry", to_json(api::list_mechanisms({.name = name}))).attr("mechanisms");
}

}  // namespace

nb::object certificate_of(Built& built) {
  return built.certified.certificate ? certify_built(built, false, false, nb::bool_(false)) : nb::none();
}

nb::object info_of(const Vocabulary& vocabulary, bool verify) {
  return answer_of("Answer", to_json(api::model_info({.model = vocabulary.model, .verify = verify})));
}

void bind_questions(nb::module_& m) {
  m.def("mechanisms", &list_mechanisms, "name"_a = "",
        nb::sig("def mechanisms(name: str = '') -> tuple[MechanismEntry, ...]"));
  m.def(
      "certify", &certify_built, "mechanism"_a, nb::kw_only(), "again"_a = false, "verify"_a = false,
      "progress"_a = nb::none(),
      nb::sig("def certify(mechanism: AnyMechanism, *, again: bool = False, verify: bool = False, progress: "
              "Progress = None) -> Certificate"),
      "The loss over all pairs of words of the model; afterwards also `mechanism.certificate`. Takes the one "
      "that is known already unless `again`. verify: also compare with what the cache says. ValueError where "
      "it cannot be computed, never an estimate.");
  m.def(
      "explain", &explain_word, "word"_a, "mechanism"_a, nb::kw_only(), "unknown_word"_a = "", "top"_a = 10,
      "draws"_a = 0, "progress"_a = nb::none(),
      nb::sig("def explain(word: str, mechanism: Mechanism, *, unknown_word: str = '', top: int = 10, draws: "
              "int = 0, progress: Progress = None) -> Answer"),
      "What a word may become, most likely first, and what an output tells of it. top: how many outputs, 0 "
      "for all. draws: for an estimate where the law has no closed form.");
  m.def("guess", &guess_words, "released"_a, "mechanism"_a, nb::kw_only(), "progress"_a = nb::none(),
        nb::sig("def guess(released: str, mechanism: Mechanism, *, progress: Progress = None) -> Answer"),
        "What the best attacker who sees one word at a time guesses from a private text alone. `guesses` has "
        "output, guess and posterior of each word, in the order of the text. ValueError where the law has no "
        "closed form.");
  m.def(
      "audit", &audit_words, "mechanism"_a, nb::kw_only(), "pairs"_a = nb::none(), "draws"_a = nb::none(),
      "deniability"_a = nb::none(), "level"_a = 1e-3, "pair"_a = nb::make_tuple(),
      "seed_not_private"_a = nb::none(), "progress"_a = nb::none(),
      nb::sig("def audit(mechanism: AnyMechanism, *, pairs: int | None = None, draws: int | None = None, "
              "deniability: int | None = None, level: float = 0.001, pair: Sequence[tuple[str, str]] = (), "
              "seed_not_private: int | None = None, progress: Progress = None) -> Answer"),
      "Whether draws refute what the mechanism claims (docs/audit.md). pairs: how many pairs of words; pair: "
      "these too; draws: for each word; deniability: words whose N_w and S_w are measured; level: largest "
      "probability of a false verdict `violated`.");
  m.def(
      "measure", &measure_words, "mechanism"_a, nb::kw_only(), "prior"_a = nb::none(), "words"_a = nb::none(),
      "labels"_a = nb::none(), "copies"_a = 8, "draws"_a = 0, "by_draws"_a = false, "bands"_a = "frequency",
      "seed_not_private"_a = nb::none(), "progress"_a = nb::none(),
      nb::sig(
          "def measure(mechanism: AnyMechanism, *, prior: Prior = None, words: Iterable[str] | None = None, "
          "labels: Labels = None, copies: int = 8, draws: int = 0, by_draws: bool = False, "
          "bands: str = 'frequency', seed_not_private: int | None = None, progress: Progress = None) -> "
          "Measurement"),
      "What the best adversary who knows `prior` learns, and what use is left (docs/measure.md). prior: "
      "'rank' (the default), 'uniform' (the default with `words`), 'counts:FILE', 'corpus:FILE', or a "
      "mapping "
      "of words to weights. words: the only words that occur. copies: releases of the same text, 0 for no "
      "averaging attack. bands: 'frequency', or 'density', fifths of the words by the distance to their 10th "
      "nearest word.");
  m.def(
      "attack", &attack_texts, "texts"_a, "mechanism"_a, nb::kw_only(), "prior"_a = nb::none(),
      "released"_a = nb::none(), "unknown_word"_a = "", "strip_html"_a = false, "labels"_a = nb::none(),
      "lexicon"_a = nb::make_tuple(), "draws"_a = 0, "seed_not_private"_a = nb::none(),
      "progress"_a = nb::none(),
      nb::sig(
          "def attack(texts: Iterable[str], mechanism: Mechanism, *, prior: str | os.PathLike[str] | None = "
          "None, released: Iterable[str] | None = None, unknown_word: str = '', strip_html: bool = False, "
          "labels: Iterable[str] | None = None, lexicon: Sequence[str] = (), draws: int = 0, "
          "seed_not_private: int | None = None, progress: Progress = None) -> Answer"),
      "How often attackers who read whole texts guess the original words wrongly (docs/attack.md). prior: an "
      ".lm file of train_language_model(); None: the default of fetch_language_model(). released: what the "
      "mechanism made of the texts; None: it is made here. labels: one for each text, to measure how well "
      "they are guessed; lexicon: public lists of words, 'NAME=FILE' for each label. draws: for an estimate "
      "where the law has no closed form.");
  m.def("fetch_language_model", &fetch_words, "model"_a, nb::kw_only(), "progress"_a = nb::none(),
        nb::sig("def fetch_language_model(model: Model, *, progress: Progress = None) -> Answer"),
        "Gets the default English language model for the words of a model (24 MB, the Debian package "
        "pocketsphinx-en-us, by apt-get), and keeps it in the model's cache folder. attack() then needs no "
        "`prior`.");
  m.def(
      "train_language_model", &train_words, "texts"_a, "model"_a, "output"_a, nb::kw_only(), "order"_a = 3,
      "unknown_word"_a = "", "strip_html"_a = false, "force"_a = false, "progress"_a = nb::none(),
      nb::sig(
          "def train_language_model(texts: Iterable[str], model: Model, output: str | os.PathLike[str], *, "
          "order: int = 3, unknown_word: str = '', strip_html: bool = False, force: bool = False, progress: "
          "Progress = None) -> Answer"),
      "Makes a language model of public texts for attack(), and writes it to `output` (.lm). order: words "
      "that "
      "are looked at together, 1 to 3.");
  m.def("verify", &verify_report, "report"_a, "model"_a, nb::kw_only(), "released"_a = nb::make_tuple(),
        "progress"_a = nb::none(),
        nb::sig("def verify(report: Mapping[str, Any] | str | os.PathLike[str], model: Model, *, released: "
                "Sequence[str | os.PathLike[str]] = (), progress: Progress = None) -> Answer"),
        "Whether a report says what follows from the model and the parameters that it names: everything is "
        "built again. report: as `Privatizer.report` gives it, its JSON text, or the path of a file "
        "(os.PathLike). released: files that the report should be about; their SHA-256 must be in it.");
}

}  // namespace sotto::python
