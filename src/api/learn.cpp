#include "api/learn.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sotto/error.h"
#include "text/lookup.h"

namespace sotto::api {
namespace {

WordId anchor_of(const LearnRequest& request) {
  return Lookup(request.mechanism.space->shared_model()).anchor(request.texts.anchor);
}

void check_mechanism(const Mechanism& mechanism) {
  if (mechanism.words && mechanism.token.empty()) return;
  throw Error(ErrorCode::usage,
              fmt::format("`mechanism` {} does not replace words by words of the model: there is nothing to "
                          "learn from its output",
                          mechanism.info->name));
}

// Whether all texts have the same words, in any order.
bool are_alike(const TokenLists& texts) {
  const auto sorted = [&](std::size_t text) {
    const auto list = texts.list(text);
    std::vector<WordId> words(list.begin(), list.end());
    std::ranges::sort(words);
    return words;
  };
  const std::vector<WordId> first = sorted(0);
  for (std::size_t i = 1; i < texts.size(); ++i) {
    if (sorted(i) != first) return false;
  }
  return true;
}

}  // namespace

void check_public_texts(const TokenLists& texts, std::size_t features, std::vector<std::string>& warnings) {
  if (texts.size() < kLeastPublicTexts) {
    throw Error(
        ErrorCode::bad_data,
        fmt::format("there are {} public texts, at least {} are needed and some 10,000 are good: give "
                    "more, or none at all (the features are then the vectors of the model)",
                    texts.size(), kLeastPublicTexts));
  }
  const double known = texts.known_share();
  if (known < kLeastKnownShare) {
    throw Error(ErrorCode::bad_data,
                fmt::format("the model knows {:.0f}% of the words of the public texts: are they in another "
                            "language than the model? Give public texts in its language, or none",
                            100 * known));
  }
  if (are_alike(texts)) {
    throw Error(
        ErrorCode::bad_data,
        "all public texts have the same words, so no feature tells them apart: give texts that differ, "
        "or none at all");
  }
  if (known < kLowKnownShare) {
    warnings.push_back(
        fmt::format("the model knows only {:.0f}% of the words of the public texts: they may be in another "
                    "language or of another kind than the private ones",
                    100 * known));
  }
  if (texts.size() < std::max(kFewPublicTexts, 2 * features)) {
    warnings.push_back(fmt::format(
        "there are only {} public texts: expect less accuracy than with 10,000 or more", texts.size()));
  }
}

namespace {

PublicTexts public_texts_of(const LearnRequest& request, std::vector<std::string>& warnings,
                            const Work& work) {
  check_mechanism(request.mechanism);
  TokenLists clean = tokens_of(request, request.public_texts, work.at("reading public text"));
  check_public_texts(clean, request.settings.features, warnings);
  return privatised_public(std::move(clean), request.mechanism,
                           RandomSource::fresh_or_seeded_not_private(request.seed_not_private),
                           work.at("privatising public text"));
}

}  // namespace

TokenLists tokens_of(const LearnRequest& request, std::span<const std::string_view> texts, const Work& work) {
  return read_tokens(texts, request.mechanism.space->shared_model(),
                     {.anchor = anchor_of(request), .strip_html = request.texts.strip_html}, work);
}

TextSpaceAnswer text_space(const LearnRequest& request, std::span<const std::string_view> released,
                           const Work& work) {
  TextSpaceAnswer answer;
  if (request.public_texts.empty()) {
    check_mechanism(request.mechanism);
    const TokenLists texts = tokens_of(request, released, work);
    answer.known_share = texts.known_share();
    answer.space = release_space(request.mechanism, texts, request.lift, work);
    return answer;
  }
  const PublicTexts texts = public_texts_of(request, answer.warnings, work);
  answer.known_share = texts.clean.known_share();
  answer.space =
      public_space(request.mechanism, texts, anchor_of(request), request.settings, request.lift, work);
  return answer;
}

NumberedLabels number_labels(const std::vector<std::string>& labels) {
  constexpr std::size_t kMostClasses = 1000;
  NumberedLabels out{.of = {}, .names = labels};
  std::ranges::sort(out.names);
  out.names.erase(std::unique(out.names.begin(), out.names.end()), out.names.end());
  out.classes = out.names.size();
  if (out.classes > kMostClasses) {
    throw Error(ErrorCode::bad_data,
                fmt::format("there are {} different labels, and at most {} are allowed: check that "
                            "`label` names the column with the classes",
                            out.classes, kMostClasses));
  }
  for (const std::string& label : labels) {
    out.of.push_back(
        static_cast<std::uint32_t>(std::ranges::lower_bound(out.names, label) - out.names.begin()));
  }
  return out;
}

void check_labels(std::size_t texts, const TextLabels& labels) {
  if (labels.of.size() != texts) {
    throw Error(ErrorCode::bad_data, fmt::format("there are {} texts and {} labels: each text needs one",
                                                 texts, labels.of.size()));
  }
  const auto is_other = [&](std::uint32_t label) { return label != labels.of.front(); };
  if (labels.of.empty() || std::ranges::none_of(labels.of, is_other)) {
    throw Error(ErrorCode::bad_data,
                "all labels are of one class: a classifier needs texts of at least two classes");
  }
  if (std::ranges::any_of(labels.of, [&](std::uint32_t label) { return label >= labels.classes; })) {
    throw Error(ErrorCode::internal, "a label has no class");
  }
}

RehearsalAnswer rehearse(const LearnRequest& request, const RehearsalQuestion& question, const Work& work) {
  check_labels(request.public_texts.size(), question.labels);
  if (question.settings.empty()) throw Error(ErrorCode::usage, "`settings`: give at least one to try");
  RehearsalAnswer answer;
  const PublicTexts texts = public_texts_of(request, answer.warnings, work);
  answer.rehearsal =
      sotto::rehearse(request.mechanism, texts, anchor_of(request), question, request.lift, work);
  return answer;
}

Json to_json(const RehearsalAnswer& answer) {
  const auto row_json = [](const RehearsalRow& row) {
    return Json{{"features", row.settings.features},
                {"smoothing", row.settings.smoothing},
                {"penalty", row.settings.penalty},
                {"clean_accuracy", row.clean},
                {"private_accuracy", row.released}};
  };
  const Rehearsal& rehearsal = answer.rehearsal;
  Json out = start_answer("sotto.rehearsal/1");
  out["trained"] = rehearsal.trained;
  out["tested"] = rehearsal.tested;
  out["majority"] = rehearsal.majority;
  out["direct"] = {{"clean_accuracy", rehearsal.direct.clean},
                   {"private_accuracy", rehearsal.direct.released}};
  out["best"] = row_json(rehearsal.rows[rehearsal.best]);
  out["rows"] = Json::array();
  for (const RehearsalRow& row : rehearsal.rows) out["rows"].push_back(row_json(row));
  out["warnings"] = answer.warnings;
  return out;
}

}  // namespace sotto::api
