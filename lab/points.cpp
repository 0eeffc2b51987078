#include "lab/points.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <limits>

#include "core/descriptor.h"
#include "core/output_file.h"
#include "lab/data_folder.h"
#include "sotto/error.h"
#include "sotto/parameters.h"

namespace sotto::lab {

namespace {

namespace fs = std::filesystem;

// Keys are names of ours and numbers: nothing to quote.
std::string joined(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (!line.empty() || &cell != cells.data()) line += ',';
    line += cell;
  }
  return line;
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.emplace_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::string header(const Points::Layout& layout) {
  std::vector<std::string> columns = layout.keys;
  columns.insert(columns.end(), layout.values.begin(), layout.values.end());
  return joined(columns);
}

[[noreturn]] void other_file(const fs::path& file) {
  throw Error(ErrorCode::bad_data,
              fmt::format("{} was written by another experiment or version; choose another --output",
                          shown(file.string())));
}

Points::Row row_of(std::string_view line, const Points::Layout& layout, const fs::path& file) {
  std::vector<std::string> cells = cells_of(line);
  if (cells.size() != layout.keys.size() + layout.values.size()) other_file(file);
  const auto first_value = cells.begin() + static_cast<std::ptrdiff_t>(layout.keys.size());
  Points::Row row;
  row.keys.assign(cells.begin(), first_value);
  for (auto cell = first_value; cell != cells.end(); ++cell) {
    row.values.push_back(cell->empty() ? std::numeric_limits<double>::quiet_NaN()
                                       : parse_number("a value", *cell, Infinity::allowed));
  }
  return row;
}

[[noreturn]] void cannot_write(const fs::path& file, int error_number) {
  throw Error(ErrorCode::input_output,
              fmt::format("cannot write {}: {}", shown(file.string()), system_message(error_number)));
}

}  // namespace

Points::Points(fs::path file, Layout layout) : file_(std::move(file)), layout_(std::move(layout)) {
  std::error_code ignored;
  std::string whole = header(layout_) + '\n';
  if (fs::exists(file_, ignored)) {
    const std::string text = read_whole(file_);
    const std::size_t end = text.rfind('\n');
    const std::string_view complete =
        std::string_view(text).substr(0, end == std::string::npos ? 0 : end + 1);
    const std::vector<std::string_view> lines = lines_of(complete);
    if (!lines.empty() && lines.front() != header(layout_)) other_file(file_);
    for (std::size_t i = 1; i < lines.size(); ++i) rows_.push_back(row_of(lines[i], layout_, file_));
    if (!lines.empty() && complete.size() == text.size()) return;
    if (!lines.empty()) whole = complete;
  }
  OutputFile out(file_, Overwrite::replace);
  out.write(whole);
  out.commit();
}

std::optional<Points::Row> Points::find(std::span<const std::string> keys) const {
  const std::scoped_lock lock(guard_);
  for (const Row& row : rows_) {
    if (std::equal(row.keys.begin(), row.keys.end(), keys.begin(), keys.end())) return row;
  }
  return std::nullopt;
}

void Points::add(Row row) {
  if (row.keys.size() != layout_.keys.size() || row.values.size() != layout_.values.size() ||
      find(row.keys)) {
    throw Error(ErrorCode::internal, "a point does not fit into its table");
  }
  std::vector<std::string> cells = row.keys;
  for (const double value : row.values)
    cells.push_back(std::isnan(value) ? std::string() : number_text(value));
  const std::string line = joined(cells) + '\n';

  const std::scoped_lock lock(guard_);
  const Descriptor file(::open(file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!file.is_open()) cannot_write(file_, errno);
  write_all(file.get(), line, file_.string());
  if (::fsync(file.get()) != 0) cannot_write(file_, errno);
  rows_.push_back(std::move(row));
}

std::vector<Points::Row> Points::rows() const {
  const std::scoped_lock lock(guard_);
  return rows_;
}

std::size_t Points::value(std::string_view column) const {
  for (std::size_t i = 0; i < layout_.values.size(); ++i) {
    if (layout_.values[i] == column) return i;
  }
  throw Error(ErrorCode::internal, "no such column of points");
}

}  // namespace sotto::lab
