#include "text/pipeline.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/parallel.h"
#include "text/format_pieces.h"
#include "text/pipeline_reader.h"
#include "text/pipeline_workers.h"
#include "text/words.h"

namespace sotto {
namespace {

constexpr std::size_t kChunksPerThread = 4;
// Records may be long: no further chunk is read while this much of the input is in memory.
constexpr std::size_t kBytesInFlight = kLargestRecord;

// One long record must not hold its memory until the end of the run.
void empty(std::string& text, std::size_t usual_size) {
  if (text.capacity() > 4 * usual_size) text = std::string();
  text.clear();
}

// What a worker does with a chunk; the scratch memory is its own.
class ChunkWork {
 public:
  ChunkWork(const Format& format, const Privatizer& privatizer, const RandomSource& random,
            const StreamOptions& options)
      : format_(&format), privatizer_(&privatizer), random_(&random), options_(&options) {}

  void operator()(Chunk& chunk) {
    format_->parse(chunk.bytes, chunk.first_line, parsed_);
    Rng rng = random_->stream(options_->first_stream + chunk.index);
    try {
      privatizer_->privatize(parsed_.documents, rng, replaced_, chunk.counts, parsed_.records);
    } catch (const BadDocument& bad) {
      throw bad_line(parsed_.document_lines.at(bad.document()), bad.what());
    }
    for (const Piece& piece : parsed_.pieces) {
      if (piece.document == Piece::kCopied) {
        chunk.output += piece.raw;
      } else {
        format_->append_document(piece.raw, replaced_[piece.document], chunk.output);
      }
    }
    chunk.counts.layout.add(parsed_.layout);
    parsed_.clear();
    if (chunk.bytes.size() > 4 * options_->chunk_bytes) {
      parsed_ = {};
      replaced_ = {};
    }
  }

 private:
  const Format* format_;
  const Privatizer* privatizer_;
  const RandomSource* random_;
  const StreamOptions* options_;
  ParsedChunk parsed_;
  std::vector<std::string> replaced_;
};

// The calling thread's part: reads ahead as far as memory allows, and writes in order.
class Stream {
 public:
  Stream(ByteSource& source, ByteSink& sink, Format& format, const StreamOptions& options,
         std::function<Workers::Work()> make_work)
      : source_(&source),
        sink_(&sink),
        options_(&options),
        reader_(source, format, {options.chunk_bytes, options.largest_record}),
        chunks_(thread_count(options.threads) * kChunksPerThread),
        workers_(thread_count(options.threads), std::move(make_work)) {}

  TextCounts run() {
    while (true) {
      is_reading_ = is_reading_ && !workers_.has_failed();
      const bool has_chunks = written_ < submitted_;
      if (!has_chunks && !is_reading_) break;
      if (has_chunks && (!is_reading_ || is_full() || workers_.is_done(oldest()))) {
        write_oldest();
      } else {
        read_next();
      }
    }
    // Faults of chunks before it have been thrown by now.
    if (read_fault_) std::rethrow_exception(read_fault_);
    return counts_;
  }

 private:
  Chunk& oldest() { return chunks_[written_ % chunks_.size()]; }
  [[nodiscard]] bool is_full() const {
    return submitted_ - written_ == chunks_.size() || bytes_in_flight_ >= kBytesInFlight;
  }

  void read_next() {
    Chunk& chunk = chunks_[submitted_ % chunks_.size()];
    try {
      chunk.first_line = reader_.next(chunk.bytes);
    } catch (...) {
      read_fault_ = std::current_exception();
    }
    if (read_fault_ || chunk.first_line == 0) {
      is_reading_ = false;
      return;
    }
    chunk.index = submitted_++;
    bytes_in_flight_ += chunk.bytes.size();
    workers_.submit(chunk);
  }

  void write_oldest() {
    Chunk& chunk = oldest();
    workers_.wait(chunk);
    if (options_->before_write) options_->before_write(chunk.counts);
    sink_->write(chunk.output);
    counts_.add(chunk.counts);
    bytes_in_flight_ -= chunk.bytes.size();
    empty(chunk.bytes, options_->chunk_bytes);
    empty(chunk.output, options_->chunk_bytes);
    chunk.counts = {};
    chunk.is_done = false;  // no worker has it now
    ++written_;
    if (options_->on_progress) {
      options_->on_progress({counts_.documents, counts_.tokens, source_->consumed(), source_->total()});
    }
  }

  ByteSource* source_;
  ByteSink* sink_;
  const StreamOptions* options_;
  ChunkReader reader_;
  std::vector<Chunk> chunks_;  // the i-th chunk of the input is in i modulo their number
  std::uint64_t submitted_ = 0;
  std::uint64_t written_ = 0;
  std::size_t bytes_in_flight_ = 0;
  bool is_reading_ = true;
  std::exception_ptr read_fault_;
  TextCounts counts_;
  Workers workers_;  // last: its threads use the rest
};

}  // namespace

TextCounts privatize_stream(ByteSource& source, ByteSink& sink, Format& format, const Privatizer& privatizer,
                            const RandomSource& random, const StreamOptions& options) {
  Stream stream(source, sink, format, options,
                [&] { return ChunkWork(format, privatizer, random, options); });
  const TextCounts counts = stream.run();
  format.check_end();
  return counts;
}

}  // namespace sotto
