#include "lab/learn/domains.h"

#include <algorithm>

#include "lab/kept_domain.h"
#include "learn/documents.h"
#include "text/lookup.h"

namespace sotto::lab::learning {

std::shared_ptr<const Model> domain_of_reviews(const Run& run, std::span<const std::string_view> reviews,
                                               std::size_t most) {
  const std::shared_ptr<const Model>& model = run.model();
  const WordId anchor = default_anchor(*model);
  const TokenLists tokens =
      read_tokens(reviews, model, {.anchor = anchor, .strip_html = true}, {.threads = run.threads()});
  std::vector<std::uint64_t> counts(model->size(), 0);
  for (const WordId word : tokens.words) ++counts[index_of(word)];
  // Its own occurrences cannot be told from the unknown words that it stands for; it is in the domain anyway.
  counts[index_of(anchor)] = tokens.words.size();
  std::vector<WordId> order(model->size());
  for (std::size_t w = 0; w < order.size(); ++w) order[w] = word_id(w);
  std::ranges::stable_sort(order, std::greater{}, [&](WordId word) { return counts[index_of(word)]; });
  order.resize(std::min(most, order.size()));
  return kept_domain(run, "reviews", *model, order);
}

std::shared_ptr<const Model> domain_of_frequent_words(const Run& run, std::string_view name,
                                                      std::size_t most) {
  std::vector<WordId> frequent(std::min(most, run.model()->size()));
  for (std::size_t w = 0; w < frequent.size(); ++w) frequent[w] = word_id(w);
  return kept_domain(run, name, *run.model(), frequent);
}

}  // namespace sotto::lab::learning
