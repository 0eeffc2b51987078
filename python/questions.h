#pragma once
#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/byte_stream.h"
#include "measure/labels.h"
#include "measure/prior.h"
#include "sotto/error.h"
#include "text/lookup.h"
#include "texts.h"
#include "tune/point.h"

// What the adversary of measure and tune knows, from Python's forms of it.
namespace sotto::python {

namespace nb = nanobind;

using SharedModel = std::shared_ptr<const Model>;

// Lines for the engine's readers, which fold, count what is unknown and refuse what makes no sense. A word
// with white space inside is no word of any model; a line break would make two lines of it.
inline std::string line_part(nb::handle text, std::string_view what) {
  if (!PyUnicode_Check(text.ptr())) {
    throw nb::type_error(
        fmt::format("{}: str is expected, not {}", what, Py_TYPE(text.ptr())->tp_name).c_str());
  }
  const std::string_view view = view_of(text, what);
  if (view.find_first_of("\t\r\n") != std::string_view::npos) {
    throw Error(ErrorCode::bad_data, fmt::format("{}: a tab or a line break is in it", what));
  }
  return std::string(view);
}

inline bool is_mapping(nb::handle given) {
  return PyMapping_Check(given.ptr()) != 0 && nb::hasattr(given, "items");
}

// "rank", "uniform", "counts:FILE", "corpus:FILE", or a mapping of words to weights.
inline Prior prior_of(nb::handle given, const SharedModel& model) {
  if (is_mapping(given)) {
    std::string lines;
    for (nb::handle item : nb::iter(given.attr("items")())) {
      const double weight = nb::cast<double>(item[1]);
      lines += fmt::format("{}\t{}\n", line_part(item[0], "a word of the prior"), number_text(weight));
    }
    Prior prior = counted_prior(model, *source_of_string(std::move(lines)));
    prior.description = fmt::format("given weights, {} words", prior.support.size());
    return prior;
  }
  const std::string text = PyUnicode_Check(given.ptr()) ? nb::str(given).c_str() : "";
  if (std::optional<Prior> prior = named_prior(model, text)) return std::move(*prior);
  throw Error(
      ErrorCode::usage,
      "prior: it must be 'rank', 'uniform', 'counts:FILE', 'corpus:FILE' or a mapping of words to weights");
}

// `words`: None, or the only words that occur; then the default prior is uniform, as with the program's
// --words.
inline Prior chosen_prior(nb::handle given, nb::handle words, const SharedModel& model) {
  Prior prior = given.is_none() ? (words.is_none() ? frequency_rank_prior(*model) : uniform_prior(*model))
                                : prior_of(given, model);
  if (words.is_none()) return prior;
  std::string lines;
  for (nb::handle word : nb::iter(words)) lines += line_part(word, "a word of words") + "\n";
  return restricted(prior, read_word_list(model, *source_of_string(std::move(lines))));
}

// None, a mapping of words to labels, or the name of a file with two columns.
inline std::optional<Labels> labels_of(nb::handle given, const SharedModel& model) {
  if (given.is_none()) return std::nullopt;
  if (is_mapping(given)) {
    std::string lines;
    for (nb::handle item : nb::iter(given.attr("items")())) {
      lines += line_part(item[0], "a word of labels") + "\t" + line_part(item[1], "a label") + "\n";
    }
    return read_labels(model, *source_of_string(std::move(lines)));
  }
  return read_labels(model, *open_source(nb::str(given).c_str()));
}

inline UtilityLoss loss_of(const std::string& given, const std::optional<Labels>& labels) {
  if (given.empty()) return labels ? UtilityLoss::label : UtilityLoss::changed;
  for (const UtilityLoss loss :
       {UtilityLoss::changed, UtilityLoss::distance, UtilityLoss::label, UtilityLoss::flip}) {
    if (loss_name(loss) != given) continue;
    if (!labels && (loss == UtilityLoss::label || loss == UtilityLoss::flip)) {
      throw Error(ErrorCode::usage, fmt::format("loss {} needs labels", given));
    }
    return loss;
  }
  throw Error(ErrorCode::usage, fmt::format("loss {}: it must be changed, distance, label or flip", given));
}

}  // namespace sotto::python
