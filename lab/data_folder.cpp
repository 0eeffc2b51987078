#include "lab/data_folder.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "core/descriptor.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"

namespace sotto::lab {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = std::size_t{1} << 20;

std::string quoted_for_shell(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

[[noreturn]] void unreadable(const fs::path& path) {
  throw Error(ErrorCode::input_output,
              fmt::format("{}: xz could not decompress it; is xz-utils installed, and is the copy whole?",
                          shown(path.string())));
}

std::string read_xz(const fs::path& path) {
  const std::string command = "xz -dc -- " + quoted_for_shell(path.string());
  const auto close = [](std::FILE* file) { ::pclose(file); };
  // NOLINTNEXTLINE(bugprone-command-processor): a fixed program on a quoted path of the data folder
  std::unique_ptr<std::FILE, decltype(close)> program(::popen(command.c_str(), "re"), close);
  if (!program) unreadable(path);
  std::string out;
  std::string block(kBlock, '\0');
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), program.get())) {
    out.append(block, 0, count);
  }
  if (::pclose(program.release()) != 0) unreadable(path);
  return out;
}

}  // namespace

DataFolder::DataFolder(fs::path root) : root_(std::move(root)) {
  std::error_code ignored;
  if (!fs::is_directory(root_, ignored)) {
    throw Error(ErrorCode::input_output,
                fmt::format("{} is not a folder; --data names the folder with the data sets (docs/lab.md)",
                            shown(root_.string())));
  }
}

std::optional<fs::path> DataFolder::find(const DataFile& file) const {
  for (const fs::path& name : file.names) {
    for (const char* ending : {"", ".gz", ".zst", ".xz"}) {
      fs::path path = root_ / name;
      path += ending;
      std::error_code ignored;
      if (fs::exists(path, ignored)) return path;
    }
  }
  return std::nullopt;
}

fs::path DataFolder::path(const DataFile& file) const {
  if (std::optional<fs::path> found = find(file)) return *std::move(found);
  std::string names;
  for (const fs::path& name : file.names) names += (names.empty() ? "" : ", or ") + name.string();
  throw Error(
      ErrorCode::input_output,
      fmt::format("{} is not in {}: there should be {} (perhaps with .gz, .zst or .xz); get it from {}",
                  file.set, shown(root_.string()), names, file.published));
}

std::string DataFolder::read(const DataFile& file) const {
  return read_whole(path(file));
}

std::string read_whole(const fs::path& path) {
  if (path.extension() == ".xz") return read_xz(path);
  const std::unique_ptr<ByteSource> source = open_source(path);
  std::string out;
  std::string block(kBlock, '\0');
  while (const std::size_t count = source->read(block.data(), block.size())) out.append(block, 0, count);
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace sotto::lab
