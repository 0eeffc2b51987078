#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "attack/lm_file.h"
#include "sotto/answer.h"
#include "sotto/reading.h"
#include "sotto/work.h"

// Language models for the attacker who reads sentences: trained from public text, or imported.
namespace sotto::api {

struct LanguageTrainRequest {
  std::shared_ptr<const Model> model = {};
  // Public text: files, or documents in memory.
  std::variant<std::vector<std::filesystem::path>, std::vector<std::string>> text = {};
  ReadingOptions reading = {};    // of files
  std::size_t order = 3;          // 1, 2 or 3
  std::string unknown_word = {};  // the anchor; empty: the model's default
  bool strip_html = false;
};

struct LanguageImportRequest {
  std::shared_ptr<const Model> model = {};
  std::filesystem::path file = {};  // ARPA, perhaps compressed
  std::string unknown_word = {};
};

// The default English language model (attack/english.h), for the words of a model.
struct LanguageFetchRequest {
  std::shared_ptr<const Model> model = {};    // opened with a cache folder
  std::string search_path = {};               // where apt-get is looked for: the value of PATH
  std::vector<std::string> environment = {};  // of the programs that are run, "NAME=value"
  std::function<void(const std::string& step)> on_step = {};  // "downloading", ...
};

struct LanguageAnswer {
  std::shared_ptr<const Model> model = {};
  std::shared_ptr<const LanguageModelFile> file = {};
  std::size_t documents = 0;  // read; 0 for an import
  std::uint64_t tokens = 0;
  std::uint64_t unknown = 0;        // of the tokens, or of the words of an imported file: not in the model
  std::filesystem::path path = {};  // of fetch_language_model(): where it is kept
  bool was_there = false;           // a sound file was kept; `tokens` and `unknown` are then 0
};

// Throws Error(usage) for another order, Error(bad_data) for a text without words.
LanguageAnswer train_language_model(const LanguageTrainRequest& request, const Work& work);
LanguageAnswer import_language_model(const LanguageImportRequest& request, const Work& work);
// Gets the default language model and keeps it in the model's derived folder. Throws Error(input_output) if
// the model was opened without a cache folder, or if the download fails; the message says what to do.
LanguageAnswer fetch_language_model(const LanguageFetchRequest& request, const Work& work);
// The default language model for the words of this model. Throws Error(input_output) that says what to type
// if it was not fetched.
std::shared_ptr<const LanguageModelFile> default_language_model(const Model& model);
Json to_json(const LanguageAnswer& answer);

}  // namespace sotto::api
