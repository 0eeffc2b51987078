// sotto model info: what a model holds, where it came from and what is cached for it.
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "cli/commands.h"
#include "cli/model/summary.h"
#include "core/private_folder.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "text/lookup.h"

namespace sotto::cli {

namespace {

namespace fs = std::filesystem;

constexpr char kHelp[] =
    R"(Shows what a model holds and where it came from, and what is kept in the cache for it. The
identity is computed from the words and vectors; exit code 1 if the file states another one.

Usage: sotto model info [FILE.sotto] [options]   (no file: the default model))";

struct ModelInfoArguments {
  std::string model;
  bool verify = false;
  bool json = false;
};

std::optional<ModelInfoArguments> parse(Words words) {
  ModelInfoArguments out;
  CommandLine command("model info", kHelp);
  command.text("model", out.model, "FILE", "");
  command.flag("--verify", out.verify, "also say so if the file states the right identity");
  command.flag("--json", out.json, kJsonHelp);
  if (command.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
  return out;
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

}  // namespace

int run_model_info(Words words) {
  const std::optional<ModelInfoArguments> parsed = parse(words);
  if (!parsed) return kDone;
  const ModelInfoArguments& arguments = *parsed;
  const fs::path path = model_path(arguments.model);
  const std::shared_ptr<const Model> model = open_model(arguments.model);
  const Cached cached = find_cached(*model);
  const bool differs = model->stated_identity() != model->identity();
  const bool is_told = differs || arguments.verify;
  if (arguments.json) {
    Json answer = model_summary("sotto.model-info/1", *model);
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

}  // namespace sotto::cli
