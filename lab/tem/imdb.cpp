#include "lab/tem/imdb.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/descriptor.h"
#include "core/sha256.h"
#include "model/file_bytes.h"
#include "sotto/error.h"

namespace sotto::lab {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kImdbPage =
    "the data set's page at Stanford (Maas et al. 2011, \"Large Movie Review Dataset\", aclImdb_v1.tar.gz)";

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

[[noreturn]] void refuse(const fs::path& file, std::size_t line, std::string_view problem) {
  throw Error(ErrorCode::bad_data, fmt::format("{}, line {}: {}", shown(file.string()), line, problem));
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

LabelledTexts read_table(const fs::path& file) {
  const std::string bytes = read_whole(file);
  const std::vector<std::string_view> lines = lines_of(bytes);
  if (lines.empty()) refuse(file, 1, "there is no header");
  const std::vector<std::string_view> header = fields_of(lines[0]);
  const auto column = [&](std::string_view name) {
    const auto found = std::ranges::find(header, name);
    if (found == header.end()) refuse(file, 1, fmt::format("the header has no column `{}`", name));
    return static_cast<std::size_t>(found - header.begin());
  };
  const std::size_t label = column("label");
  const std::size_t text = column("text");
  const auto split = static_cast<std::size_t>(std::ranges::find(header, "jia_split") - header.begin());
  LabelledTexts out;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string_view> fields = fields_of(lines[i]);
    if (fields.size() != header.size()) {
      refuse(file, i + 1, fmt::format("{} fields where the header has {}", fields.size(), header.size()));
    }
    if (fields[label] != "0" && fields[label] != "1") refuse(file, i + 1, "the label is neither 0 nor 1");
    out.labels.push_back(fields[label] == "1" ? 1 : 0);
    out.texts.emplace_back(fields[text]);
    if (split < header.size()) out.splits.emplace_back(fields[split]);
  }
  return out;
}

LabelledTexts read_folders(const fs::path& folder) {
  struct Class {
    const char* name;
    std::uint8_t label;
  };
  LabelledTexts out;
  for (const auto& [name, label] : std::array<Class, 2>{{{"pos", 1}, {"neg", 0}}}) {
    std::vector<fs::path> files;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / name, error)) {
      if (entry.path().extension() == ".txt") files.push_back(entry.path());
    }
    if (error) {
      throw Error(ErrorCode::input_output,
                  fmt::format("{}: {}", shown((folder / name).string()), error.message()));
    }
    std::ranges::sort(files);
    for (const fs::path& file : files) {
      out.texts.push_back(read_whole(file));
      out.labels.push_back(label);
    }
  }
  return out;
}

}  // namespace

ImdbPart::ImdbPart(const DataFolder& data, std::string_view part) {
  const std::string table = fmt::format("imdb/imdb_{}.tsv", part);
  const std::string folder = fmt::format("aclImdb/{}", part);
  const std::optional<fs::path> found =
      data.find({.set = "IMDB reviews",
                 .names = {table, folder, fmt::format("imdb/{}", folder), std::string(part)},
                 .published = kImdbPage});
  if (found && (!is_folder(*found) || (is_folder(*found / "pos") && is_folder(*found / "neg")))) {
    place_ = *found;
    return;
  }
  throw Error(ErrorCode::input_output,
              fmt::format("the IMDB reviews are not in {}: there should be {} (perhaps with .gz, .zst or "
                          ".xz) or the folders {}/pos and {}/neg; get them from {}",
                          shown(data.root().string()), table, folder, folder, kImdbPage));
}

std::string ImdbPart::checksum() const {
  Sha256 hash;
  if (!is_folder(place_)) {
    const FileBytes bytes = FileBytes::map(place_);
    hash.add(bytes.view().data(), bytes.view().size());
    return hex_text(hash.digest());
  }
  const LabelledTexts all = read_folders(place_);
  for (std::size_t i = 0; i < all.texts.size(); ++i) {
    const std::string head = fmt::format("{} {}\n", all.labels[i], all.texts[i].size());
    hash.add(head.data(), head.size());
    hash.add(all.texts[i].data(), all.texts[i].size());
  }
  return hex_text(hash.digest());
}

LabelledTexts ImdbPart::read() const {
  LabelledTexts out = is_folder(place_) ? read_folders(place_) : read_table(place_);
  if (out.texts.empty()) {
    throw Error(ErrorCode::bad_data, fmt::format("{} has no reviews", shown(place_.string())));
  }
  return out;
}

}  // namespace sotto::lab
