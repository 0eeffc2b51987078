#include "text/all_documents.h"

#include "text/pipeline.h"
#include "text/pipeline_reader.h"

namespace sotto {

AllDocuments read_all_documents(ByteSource& source, const ReadingOptions& reading,
                                const std::filesystem::path& name) {
  const std::unique_ptr<Format> format = make_format(reading, name);
  ChunkReader reader(source, *format, {.chunk_bytes = kChunkBytes, .largest_record = kLargestRecord});
  AllDocuments out;
  std::string bytes;
  ParsedChunk chunk;
  std::size_t before = 0;  // records of earlier chunks that have documents
  while (const std::uint64_t line = reader.next(bytes)) {
    chunk.clear();
    format->parse(bytes, line, chunk);
    for (std::size_t i = 0; i < chunk.documents.size(); ++i) {
      out.texts.emplace_back(chunk.documents[i]);
      out.records.push_back(before + chunk.records[i]);
    }
    if (!chunk.records.empty()) before += chunk.records.back() + 1;
  }
  format->check_end();
  return out;
}

}  // namespace sotto
