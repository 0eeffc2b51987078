#include "attack/documents.h"

#include "sotto/byte_stream.h"
#include "text/format.h"
#include "text/pipeline.h"
#include "text/pipeline_reader.h"

namespace sotto {

void for_each_document(const std::filesystem::path& path, const ReadingOptions& reading,
                       const std::function<void(std::string_view text)>& body) {
  const std::unique_ptr<Format> format = make_format(reading, path);
  const std::unique_ptr<ByteSource> source = open_source(path);
  // Whoever needs documents says what to do without them.
  ChunkReader reader(*source, *format,
                     {.chunk_bytes = kChunkBytes, .largest_record = kLargestRecord, .may_be_empty = true});
  std::string bytes;
  ParsedChunk parsed;
  for (std::uint64_t line = 0; (line = reader.next(bytes)) != 0;) {
    parsed.clear();
    format->parse(bytes, line, parsed);
    for (const std::string_view document : parsed.documents) body(document);
  }
  format->check_end();
}

}  // namespace sotto
