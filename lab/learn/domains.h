#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "lab/run.h"

namespace sotto::lab::learning {

// Models that hold some words of the run's model. They are kept in the run's folder as domain-<name>.sotto,
// since what is derived from a model belongs to a model that was opened.

// The words that are most frequent in these public reviews, at most `most`; most frequent first.
std::shared_ptr<const Model> domain_of_reviews(const Run& run, std::span<const std::string_view> reviews,
                                               std::size_t most);
// The first `most` words of the model, which are its most frequent ones.
std::shared_ptr<const Model> domain_of_frequent_words(const Run& run, std::string_view name,
                                                      std::size_t most);

}  // namespace sotto::lab::learning
