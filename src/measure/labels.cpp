#include "sotto/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "measure/word_lines.h"
#include "model/unicode.h"
#include "sotto/error.h"
#include "text/lookup.h"

namespace sotto {
namespace {

constexpr std::size_t kMostLabels = 64;
constexpr std::size_t kLongestName = 64;

class LabelBuilder {
 public:
  explicit LabelBuilder(const std::shared_ptr<const Model>& model) : lookup_(model) {
    labels_.of.assign(model->size(), Labels::kNone);
  }

  void add(std::string_view word, std::string_view label) {
    ++labels_.entries;
    const std::int32_t id = id_of(label);
    const auto found = lookup_.find(word);
    if (!found) {
      ++labels_.unknown;
      return;
    }
    std::int32_t& own = labels_.of[index_of(*found)];
    if (own == Labels::kNone) own = id;
    if (own != id) conflicts_.insert(*found);
  }
  void count_latin1(std::uint64_t lines) { labels_.latin1_lines += lines; }

  // `entries` are called lines or entries.
  Labels finish(std::string_view entries) && {
    for (const WordId word : conflicts_) labels_.of[index_of(word)] = Labels::kNone;
    labels_.conflicts = conflicts_.size();
    std::vector<std::size_t> words(labels_.names.size(), 0);
    for (const std::int32_t label : labels_.of) {
      if (label == Labels::kNone) continue;
      ++labels_.labelled;
      ++words[static_cast<std::size_t>(label)];
    }
    const auto used = std::ranges::count_if(words, [](std::size_t count) { return count > 0; });
    if (used < 2) {
      throw Error(
          ErrorCode::bad_data,
          fmt::format(
              "{} of the {} {} with labels are words of the model, and {} of the {} labels have such words; "
              "at least "
              "two labels need words. Check the file's language, and that each line is a word and its "
              "label (or give `labels` NAME=FILE for each label)",
              labels_.entries - labels_.unknown, labels_.entries, entries, used, labels_.names.size()));
    }
    return std::move(labels_);
  }

 private:
  std::int32_t id_of(std::string_view name) {
    const auto place = std::ranges::find(labels_.names, name) - labels_.names.begin();
    if (static_cast<std::size_t>(place) == labels_.names.size()) {
      if (labels_.names.size() == kMostLabels) {
        throw Error(
            ErrorCode::bad_data,
            fmt::format(
                "there are more than {} different labels: the second column must be a label that many "
                "words share",
                kMostLabels));
      }
      labels_.names.emplace_back(name);
    }
    return static_cast<std::int32_t>(place);
  }

  Lookup lookup_;
  Labels labels_;
  std::set<WordId> conflicts_;
};

// A label is shown in the answer: it must not be able to drive a terminal.
bool is_pair(std::string_view word, std::string_view label) {
  return !word.empty() && !label.empty() && label.size() <= kLongestName && is_valid_utf8(label) &&
         !has_control_character(label);
}

}  // namespace

Labels read_labels(const std::shared_ptr<const Model>& model, std::vector<LabelList> lists) {
  LabelBuilder builder(model);
  for (LabelList& list : lists) {
    WordLines lines(*list.source);
    std::string line;
    while (lines.next(line)) builder.add(line, list.label);
    builder.count_latin1(lines.latin1_lines());
  }
  return std::move(builder).finish("lines");
}

Labels read_labels(const std::shared_ptr<const Model>& model, ByteSource& pairs) {
  LabelBuilder builder(model);
  WordLines lines(pairs);
  std::string line;
  while (lines.next(line)) {
    const TwoColumns columns = two_columns(line);
    if (!is_pair(columns.first, columns.second)) {
      throw Error(
          ErrorCode::bad_data,
          fmt::format(
              "line {} of the labels: there must be a word and a label of at most {} bytes, separated "
              "by tab, comma or space",
              lines.number(), kLongestName));
    }
    builder.add(columns.first, columns.second);
  }
  builder.count_latin1(lines.latin1_lines());
  return std::move(builder).finish("lines");
}

Labels labels_of(const std::shared_ptr<const Model>& model, std::span<const WordLabel> pairs) {
  LabelBuilder builder(model);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::string_view word = given_word(pairs[i].word);
    const std::string_view label = trimmed(pairs[i].label);
    if (!is_pair(word, label)) {
      throw Error(ErrorCode::bad_data,
                  fmt::format("entry {} of the labels: there must be a word and a label of at most {} bytes",
                              i + 1, kLongestName));
    }
    builder.add(word, label);
  }
  return std::move(builder).finish("entries");
}

}  // namespace sotto
