#include "cli/privatize/folder_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include "core/output_file.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

namespace fs = std::filesystem;
constexpr char kRecordName[] = ".sotto-run.json";
constexpr char kSchema[] = "sotto.run/2";
constexpr char kOldSchema[] = "sotto.run/1";  // did not say which files are ours

// The folder's record; empty if there is none. A damaged one is an error: it may stand for another epsilon.
std::optional<Json> read_record(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Json record = Json::parse(text, nullptr, false);
  const auto has_list = [&](const char* name) { return record.contains(name) && record[name].is_array(); };
  const bool is_known =
      record.is_object() && (record.value("schema", Json()) == kOldSchema ||
                             (record.value("schema", Json()) == kSchema && has_list("files")));
  if (is_known && record.contains("settings") && has_list("to_redo")) return record;
  throw Error(
      ErrorCode::bad_data,
      fmt::format(
          "{} is damaged, so it is not known how the files of this folder were made; use another folder",
          path.string()));
}

std::set<std::string> names_in(const Json& record, const char* list) {
  std::set<std::string> names;
  for (const Json& name : record.value(list, Json::array())) {
    if (name.is_string()) names.insert(name.get<std::string>());
  }
  return names;
}

std::string name_of(const api::ReleaseFile& file) {
  return file.output.filename().string();
}

// The settings of a record. Earlier versions also recorded the reading options that were not said.
Json settings_in(const Json& record) {
  const Json unsaid = {"", "not said", "refuse", Json::array()};
  Json settings = record["settings"];
  for (const char* name :
       {"format", "columns", "header", "tsv_quotes", "short_rows", "fields", "missing_field"}) {
    if (std::ranges::find(unsaid, settings.value(name, Json())) != unsaid.end()) settings.erase(name);
  }
  return settings;
}

// Names of the settings that differ.
std::string differences(const Json& before, const Json& now) {
  std::set<std::string> names;
  for (const auto& [one, other] : {std::pair(before, now), std::pair(now, before)}) {
    for (const auto& [name, value] : one.items()) {
      if (other.value(name, Json()) != value) names.insert(name);
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Json folder_settings(const api::ReleaseAnswer& release, const ReadingOptions& reading) {
  const Mechanism& mechanism = release.mechanism();
  const PrivatizerOptions& texts = release.privatizer.options();
  Json settings;
  settings["mechanism"] = mechanism.info->name;
  settings["parameters"] = mechanism.parameters.texts();
  settings["model"] = mechanism.space->model().identity();
  settings["unknown"] = unknown_words_name(texts.unknown);
  settings["unknown_word"] = mechanism.space->model().word(release.privatizer.anchor());
  settings["strip_html"] = texts.strip_html;
  settings["seeded_not_private"] = release.facts.seeded_not_private;
  // Only what was said: the folder stays known to a version that has more options.
  if (reading.said().contains("format")) settings["format"] = reading.said().at("format").front();
  for (const ReadingOption* option : reading_options()) {
    std::string key(option->name);
    std::ranges::replace(key, '-', '_');
    if (option->kind == ReadingOption::Kind::list) {
      if (reading.said().contains(option->name)) settings[key + "s"] = reading.texts(*option);
    } else if (reading.value(*option) != option->values.back().text) {
      settings[key] = reading.value(*option);
    }
  }
  return settings;
}

FolderRun::FolderRun(fs::path folder, Json settings, const Plan& plan, Redo redo)
    : folder_(std::move(folder)), settings_(std::move(settings)) {
  std::set<std::string> names;
  for (const api::ReleaseFile& file : plan.files) names.insert(name_of(file));
  const std::optional<Json> record = read_record(record_path());
  const bool is_other = record && settings_in(*record) != settings_;
  std::error_code error;
  if (redo == Redo::nothing && is_other) {
    throw Error(
        ErrorCode::usage,
        fmt::format(
            "{} was filled with other settings ({}): use another folder, or --force to do the files again",
            folder_.string(), differences(settings_in(*record), settings_)));
  }
  if (record) {
    if (!is_other) files_ = names_in(*record, "files");  // what other settings made is not of this run
    to_redo_ = names_in(*record, "to_redo");
  }
  // A file that no run made may be clear text: it must not be taken for finished.
  for (const std::string& name : names) {
    if (redo == Redo::everything || files_.contains(name) || !fs::exists(folder_ / name, error)) continue;
    throw Error(ErrorCode::usage,
                fmt::format("{} exists and was not made by a run recorded there; use --force to "
                            "replace it, or another folder",
                            (folder_ / name).string()));
  }
  files_.insert(names.begin(), names.end());
  if (redo == Redo::everything) to_redo_.insert(names.begin(), names.end());
  if (is_other) {
    for (const auto& entry : fs::directory_iterator(folder_, error)) {
      const std::string name = entry.path().filename().string();
      if (name != kRecordName && !names.contains(name)) ++left_with_old_settings_;
    }
  }
}

fs::path FolderRun::record_path() const {
  return folder_ / kRecordName;
}

bool FolderRun::is_finished(const api::ReleaseFile& file) const {
  std::error_code error;
  return !is_to_redo(file) && fs::exists(file.output, error);
}

bool FolderRun::is_to_redo(const api::ReleaseFile& file) const {
  return to_redo_.contains(name_of(file));
}

void FolderRun::begin() {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) {
    throw Error(ErrorCode::input_output,
                fmt::format("cannot make the folder {}: {}", folder_.string(), error.message()));
  }
  write();
}

void FolderRun::finished(const api::ReleaseFile& file) {
  if (to_redo_.erase(name_of(file)) > 0) write();
}

void FolderRun::write() const {
  Json record = api::start_answer(kSchema);
  record["settings"] = settings_;
  record["files"] = files_;
  record["to_redo"] = to_redo_;
  OutputFile file(record_path(), Overwrite::replace);
  file.write(api::json_text(record) + "\n");
  file.commit();
}

}  // namespace sotto::cli
