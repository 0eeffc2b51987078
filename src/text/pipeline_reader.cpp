#include "text/pipeline_reader.h"

#include <fmt/format.h>

#include "sotto/error.h"
#include "text/format_pieces.h"

namespace sotto {
namespace {

constexpr std::size_t kReadBytes = std::size_t{128} << 10;

}  // namespace

std::uint64_t ChunkReader::next(std::string& bytes) {
  bytes.swap(left_over_);
  left_over_.clear();
  Scan scan;
  while (!find_cut(bytes, scan)) {
    check_length(bytes, scan);
    if (read_more(bytes)) continue;
    // The last record needs no line end.
    if (scan.record < bytes.size()) {
      scan.position = bytes.size();
      begin(bytes, scan);
    }
    break;
  }
  if (bytes.empty()) {
    if (!has_bytes_ && !limits_.may_be_empty)
      throw Error(ErrorCode::bad_data, "the input is empty; nothing was written");
    return 0;
  }
  has_bytes_ = true;
  left_over_.assign(bytes, scan.position);
  bytes.resize(scan.position);
  const std::uint64_t first_line = line_;
  line_ += count_lines(bytes);
  return first_line;
}

// Scans on to the first record end at or past the chunk size; false if the bytes end before it.
bool ChunkReader::find_cut(std::string_view bytes, Scan& scan) {
  while (scan.position < bytes.size()) {
    const std::size_t end = format_->record_end(bytes.substr(scan.position));
    if (end == Format::kOpen) {
      scan.position = bytes.size();
      return false;
    }
    scan.position += end;
    check_length(bytes.substr(0, scan.position), scan);
    begin(bytes, scan);
    scan.record = scan.position;
    if (!has_begun_) continue;
    scan.measured = scan.position;
    if (scan.position >= limits_.chunk_bytes) return true;
  }
  return false;
}

void ChunkReader::begin(std::string_view bytes, const Scan& scan) {
  if (has_begun_) return;
  const std::string_view record = bytes.substr(scan.record, scan.position - scan.record);
  has_begun_ = format_->begin(record, begin_line_);
  begin_line_ += count_lines(record);
}

void ChunkReader::check_length(std::string_view bytes, const Scan& scan) const {
  if (bytes.size() - scan.measured <= limits_.largest_record) return;
  throw bad_line(
      line_ + count_lines(bytes.substr(0, scan.measured)),
      fmt::format("a record that starts here is longer than {} bytes; is a quote or a line end missing?",
                  limits_.largest_record));
}

bool ChunkReader::read_more(std::string& bytes) {
  if (is_at_end_) return false;
  buffer_.resize(kReadBytes);
  const std::size_t count = source_->read(buffer_.data(), buffer_.size());
  bytes.append(buffer_.data(), count);
  is_at_end_ = count == 0;
  return count > 0;
}

}  // namespace sotto
