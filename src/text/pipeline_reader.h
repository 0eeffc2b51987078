#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/byte_stream.h"
#include "text/format.h"

namespace sotto {

struct ChunkLimits {
  std::size_t chunk_bytes;     // a chunk ends at the first record end at or past this
  std::size_t largest_record;  // line end included
  bool may_be_empty = false;   // an input without bytes has no chunks; otherwise it is an error
};

// Cuts a source into chunks of whole records. The cuts depend on the bytes alone.
class ChunkReader {
 public:
  ChunkReader(ByteSource& source, Format& format, ChunkLimits limits)
      : source_(&source), format_(&format), limits_(limits) {}

  // Puts the next chunk into `bytes` (its memory is reused) and returns its 1-based first line; 0 at the
  // end of the input. Calls format.begin(); throws what that and the source throw, and Error(bad_data)
  // for an input without bytes, unless it may be empty, and for a record that is too long.
  std::uint64_t next(std::string& bytes);

 private:
  // Where the scan of the chunk under construction stands.
  struct Scan {
    std::size_t position = 0;  // first byte not yet scanned
    std::size_t record = 0;    // start of the current record
    std::size_t measured = 0;  // as `record`, but blank lines ahead of the first record count as its part
  };
  bool find_cut(std::string_view bytes, Scan& scan);
  void begin(std::string_view bytes, const Scan& scan);
  void check_length(std::string_view bytes, const Scan& scan) const;
  bool read_more(std::string& bytes);

  ByteSource* source_;
  Format* format_;
  ChunkLimits limits_;
  std::vector<char> buffer_;
  std::string left_over_;         // read beyond the last cut
  std::uint64_t line_ = 1;        // of the next chunk
  std::uint64_t begin_line_ = 1;  // of the record that format.begin() sees next
  bool has_begun_ = false;
  bool has_bytes_ = false;
  bool is_at_end_ = false;
};

}  // namespace sotto
