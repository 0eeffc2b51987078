#include "lab/gumbel/data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/descriptor.h"
#include "lab/data_files.h"
#include "sotto/error.h"

namespace sotto::lab::gumbel {

namespace {

constexpr std::string_view kSnliPublished =
    "the SNLI corpus (Bowman et al. 2015); files with the columns label, premise, hypothesis";
constexpr std::array<std::string_view, 3> kLabels = {"contradiction", "neutral", "entailment"};

void append(RawPart& part, const LabelledTexts& from, std::size_t index) {
  part.texts.texts.push_back(from.texts[index]);
  part.texts.labels.push_back(from.labels[index]);
}

// These files have no quotes: three fields, split at tabs.
std::vector<std::string_view> three_fields(std::string_view line) {
  const std::size_t first = line.find('\t');
  const std::size_t second = first == std::string_view::npos ? first : line.find('\t', first + 1);
  if (second == std::string_view::npos || line.find('\t', second + 1) != std::string_view::npos) return {};
  return {line.substr(0, first), line.substr(first + 1, second - first - 1), line.substr(second + 1)};
}

using Seen = std::set<std::pair<std::string, std::string>>;

// Adds the pairs of a file. `seen` (may be null): pairs that are left out, so that subsets may overlap.
void read_pairs(const DataFolder& data, const std::string& name, Seen* seen, RawPart& part) {
  const std::string bytes =
      data.read({.set = "SNLI", .names = {fmt::format("snli/{}", name)}, .published = kSnliPublished});
  const std::vector<std::string_view> lines = lines_of(bytes);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string_view> fields = three_fields(lines[i]);
    const auto label = fields.empty() ? kLabels.end() : std::ranges::find(kLabels, fields[0]);
    if (label == kLabels.end()) {
      throw Error(
          ErrorCode::bad_data,
          fmt::format("{}, line {}: not a label (contradiction, neutral, entailment), a premise and a "
                      "hypothesis",
                      name, i + 1));
    }
    if (seen != nullptr && !seen->emplace(fields[1], fields[2]).second) continue;
    part.premises.emplace_back(fields[1]);
    part.texts.texts.emplace_back(fields[2]);
    part.texts.labels.push_back(static_cast<std::uint8_t>(label - kLabels.begin()));
  }
}

}  // namespace

RawData read_imdb(const DataFolder& data) {
  RawData out{.name = "imdb", .classes = 2, .train = {}, .dev = {}, .test = {}};
  const LabelledTexts labelled = ImdbPart(data, "train").read();
  if (labelled.splits.size() != labelled.texts.size()) {
    throw Error(ErrorCode::bad_data,
                "the training reviews have no column `jia_split`, which says what is training and what is "
                "development data (Jia et al. 2019)");
  }
  for (std::size_t i = 0; i < labelled.texts.size(); ++i) {
    append(labelled.splits[i] == "dev" ? out.dev : out.train, labelled, i);
  }
  out.test.texts = ImdbPart(data, "test").read();
  out.test.texts.splits.clear();
  return out;
}

RawData read_snli(const DataFolder& data) {
  RawData out{.name = "snli", .classes = kLabels.size(), .train = {}, .dev = {}, .test = {}};
  Seen in_training;
  for (const char* subset : {"subset18k", "subset2k", "first3k"}) {
    read_pairs(data, fmt::format("snli_train_{}.tsv", subset), &in_training, out.train);
  }
  read_pairs(data, "snli_dev_tokenized.tsv", nullptr, out.dev);
  read_pairs(data, "snli_test_tokenized.tsv", nullptr, out.test);
  return out;
}

std::string read_unlabelled_reviews(const DataFolder& data) {
  return data.read(data_files::kUnlabelledReviews);
}

}  // namespace sotto::lab::gumbel
