#include "ledger.h"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/ledger.h"
#include "ledger/postgres_address.h"
#include "mechanisms.h"
#include "questions.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"
#include "terms.h"
#include "texts.h"

namespace sotto::python {

using namespace nb::literals;

namespace {

std::string absolute(const std::string& path) {
  return path.empty() || ledger::is_postgres(path) ? path : std::filesystem::absolute(path).string();
}

std::optional<Amount> budget(const char* name, const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(Amount::parse(name, text, Amount::Rounding::down));
}

// A file that replaced another one under the same name is another ledger.
std::string file_number(const std::string& location) {
  struct stat found = {};
  return ::stat(location.c_str(), &found) == 0 ? fmt::format("{}:{}", found.st_dev, found.st_ino) : "";
}

Books open_books(Books books, LedgerOptions::Missing missing) {
  if (has_password(books.location)) {
    throw Error(
        ErrorCode::usage,
        "`location` holds a password, which would travel with every pickle; put it into the file that "
        "PGPASSFILE names");
  }
  // Refused before a file is made.
  (void)budget("`document_budget`", books.document_budget);
  (void)budget("`subject_budget`", books.subject_budget);
  {
    const nb::gil_scoped_release without_lock;  // may wait for another process
    books.ledger = std::make_shared<Ledger>(
        LedgerOptions{.location = books.location, .key_file = books.key, .missing = missing});
  }
  books.identity = nlohmann::json({books.location, books.key, books.document_budget, books.subject_budget,
                                   ledger::is_postgres(books.location) ? "" : file_number(books.location)})
                       .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return books;
}

Books open_given(const std::filesystem::path& location, const std::optional<std::filesystem::path>& key,
                 nb::handle document_budget, nb::handle subject_budget) {
  nb::dict budgets;
  budgets["document_budget"] = document_budget;
  budgets["subject_budget"] = subject_budget;
  ParameterTexts texts = parameter_texts(budgets);
  return open_books({.ledger = {},
                     .location = absolute(location.string()),
                     .key = key ? absolute(key->string()) : "",
                     .document_budget = texts["document-budget"],
                     .subject_budget = texts["subject-budget"],
                     .identity = {}},
                    LedgerOptions::Missing::create);
}

nb::object show(const Books& books, nb::handle document, nb::handle subject) {
  if (!document.is_none() && !subject.is_none())
    throw Error(ErrorCode::usage, "give `document` or `subject`, not both: each has an account of its own");
  api::LedgerShowRequest request{.ledger = books.ledger,
                                 .document_budget = budget("`document_budget`", books.document_budget),
                                 .subject_budget = budget("`subject_budget`", books.subject_budget)};
  if (!document.is_none())
    request.query = {.role = AccountRole::document, .id = identifier_of(document, "document")};
  if (!subject.is_none())
    request.query = {.role = AccountRole::subject, .id = identifier_of(subject, "subject")};
  const api::LedgerShowAnswer answer = [&] {
    const nb::gil_scoped_release without_lock;
    return api::show_ledger(request);
  }();
  return answer_of("Answer", to_json(answer));
}

nb::object verify(const Books& books, nb::handle head) {
  api::LedgerVerifyRequest request{.ledger = books.ledger};
  if (!head.is_none()) {
    // The answer of head(), or its text.
    const nb::object text = nb::hasattr(head, "head") ? nb::object(head.attr("head")) : nb::borrow(head);
    request.head = LedgerHead::parse(identifier_of(text, "head"));
  }
  const api::LedgerVerifyAnswer answer = [&] {
    const nb::gil_scoped_release without_lock;
    return api::verify_ledger(request);
  }();
  return answer_of("Answer", to_json(answer));
}

nb::object head(const Books& books) {
  const api::LedgerHeadAnswer answer = [&] {
    const nb::gil_scoped_release without_lock;
    return api::head_of_ledger(*books.ledger);
  }();
  return answer_of("Answer", to_json(answer));
}

class Memory final : public ByteSink {
 public:
  void write(std::string_view bytes) override { bytes_ += bytes; }
  void finish() override {}
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

nb::object export_entries(const Books& books) {
  Memory sink;
  {
    const nb::gil_scoped_release without_lock;
    api::export_ledger(*books.ledger, sink);
  }
  const nb::object from_json = nb::module_::import_("sotto._answers").attr("Answer").attr("from_json");
  nb::list entries;
  for (nb::handle line : str_of(sink.bytes()).attr("splitlines")()) entries.append(from_json(line));
  return nb::tuple(entries);
}

nb::tuple reduce(const Books& books) {
  const nb::object reopen = nb::module_::import_("sotto._pickling").attr("reopen_ledger");
  return nb::make_tuple(
      reopen, nb::make_tuple(books.location, books.key, books.document_budget, books.subject_budget));
}

}  // namespace

std::string identifier_of(nb::handle given, const std::string& what) {
  if (!PyUnicode_Check(given.ptr())) {
    throw nb::type_error(
        fmt::format("{}: str is expected, not {}", what, Py_TYPE(given.ptr())->tp_name).c_str());
  }
  std::string text(view_of(given, what));
  if (text.empty()) throw Error(ErrorCode::usage, fmt::format("{} is empty: give an identifier", what));
  return text;
}

std::optional<LedgerUse> ledger_use(nb::handle ledger, nb::handle subject) {
  if (ledger.is_none()) {
    if (!subject.is_none()) throw Error(ErrorCode::usage, "`subject` needs a `ledger`");
    return std::nullopt;
  }
  const auto& books = checked<Books>(ledger, "a sotto.Ledger");
  LedgerUse use{.ledger = books.ledger,
                .document_budget = budget("`document_budget`", books.document_budget),
                .subject_budget = budget("`subject_budget`", books.subject_budget)};
  if (!subject.is_none()) use.subject = identifier_of(subject, "subject");
  return use;
}

void bind_ledger(nb::module_& m) {
  const nb::object refused = nb::steal(
      PyErr_NewExceptionWithDoc("sotto._engine.LimitReached",
                                "A limit of the ledger refused a release: nothing was debited or returned.",
                                PyExc_ValueError, nullptr));
  m.attr("LimitReached") = refused;
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void* type) {
        try {
          std::rethrow_exception(thrown);
        } catch (const LimitReached& error) {
          PyErr_SetString(static_cast<PyObject*>(type), with_keywords(error.what()).c_str());
        }
      },
      refused.ptr());
  nb::class_<Books>(m, "Ledger",
                    "Counts the epsilon that releases spend, for documents and subjects (docs/ledger.md).")
      .def(
          "__init__",
          [](Books* self, nb::handle location, nb::args rest, nb::handle key, nb::handle document_budget,
             nb::handle subject_budget, nb::kwargs others) {
            constexpr const char* kTakes =
                "Ledger() takes a location, and by keyword key=, document_budget= and subject_budget=";
            if (location.is_none() || others.size() != 0) throw nb::type_error(kTakes);
            refuse_rest(rest, kTakes);
            using Path = std::filesystem::path;
            const auto file = argument<Path>(location, "Ledger(): the location is a path or an address");
            const auto key_file =
                key.is_none() ? std::nullopt
                              : std::optional(argument<Path>(key, "Ledger(): `key=` is the path of a file"));
            new (self) Books(open_given(file, key_file, document_budget, subject_budget));
          },
          "location"_a = nb::none(), "rest"_a, "key"_a = nb::none(), "document_budget"_a = nb::none(),
          "subject_budget"_a = nb::none(), "others"_a,
          nb::sig("def __init__(self, location: str | os.PathLike[str], *, key: str | os.PathLike[str] | "
                  "None = None, document_budget: Parameter = None, subject_budget: Parameter = None) -> "
                  "None"),
          "location: a file, made with its key if neither is there, or postgresql://host/database. key: the "
          "file of the key; None: location with .key added. Without document_budget a document is released "
          "once; without subject_budget subjects have no limit, but are counted.")
      .def("show", &show, "document"_a = nb::none(), "subject"_a = nb::none(),
           nb::sig("def show(self, document: str | None = None, subject: str | None = None) -> Answer"),
           "What the accounts have spent, all or those of one document or subject, in `accounts`.")
      .def("verify", &verify, "head"_a = nb::none(),
           nb::sig("def verify(self, head: str | Answer | None = None) -> Answer"),
           "Whether no entry was changed, removed, inserted or moved: `holds` and `problems`. head: of an "
           "earlier day; without it a cut tail cannot be seen.")
      .def("head", &head, nb::sig("def head(self) -> Answer"),
           "In `head`: the number of entries and the HMAC of the last one. Keep it elsewhere, for verify().")
      .def("export", &export_entries, nb::sig("def export(self) -> tuple[Answer, ...]"),
           "Every entry in order. Identifiers are not in a ledger: an account is shown by its HMAC.")
      .def_prop_ro(
          "location", [](const Books& self) { return str_of(self.ledger->name()); },
          nb::sig("def location(self) -> str"), "The file, or the address of the database.")
      .def(
          "__eq__",
          [](const Books& self, nb::handle other) {
            return nb::isinstance<Books>(other) && nb::cast<const Books&>(other).identity == self.identity;
          },
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def(
          "__hash__",
          [](const Books& self) {
            return static_cast<Py_hash_t>(std::hash<std::string>{}(self.identity) >> 1U);
          },
          nb::sig("def __hash__(self) -> int"))
      .def("__repr__",
           [](const Books& self) { return fmt::format("<sotto.Ledger {}>", self.ledger->name()); })
      // One open ledger serves all copies: scikit-learn copies parameters deeply when it clones.
      .def(
          "__deepcopy__", [](nb::object self, nb::handle /*memo*/) { return self; }, "memo"_a,
          nb::sig("def __deepcopy__(self, memo: object) -> Ledger"))
      .def("__reduce__", &reduce, nb::sig("def __reduce__(self) -> tuple[Any, ...]"));
  m.def(
      "_reopen_ledger",
      [](const std::string& location, const std::string& key, const std::string& document_budget,
         const std::string& subject_budget) {
        // Never made: another machine would start again at zero.
        return open_books({.ledger = {},
                           .location = location,
                           .key = key,
                           .document_budget = document_budget,
                           .subject_budget = subject_budget,
                           .identity = {}},
                          LedgerOptions::Missing::refuse);
      },
      "location"_a, "key"_a, "document_budget"_a, "subject_budget"_a,
      nb::sig("def _reopen_ledger(location: str, key: str, document_budget: str, subject_budget: str) -> "
              "Ledger"));
}

}  // namespace sotto::python
