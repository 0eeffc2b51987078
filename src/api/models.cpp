#include "api/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "core/descriptor.h"
#include "core/private_folder.h"
#include "core/suggestion.h"
#include "model/fetch.h"
#include "neighbours/prepared.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"
#include "text/lookup.h"
#include "text/words.h"

namespace sotto::api {

namespace {

PrepareProgress words_progress(const Work& work) {
  return [&work](std::size_t done, std::size_t total) {
    if (work.progress) work.progress({.done = done, .total = total, .unit = "words"});
  };
}

namespace fs = std::filesystem;

fs::path needed(const fs::path& cache) {
  if (!cache.empty()) return cache;
  throw Error(ErrorCode::input_output,
              "there is no cache folder: neither HOME nor XDG_CACHE_HOME is set; set one, or give `model`");
}

std::vector<std::string> read_vocabulary(const fs::path& path) {
  std::string text;
  const std::unique_ptr<ByteSource> source = open_source(path);
  std::vector<char> buffer(std::size_t{1} << 16);
  while (const std::size_t count = source->read(buffer.data(), buffer.size()))
    text.append(buffer.data(), count);
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line(text.data() + begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (auto word = importable_word(line)) words.push_back(std::move(*word));
    begin = end + 1;
  }
  if (words.empty()) {
    throw Error(ErrorCode::bad_data,
                fmt::format("{} holds no word: `vocabulary` takes one word per line", path.string()));
  }
  return words;
}

void add_cached(ModelInfoAnswer& answer) {
  answer.cache_folder = answer.model->derived_folder();
  if (answer.cache_folder.empty()) return;
  std::error_code error;
  const fs::path old_folder = answer.cache_folder.parent_path() / answer.model->identity();
  if (fs::is_directory(old_folder, error)) answer.old_folder = old_folder;
  if (!fs::is_directory(answer.cache_folder, error)) return;
  answer.is_cache_ignored = !is_ours_alone(answer.cache_folder);
  if (answer.is_cache_ignored) return;
  try {
    for (const auto& entry : fs::directory_iterator(answer.cache_folder)) {
      answer.cached.push_back(entry.path().filename().string());
    }
  } catch (const std::exception&) {  // it cannot be read: nothing is used of it
    answer.cached.clear();
  }
  std::ranges::sort(answer.cached);
}

std::string model_file_name(std::string_view name) {
  return fmt::format("{}.sotto", name);
}

std::vector<std::string> cached_names(const fs::path& cache) {
  std::vector<std::string> names;
  std::error_code error;
  if (cache.empty()) return names;
  for (const auto& entry : fs::directory_iterator(cache, error)) {
    if (entry.path().extension() == ".sotto") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

fs::path named_model(const ModelPlace& place) {
  std::error_code ignored;
  const bool may_be_name = !place.path.has_parent_path() && place.path.extension() != ".sotto";
  if (!may_be_name || fs::exists(place.path, ignored)) return place.path;
  const std::vector<std::string> names = cached_names(place.cache);
  if (std::ranges::find(names, place.path.string()) != names.end()) {
    return place.cache / model_file_name(place.path.string());
  }
  throw Error(ErrorCode::input_output,
              fmt::format("there is no model file {}, and no model of this name in the cache folder{} "
                          "(`sotto model list` shows those that are there)",
                          shown(place.path.string()),
                          suggestion(place.path.string(),
                                     std::vector<std::string_view>(names.begin(), names.end()))));
}

Json model_summary_json(std::string_view schema, const Model& model) {
  const ModelOrigin& origin = model.origin();
  Json out = start_answer(schema);
  out["name"] = origin.name;
  out["words"] = model.size();
  out["dimension"] = model.dim();
  out["identity"] = model.identity();
  out["source"] = origin.source;
  out["licence"] = origin.licence.empty() ? Json(nullptr) : Json(origin.licence);
  out["rows_read"] = origin.rows_read;
  out["dropped"] = {{"not_a_word", origin.dropped_not_a_word},
                    {"collision", origin.dropped_collision},
                    {"bad_vector", origin.dropped_bad_vector},
                    {"by_request", origin.dropped_by_request}};
  return out;
}

}  // namespace

fs::path default_model_path(const fs::path& cache) {
  return needed(cache) / model_file_name(kDefaultModelName);
}

fs::path find_model(const ModelPlace& place) {
  if (!place.path.empty()) return named_model(place);
  fs::path path = default_model_path(place.cache);
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    throw Error(ErrorCode::input_output,
                fmt::format("no `model` was given, and the default model is not there ({}): run `sotto model "
                            "fetch` to get it, or give `model` FILE.sotto (`sotto model import` makes one "
                            "from a file of word vectors; in Python Model.fetch() and Model.open())",
                            path.string()));
  }
  return path;
}

std::shared_ptr<const Model> open_model(const ModelPlace& place) {
  return Model::open(find_model(place), place.cache);
}

ModelListAnswer list_models(const fs::path& cache) {
  ModelListAnswer answer{.folder = needed(cache)};
  for (std::string& name : cached_names(cache)) {
    CachedModel found{.name = std::move(name)};
    found.file = cache / model_file_name(found.name);
    found.is_default = found.name == kDefaultModelName;
    try {
      found.model = Model::open(found.file, cache);
    } catch (const Error& error) {
      found.problem = error.what();
    }
    answer.models.push_back(std::move(found));
  }
  return answer;
}

Json to_json(const ModelListAnswer& answer) {
  Json out = start_answer("sotto.model-list/1");
  out["folder"] = answer.folder.string();
  out["models"] = Json::array();
  for (const CachedModel& found : answer.models) {
    Json row = {{"name", found.name}, {"file", found.file.string()}, {"default", found.is_default}};
    row["words"] = found.model ? Json(found.model->size()) : Json(nullptr);
    row["dimension"] = found.model ? Json(found.model->dim()) : Json(nullptr);
    row["identity"] = found.model ? Json(found.model->identity()) : Json(nullptr);
    row["problem"] = found.model ? Json(nullptr) : Json(found.problem);
    out["models"].push_back(std::move(row));
  }
  return out;
}

ImportAnswer import_model(const ImportRequest& request) {
  ImportOptions options;
  options.format = parse_vector_format(request.format);
  options.words = request.words;
  options.limit = request.limit;
  options.alphabetic_only = request.alphabetic_only;
  options.rule = importable_word;
  options.name = request.name.empty() ? request.output.stem().string() : request.name;
  if (!request.vocabulary.empty()) options.vocabulary = read_vocabulary(request.vocabulary);
  ImportAnswer answer{.model = sotto::import_model(request.input, options)};
  answer.model->save(request.output, request.existing);
  return answer;
}

Json to_json(const ImportAnswer& answer) {
  return model_summary_json("sotto.model-import/1", *answer.model);
}

ModelInfoAnswer model_info(const ModelInfoRequest& request) {
  ModelInfoAnswer answer{.model = request.model, .asked_to_verify = request.verify};
  if (!answer.model) {
    answer.file = find_model(request.place);
    answer.model = open_model(request.place);
  }
  answer.folding = Lookup(answer.model).rules();
  add_cached(answer);
  return answer;
}

Json to_json(const ModelInfoAnswer& answer) {
  Json out = model_summary_json("sotto.model-info/1", *answer.model);
  out["folding"] = answer.folding;
  out["near_duplicates"] = nullptr;  // null: not computed
  out["smallest_distance"] = nullptr;
  out["largest_distance"] = nullptr;
  out["cache_folder"] = answer.cache_folder.empty() ? Json(nullptr) : Json(answer.cache_folder.string());
  out["cached"] = answer.cached;
  if (answer.tells_identity()) out["identity_verified"] = answer.states_its_identity();
  return out;
}

FetchAnswer fetch_models(const FetchRequest& request, const Work& work) {
  bool worked = false;
  FetchOptions options;
  options.folder = needed(request.cache);
  options.rule = importable_word;
  options.search_path = request.search_path;
  options.environment = request.environment;
  options.on_step = [&](const std::string& step) {
    worked = true;
    if (request.on_step) request.on_step(step);
  };
  const FetchedModels files = fetch_default_model(options);
  const auto common = Model::open(files.common, options.folder);
  ensure_prepared(common, work);
  return {.full_file = files.full,
          .default_file = files.common,
          .full = Model::open(files.full),
          .common = common,
          .were_there = !worked};
}

Json to_json(const FetchAnswer& answer) {
  Json out = start_answer("sotto.model-fetch/1");
  out["full"] = answer.full_file.string();
  out["default"] = answer.default_file.string();
  out["identity"] = answer.common->identity();
  return out;
}

PrepareAnswer prepare_model(const PrepareRequest& request, const Work& work) {
  const auto model = Model::open(find_model(request.place), needed(request.place.cache));
  const auto space = Space::make(model, parse_metric(request.metric));
  PrepareAnswer answer{.words = request.words == 0 ? model->size() : std::min(request.words, model->size()),
                       .model_words = model->size(),
                       .metric = request.metric,
                       .identity = model->identity()};
  const auto started = std::chrono::steady_clock::now();
  answer.file =
      prepare_neighbourhoods(space, answer.words, work.at("preparing").threads, words_progress(work));
  answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  std::error_code ignored;
  answer.bytes = fs::file_size(answer.file, ignored);
  return answer;
}

void ensure_prepared(const std::shared_ptr<const Model>& model, const Work& work) {
  if (model->derived_folder().empty()) return;
  const PrepareRequest usual;
  const auto space = Space::make(model, parse_metric(usual.metric));
  const std::size_t words = std::min(usual.words, model->size());
  const auto found = PreparedNeighbourhoods::open(*space);
  if (found != nullptr && found->words() >= words) return;
  (void)prepare_neighbourhoods(space, words, work.at("preparing").threads, words_progress(work));
}

Json to_json(const PrepareAnswer& answer) {
  Json out = start_answer("sotto.model-prepare/1");
  out["words"] = answer.words;
  out["model_words"] = answer.model_words;
  out["metric"] = answer.metric;
  out["identity"] = answer.identity;
  out["file"] = answer.file.string();
  out["bytes"] = answer.bytes;
  out["seconds"] = answer.seconds;
  return out;
}

}  // namespace sotto::api
