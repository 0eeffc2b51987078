#pragma once
#include <cstdint>
#include <functional>

#include "sotto/privatizer.h"
#include "sotto/rng.h"
#include "core/byte_stream.h"
#include "text/format.h"

namespace sotto {

struct Progress {
  std::uint64_t records = 0;  // documents written
  std::uint64_t tokens = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_total = 0;  // 0: unknown
};

struct StreamOptions {
  unsigned threads = 0;  // 0: one per core
  // The i-th chunk uses random stream first_stream + i. Chunk boundaries depend on the bytes alone
  // (whole records, cut at the first record end at or past kChunkBytes), never on threads or reads.
  std::uint64_t first_stream = 0;
  std::function<void(const Progress&)> on_progress;  // called from the writing thread, may be empty
};
inline constexpr std::size_t kChunkBytes = 256 * 1024;
inline constexpr std::size_t kLargestRecord = 64 * 1024 * 1024;  // a longer record is Error(bad_data)

// Streams records from source to sink in order, privatising their documents. Memory is bounded by
// a few chunks per thread. Does not call sink.finish(): the caller decides that all is well.
TextCounts privatize_stream(ByteSource& source, ByteSink& sink, Format& format,
                            const Privatizer& privatizer, const RandomSource& random,
                            const StreamOptions& options);

}  // namespace sotto
