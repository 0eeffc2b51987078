// sotto model import | info | fetch
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/commands.h"
#include "core/byte_stream.h"
#include "core/private_folder.h"
#include "model/fetch.h"
#include "model/import.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "sotto/error.h"
#include "text/lookup.h"
#include "text/words.h"

namespace sotto::cli {

namespace {

namespace fs = std::filesystem;

// Refused before an import of minutes rather than after it.
void check_files(const ModelImportArguments& arguments) {
  if (arguments.input == "-" && arguments.words == "-") {
    throw Error(ErrorCode::usage,
                "the vectors and --words cannot both be standard input; name one of the files");
  }
  std::error_code error;
  if (!fs::exists(arguments.output, error)) return;
  for (const std::string& input : {arguments.input, arguments.words}) {
    if (fs::equivalent(input, arguments.output, error)) {
      throw Error(ErrorCode::usage, "the output is the input file; choose another name for -o");
    }
  }
  if (fs::is_directory(arguments.output, error)) {
    throw Error(ErrorCode::usage, fmt::format("{} is a folder; -o names the model file", arguments.output));
  }
  if (!arguments.force && fs::is_regular_file(arguments.output, error)) {
    throw Error(ErrorCode::usage,
                fmt::format("{} exists; use --force to replace it, or another name", arguments.output));
  }
}

std::vector<std::string> read_vocabulary(const std::string& path) {
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
                fmt::format("{} holds no word: --vocabulary takes one word per line", path));
  }
  return words;
}

Json summary(std::string_view schema, const Model& model) {
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

std::string dropped_text(const ModelOrigin& origin) {
  return fmt::format("{} not a word, {} folded to a word already there, {} with a bad vector, {} by request",
                     grouped(origin.dropped_not_a_word), grouped(origin.dropped_collision),
                     grouped(origin.dropped_bad_vector), grouped(origin.dropped_by_request));
}

// The data derived from a model that is kept on disk.
struct Cached {
  fs::path folder = {};  // empty: there is no cache folder
  bool ignored = false;  // others may enter the folder
  std::vector<std::string> files = {};
  fs::path old_folder = {};  // of an earlier version, not used; empty: there is none
};

Cached find_cached(const Model& model) {
  Cached cached{.folder = model.derived_folder()};
  if (cached.folder.empty()) return cached;
  std::error_code error;
  const fs::path old_folder = cached.folder.parent_path() / model.identity();
  if (fs::is_directory(old_folder, error)) cached.old_folder = old_folder;
  if (!fs::is_directory(cached.folder, error)) return cached;
  cached.ignored = !is_ours_alone(cached.folder);
  if (cached.ignored) return cached;
  try {
    for (const auto& entry : fs::directory_iterator(cached.folder)) {
      cached.files.push_back(entry.path().filename().string());
    }
  } catch (const std::exception&) {  // it cannot be read: nothing is used of it
    cached.files.clear();
  }
  std::ranges::sort(cached.files);
  return cached;
}

std::string cached_text(const Cached& cached) {
  if (cached.ignored) {
    return fmt::format("nothing: others may enter the folder {}; run `chmod 700` on it",
                       cached.folder.string());
  }
  if (cached.files.empty()) return "nothing";
  return fmt::format("{}, in {}", fmt::join(cached.files, ", "), cached.folder.string());
}

std::string info_text(const fs::path& path, const std::shared_ptr<const Model>& model, const Cached& cached) {
  const ModelOrigin& origin = model->origin();
  std::string out;
  const auto row = [&](std::string_view label, const std::string& text) {
    out += fmt::format("{:<17}{}\n", label, text);
  };
  row("file", path.string());
  row("name", origin.name.empty() ? "none" : origin.name);
  row("words", grouped(model->size()));
  row("dimension", std::to_string(model->dim()));
  row("identity", model->identity());
  row("source", origin.source.empty() ? "not recorded" : origin.source);
  row("licence", origin.licence.empty() ? "not recorded" : origin.licence);
  row("rows read", grouped(origin.rows_read));
  row("dropped", dropped_text(origin));
  std::string_view label = "folding";
  for (const std::string& rule : Lookup(model).rules()) {
    row(label, rule);
    label = "";
  }
  row("near-duplicates", "not computed");
  row("distances", "smallest and largest not computed");
  row("cached", cached_text(cached));
  if (!cached.old_folder.empty()) {
    row("", fmt::format("{} is from an earlier version of sotto, is not used and can be removed",
                        cached.old_folder.string()));
  }
  return out;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// npm needs its proxy and configuration variables, and PATH to find node.
std::vector<std::string> whole_environment() {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) out.emplace_back(*entry);
  return out;
}

}  // namespace

