#include "lab/gumbel/substitutions.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "lab/data_files.h"

namespace sotto::lab::gumbel {

namespace {

at::Tensor whole_numbers(const std::vector<std::int64_t>& values) {
  return at::tensor(at::ArrayRef<std::int64_t>(values), at::kLong);
}

}  // namespace

AllowedWords read_allowed_words(const DataFolder& data, const Model& vocabulary) {
  const Substitutes substitutes = read_substitutes(data);
  AllowedWords allowed(vocabulary.size());
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    allowed[i].push_back(word_id(i));
    const auto found = substitutes.find(std::string(vocabulary.word(word_id(i))));
    if (found == substitutes.end()) continue;
    for (const std::string& substitute : found->second) {
      const auto word = vocabulary.find(substitute);
      if (word && std::ranges::find(allowed[i], *word) == allowed[i].end()) allowed[i].push_back(*word);
    }
  }
  return allowed;
}

BatchWords batch_words(const Texts& texts, std::size_t vocabulary, const AllowedWords* allowed) {
  constexpr std::int32_t kNotYet = -1;
  std::vector<std::int32_t> row_of(vocabulary, kNotYet);
  std::vector<std::int64_t> words;
  BatchWords out{.words = {},
                 .places = {.rows = at::empty({static_cast<std::int64_t>(texts.words.size())}, at::kInt),
                            .lengths = whole_numbers(texts.lengths)},
                 .options = {},
                 .option_ends = {}};
  auto* row = out.places.rows.data_ptr<std::int32_t>();
  for (const WordId word : texts.words) {
    std::int32_t& known = row_of[index_of(word)];
    if (known == kNotYet) {
      known = static_cast<std::int32_t>(words.size());
      words.push_back(static_cast<std::int64_t>(index_of(word)));
    }
    *row++ = known;
  }
  out.words = whole_numbers(words);
  if (allowed == nullptr) return out;
  std::vector<std::int64_t> options;
  for (const std::int64_t word : words) {
    for (const WordId option : (*allowed)[static_cast<std::size_t>(word)]) {
      options.push_back(static_cast<std::int64_t>(index_of(option)));
    }
    out.option_ends.push_back(static_cast<std::int64_t>(options.size()));
  }
  out.options = whole_numbers(options);
  return out;
}

}  // namespace sotto::lab::gumbel
