#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attack/lm_file.h"
#include "lab/attack/settings.h"
#include "lab/run.h"

namespace sotto::lab::attack {

// Texts under attack, and public texts of the same kind that are not.
struct Corpus {
  std::string name;
  std::vector<std::string> sample = {};
  std::filesystem::path lm_path = {};  // the language model of the public texts, in the run's folder
  std::shared_ptr<const LanguageModelFile> lm = {};
};

// IMDB test reviews by chance; the language model is of unlabelled reviews.
Corpus reviews(const Run& run, const Settings& settings);
// Disaster tweets by chance; the language model is of the other tweets, without those that equal an attacked
// one.
Corpus tweets(const Run& run, const Settings& settings);

}  // namespace sotto::lab::attack
