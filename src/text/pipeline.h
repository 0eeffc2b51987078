#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

#include "sotto/byte_stream.h"
#include "sotto/privatizer.h"
#include "sotto/rng.h"
#include "text/format.h"

namespace sotto {

struct Progress {
  std::uint64_t records = 0;  // documents written
  std::uint64_t tokens = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_total = 0;  // 0: unknown
};

inline constexpr std::size_t kChunkBytes = std::size_t{256} << 10;
inline constexpr std::size_t kLargestRecord = std::size_t{64} << 20;  // a longer record is Error(bad_data)

struct StreamOptions {
  unsigned threads = 0;  // 0: one per core
  // The i-th chunk uses random stream first_stream + i. Chunk boundaries depend on the bytes alone
  // (whole records, cut at the first record end at or past chunk_bytes), never on threads or reads.
  std::uint64_t first_stream = 0;
  std::function<void(const Progress&)> on_progress = {};  // after each chunk written, may be empty
  // Before each chunk is written, with its own counts; what it throws ends the stream. May be empty.
  std::function<void(const TextCounts&)> before_write = {};
  // Tests make these small. Another chunk size is another seeded output.
  std::size_t chunk_bytes = kChunkBytes;
  std::size_t largest_record = kLargestRecord;
};

// Streams records from source to sink in order, privatising their documents. Memory is bounded by
// a few chunks per thread. Source, sink, format and on_progress are used by the calling thread only.
// Of several faults the one earliest in the input is thrown. Does not call sink.finish(): the caller
// decides that all is well.
TextCounts privatize_stream(ByteSource& source, ByteSink& sink, Format& format, const Privatizer& privatizer,
                            const RandomSource& random, const StreamOptions& options);

}  // namespace sotto
