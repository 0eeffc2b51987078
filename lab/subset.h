#pragma once
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "sotto/model.h"

namespace sotto::lab {

// Some words of a model with their vectors, in the order given, as a model of its own. `note` is added to the
// name of the model; the words that are left out are counted in its origin.
std::shared_ptr<const Model> subset_of(const Model& model, std::span<const WordId> words,
                                       const std::string& note);

// The same kept as a file and opened with a cache folder, since what is derived from a model belongs to a
// model that was opened.
struct SubsetFile {
  std::filesystem::path path;   // replaced
  std::filesystem::path cache;  // empty: nothing is kept of what is derived
};
std::shared_ptr<const Model> subset_of(const Model& model, std::span<const WordId> words,
                                       const std::string& note, const SubsetFile& file);

}  // namespace sotto::lab
