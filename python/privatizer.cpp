#include "privatizer.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "ledger.h"
#include "sotto/error.h"
#include "texts.h"
#include "watch.h"

namespace sotto::python {

namespace {

constexpr std::size_t kInlineBytes = std::size_t{16} << 10;  // less is done before a thread has started

// Texts that are missing are no documents: nothing of them is released.
api::TextsAccounts accounts_of(const Texts& texts, nb::handle subject, nb::handle documents) {
  api::TextsAccounts accounts;
  if (!subject.is_none()) accounts.subject = identifier_of(subject, "subject");
  if (documents.is_none()) return accounts;
  const nb::object kept = nb::steal(PySequence_Tuple(documents.ptr()));
  if (!kept.is_valid()) throw nb::python_error();
  const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(kept.ptr()));
  if (count != texts.count()) {
    throw Error(ErrorCode::usage,
                fmt::format("{} texts need as many `documents`; got {}", texts.count(), count));
  }
  for (const std::size_t place : texts.places()) {
    accounts.documents.push_back(identifier_of(PyTuple_GET_ITEM(kept.ptr(), static_cast<Py_ssize_t>(place)),
                                               fmt::format("document {} (counted from 0)", place)));
  }
  return accounts;
}

}  // namespace

std::pair<nb::list, TextCounts> privatize(Core& core, nb::handle given, nb::handle subject,
                                          nb::handle documents) {
  const Texts texts(given);
  const api::TextsAccounts accounts = accounts_of(texts, subject, documents);
  const auto release = [&](const Work& work) {
    return core.release.texts(texts.views(), work, texts.places(), accounts);
  };
  PrivateTexts released;
  if (texts.bytes() <= kInlineBytes) {
    const nb::gil_scoped_release without_lock;
    released = release({.threads = 1});
  } else {
    Watch watch(nb::bool_(false));
    released = watch.run(core.threads, release);
  }
  return {texts.list_of(released.texts), released.counts};
}

WrittenFile written_file(nb::handle given) {
  const nb::object released = given["released"];
  return {
      .format = nb::cast<std::string>(given["format"]),
      .column = nb::cast<std::string>(given["column"]),
      .passed_through = nb::cast<std::vector<std::string>>(given["passed_through"]),
      .passed_names = nb::cast<std::vector<std::string>>(given["passed_names"]),
      .released = {.name = nb::cast<std::string>(released[0]), .sha256 = nb::cast<std::string>(released[1])}};
}

std::string report(Core& core, const ReportRequest& request) {
  Built& built = nb::cast<Built&>(core.built);
  core.release.expect(forecast_of(built));
  Watch watch(nb::bool_(false));
  api::ReleaseAnswer answer =
      watch.run(built.threads, [&](const Work& work) { return core.release.promise(work); });
  if (request.counts) answer.facts.counts = *request.counts;
  if (request.released_at) answer.facts.released_at = *request.released_at;
  if (request.file) {
    ReleaseFacts& facts = answer.facts;
    facts.format = request.file->format;
    facts.passed_through = request.file->passed_through;
    facts.passed_names = request.file->passed_names;
    facts.allowed_leaks.emplace_back("The schema of the file and its metadata are those of the input.");
    facts.settings = {
        {.name = "format", .value = request.file->format},
        {.name = "columns", .value = request.file->column, .audience = ReleaseSetting::Audience::data_holder},
        {.name = "columns_chosen", .value = "1"}};
    facts.released.emplace({request.file->released});
  }
  return answer.report(request.detail);
}

}  // namespace sotto::python
