#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/import.h"
#include "sotto/answer.h"
#include "sotto/work.h"

// Where models come from, what they hold, and what is cached for them.
namespace sotto::api {

// A model as a user names it.
struct ModelPlace {
  std::filesystem::path path =
      {};  // a file, or the name of a model in the cache folder; empty: the default model
  std::filesystem::path cache = {};  // the user's cache folder (cache_folder_of()); empty: there is none
};
// The file of the default model. Throws Error(input_output) if there is no cache folder.
std::filesystem::path default_model_path(const std::filesystem::path& cache);
// The file. A file that is there goes before a model of that name. Throws Error(input_output) that says how
// to get a model: none was given and the default is not there, or a name that the cache folder does not have.
std::filesystem::path find_model(const ModelPlace& place);
// Opened with the cache folder, if there is one, so that what was prepared is found.
std::shared_ptr<const Model> open_model(const ModelPlace& place);

struct ImportRequest {
  std::filesystem::path input;            // a file of word vectors; "-": standard input
  std::filesystem::path output;           // the model to write
  std::string format = "detect";          // a name that parse_vector_format() knows
  std::filesystem::path words = {};       // of an .npy matrix
  std::filesystem::path vocabulary = {};  // a file of words, one per line: no others are kept; empty: all
  std::string name = {};                  // empty: that of the output file
  std::size_t limit = 0;                  // 0: all
  bool alphabetic_only = false;           // drop words with anything but letters
  Model::Existing existing = Model::Existing::refuse;
};
struct ImportAnswer {
  std::shared_ptr<const Model> model;
};
ImportAnswer import_model(const ImportRequest& request);
Json to_json(const ImportAnswer& answer);

// The models of the cache folder, by name.
struct CachedModel {
  std::string name = {};  // as it can be given instead of a file
  std::filesystem::path file = {};
  std::shared_ptr<const Model> model = {};  // empty: it cannot be opened
  std::string problem = {};                 // then: why
  bool is_default = false;
};
struct ModelListAnswer {
  std::filesystem::path folder = {};
  std::vector<CachedModel> models = {};
};
ModelListAnswer list_models(const std::filesystem::path& cache);
Json to_json(const ModelListAnswer& answer);

struct ModelInfoRequest {
  ModelPlace place = {};
  std::shared_ptr<const Model> model = {};  // set: it is open already, and `place` is not looked at
  bool verify = false;                      // the JSON also says so if the file states the right identity
};
struct ModelInfoAnswer {
  std::filesystem::path file = {};
  std::shared_ptr<const Model> model = {};
  std::vector<std::string> folding = {};  // the rules by which a word of a text is looked up
  bool asked_to_verify = false;
  // Data derived from the model that is kept on disk.
  std::filesystem::path cache_folder = {};  // empty: nowhere
  bool is_cache_ignored = false;            // others may enter the folder
  std::vector<std::string> cached = {};     // names of files
  std::filesystem::path old_folder = {};    // of an earlier version, not used; empty: there is none

  // False: somebody changed the words or vectors after the file was made.
  [[nodiscard]] bool states_its_identity() const { return model->stated_identity() == model->identity(); }
  [[nodiscard]] bool tells_identity() const { return asked_to_verify || !states_its_identity(); }
};
ModelInfoAnswer model_info(const ModelInfoRequest& request);
Json to_json(const ModelInfoAnswer& answer);

struct FetchRequest {
  std::filesystem::path cache;                                // where both models go
  std::string search_path;                                    // where npm is looked for: the value of PATH
  std::vector<std::string> environment;                       // npm's, "NAME=value"
  std::function<void(const std::string& step)> on_step = {};  // "downloading", ...
};
struct FetchAnswer {
  std::filesystem::path full_file;
  std::filesystem::path default_file;
  std::shared_ptr<const Model> full;
  std::shared_ptr<const Model> common;  // the default model
  bool were_there = false;              // both files were there and sound
};
// Fetches what is missing, and prepares the default model (ensure_prepared()), so that the first text is
// released at full speed.
FetchAnswer fetch_models(const FetchRequest& request, const Work& work);
Json to_json(const FetchAnswer& answer);

struct PrepareRequest {
  ModelPlace place = {};  // needs a cache folder
  std::string metric = "euclidean";
  std::size_t words = 50'000;  // the most frequent ones; 0: all
};
struct PrepareAnswer {
  std::size_t words = 0;
  std::size_t model_words = 0;
  std::string metric = {};
  std::string identity = {};
  std::filesystem::path file = {};
  std::uintmax_t bytes = 0;
  double seconds = 0;
};
PrepareAnswer prepare_model(const PrepareRequest& request, const Work& work);
Json to_json(const PrepareAnswer& answer);
// Prepares a model that is open, for Euclidean distances and as many words as PrepareRequest has by default,
// unless that has been done. Does nothing for a model without a folder for derived data: its words are
// prepared in memory when they first occur.
void ensure_prepared(const std::shared_ptr<const Model>& model, const Work& work);

}  // namespace sotto::api