int model_import(const ModelImportArguments& arguments) {
  ImportOptions options;
  options.format = parse_vector_format(arguments.format);
  check_files(arguments);
  options.words = arguments.words;
  options.limit = arguments.limit;
  options.alphabetic_only = arguments.alphabetic_only;
  options.rule = importable_word;
  options.name = arguments.name.empty() ? fs::path(arguments.output).stem().string() : arguments.name;
  if (!arguments.vocabulary.empty()) options.vocabulary = read_vocabulary(arguments.vocabulary);

  const std::shared_ptr<const Model> model = import_model(arguments.input, options);
  model->save(arguments.output, arguments.force ? Model::Existing::replace : Model::Existing::refuse);
  if (arguments.json) {
    print_answer(summary("sotto.model-import/1", *model));
  } else {
    const ModelOrigin& origin = model->origin();
    say(fmt::format("{}: {}, {}", arguments.output, counted(model->size(), "word"),
                    counted(model->dim(), "dimension")));
    say(fmt::format("{} read; dropped: {}", counted(origin.rows_read, "row"), dropped_text(origin)));
  }
  return kDone;
}

int model_info(const ModelInfoArguments& arguments) {
  const fs::path path = model_path(arguments.model);
  const std::shared_ptr<const Model> model = open_model(arguments.model);
  const Cached cached = find_cached(*model);
  const bool differs = model->stated_identity() != model->identity();
  const bool is_told = differs || arguments.verify;
  if (arguments.json) {
    Json answer = summary("sotto.model-info/1", *model);
    answer["folding"] = Lookup(model).rules();
    answer["near_duplicates"] = nullptr;  // null: not computed
    answer["smallest_distance"] = nullptr;
    answer["largest_distance"] = nullptr;
    answer["cache_folder"] = cached.folder.empty() ? Json(nullptr) : Json(cached.folder.string());
    answer["cached"] = cached.files;
    if (is_told) answer["identity_verified"] = !differs;
    print_answer(answer);
  } else {
    print(info_text(path, model, cached));
    if (is_told) {
      print(differs ? "verified         NO: the file states another identity than its contents have\n"
                    : "verified         yes: the file states the identity of its contents\n");
    }
  }
  if (differs) {
    say("the file states another identity than its words and vectors have: somebody changed it after it was "
        "made; do not use it, and fetch or import it again");
  }
  return differs ? kAnswerIsNo : kDone;
}

int model_fetch(const ModelFetchArguments& arguments) {
  bool worked = false;
  FetchOptions options;
  options.folder = cache_folder();
  options.rule = importable_word;
  options.search_path = variable("PATH");
  options.environment = whole_environment();
  options.on_step = [&](const std::string& step) {
    worked = true;
    say(step);
  };
  const FetchedModels models = fetch_default_model(options);
  if (!worked) say("both models are there already");
  const std::shared_ptr<const Model> common = Model::open(models.common);
  if (arguments.json) {
    Json answer = start_answer("sotto.model-fetch/1");
    answer["full"] = models.full.string();
    answer["default"] = models.common.string();
    answer["identity"] = common->identity();
    print_answer(answer);
  } else {
    say(fmt::format("full model     {} ({} words)", models.full.string(),
                    grouped(Model::open(models.full)->size())));
    say(fmt::format("default model  {} ({} words)", models.common.string(), grouped(common->size())));
  }
  return kDone;
}

}  // namespace sotto::cli
