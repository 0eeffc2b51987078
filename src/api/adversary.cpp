#include "sotto/adversary.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sotto/byte_stream.h"
#include "sotto/error.h"

namespace sotto::api {
namespace {

using SharedModel = std::shared_ptr<const Model>;

// The counts and the corpus may be private: they are read, counted and forgotten.
Prior whole_prior(const AdversaryRequest& request, const SharedModel& model) {
  if (const auto* weights = std::get_if<std::vector<WordWeight>>(&request.prior)) {
    return weighted_prior(model, *weights);
  }
  const auto& text = std::get<std::string>(request.prior);
  if (text.empty()) {
    return std::holds_alternative<std::monostate>(request.words) ? frequency_rank_prior(*model)
                                                                 : uniform_prior(*model);
  }
  if (std::optional<Prior> prior = named_prior(model, text)) return std::move(*prior);
  throw Error(ErrorCode::usage,
              fmt::format("`prior` {}: it must be uniform, rank, counts:FILE or corpus:FILE", text));
}

Prior prior_of(const AdversaryRequest& request, const SharedModel& model) {
  Prior prior = whole_prior(request, model);
  if (const auto* file = std::get_if<std::filesystem::path>(&request.words)) {
    return restricted(prior, read_word_list(model, *open_source(*file)));
  }
  if (const auto* words = std::get_if<std::vector<std::string>>(&request.words)) {
    return restricted(prior, word_list(model, *words));
  }
  return prior;
}

Labels labels_of_texts(const AdversaryRequest::LabelTexts& texts, const SharedModel& model) {
  if (texts.size() == 1 && texts.front().find('=') == std::string::npos) {
    return read_labels(model, *open_source(texts.front()));
  }
  std::vector<LabelList> lists;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      throw Error(
          ErrorCode::usage,
          "`labels` is either one file with two columns, word and label, or several times NAME=FILE, each "
          "file with one word per line");
    }
    lists.push_back({.label = text.substr(0, equals), .source = open_source(text.substr(equals + 1))});
  }
  return read_labels(model, std::move(lists));
}

struct LabelReader {
  const SharedModel& model;
  std::optional<Labels> operator()(std::monostate /*none*/) const { return std::nullopt; }
  std::optional<Labels> operator()(const std::filesystem::path& file) const {
    return read_labels(model, *open_source(file));
  }
  std::optional<Labels> operator()(const AdversaryRequest::LabelTexts& texts) const {
    return labels_of_texts(texts, model);
  }
  std::optional<Labels> operator()(const std::vector<WordLabel>& pairs) const {
    return labels_of(model, pairs);
  }
};

Json bounds_json(const Bounds& bounds) {
  return Json::array({bounds.low, bounds.high});
}

}  // namespace

Adversary resolve(const AdversaryRequest& request, const SharedModel& model) {
  return {.prior = prior_of(request, model), .labels = std::visit(LabelReader{model}, request.labels)};
}

void refuse_above(std::string_view option, std::size_t value, std::size_t largest) {
  if (value <= largest) return;
  throw Error(ErrorCode::usage, fmt::format("`{}` {}: it must be from 0 to {}", option, value, largest));
}

PriorSummary summary_of(const Prior& prior) {
  return {.description = prior.description,
          .words = prior.support.size(),
          .entries = prior.entries,
          .unknown = prior.unknown,
          .constant_guess = prior.constant_guess()};
}

std::optional<LabelSummary> summary_of(const std::optional<Labels>& labels) {
  if (!labels) return std::nullopt;
  return LabelSummary{.names = labels->names,
                      .words = labels->labelled,
                      .entries = labels->entries,
                      .unknown = labels->unknown,
                      .conflicts = labels->conflicts,
                      .latin1_lines = labels->latin1_lines};
}

Json to_json(const PriorSummary& prior) {
  return {{"description", prior.description},
          {"words", prior.words},
          {"entries", prior.entries},
          {"unknown", prior.unknown},
          {"constant_guess", prior.constant_guess}};
}

Json to_json(const LabelSummary& labels) {
  return {{"names", labels.names},         {"words", labels.words},
          {"entries", labels.entries},     {"unknown", labels.unknown},
          {"conflicts", labels.conflicts}, {"latin1_lines", labels.latin1_lines}};
}

Json to_json(const Quantity& quantity) {
  Json out = {{"kind", quantity_kind_name(quantity.kind)}};
  if (quantity.kind != QuantityKind::unavailable) {
    out["value"] = finite_or_null(quantity.value);
    out["interval"] = bounds_json(quantity.interval);
    if (quantity.bracket) out["bracket"] = bounds_json(*quantity.bracket);
  }
  out["meaning"] = quantity.meaning;
  return out;
}

}  // namespace sotto::api
