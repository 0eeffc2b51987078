#include "lab/gumbel/substitutions.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sotto/error.h"

namespace sotto::lab::gumbel {

namespace {

at::Tensor whole_numbers(const std::vector<std::int64_t>& values) {
  return at::tensor(at::ArrayRef<std::int64_t>(values), at::kLong);
}

}  // namespace

AllowedWords read_allowed_words(const DataFolder& data, const Model& vocabulary) {
  const nlohmann::json neighbours = nlohmann::json::parse(
      data.read({.set = "allowed word substitutions",
                 .names = {"counterfitted/counterfitted_neighbors.json", "data/counterfitted_neighbors.json"},
                 .published = "the code of Jia et al. 2019 (robinjia/certified-word-sub)"}),
      nullptr, false);
  if (!neighbours.is_object()) {
    throw Error(ErrorCode::bad_data, "the allowed word substitutions are not a JSON object of lists");
  }
  AllowedWords allowed(vocabulary.size());
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    allowed[i].push_back(word_id(i));
    const auto found = neighbours.find(std::string(vocabulary.word(word_id(i))));
    if (found == neighbours.end() || !found->is_array()) continue;
    for (const nlohmann::json& neighbour : *found) {
      if (!neighbour.is_string()) continue;
      const auto word = vocabulary.find(neighbour.get_ref<const std::string&>());
      if (word && std::ranges::find(allowed[i], *word) == allowed[i].end()) allowed[i].push_back(*word);
    }
  }
  return allowed;
}

BatchWords batch_words(const at::Tensor& texts, const AllowedWords* allowed) {
  const auto [words, places] = at::_unique(texts, true, true);
  BatchWords out{.words = words, .places = places, .options = {}, .option_places = {}};
  if (allowed == nullptr) return out;
  const auto* ids = words.data_ptr<std::int64_t>();
  const auto count = static_cast<std::size_t>(words.size(0));
  std::size_t most = 1;
  for (std::size_t i = 0; i < count; ++i) {
    most = std::max(most, (*allowed)[static_cast<std::size_t>(ids[i])].size());
  }
  std::vector<std::int64_t> options;
  std::vector<std::int64_t> option_places;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<WordId>& own = (*allowed)[static_cast<std::size_t>(ids[i])];
    const std::size_t first = options.size();
    for (const WordId word : own) options.push_back(static_cast<std::int64_t>(index_of(word)));
    for (std::size_t j = 0; j < most; ++j) {
      option_places.push_back(static_cast<std::int64_t>(first + (j < own.size() ? j : 0)));
    }
  }
  out.options = whole_numbers(options);
  out.option_places =
      whole_numbers(option_places).view({static_cast<std::int64_t>(count), static_cast<std::int64_t>(most)});
  return out;
}

}  // namespace sotto::lab::gumbel
