// Reads many tables with the formats of src/text, for table_differential_test.py, which compares the answers
// with Python's csv module. One request per table on standard input:
//   a line: format tsv_quotes header short_rows chunk_bytes columns replacements size
//     columns: a list such as #1,#3; replacements: how many follow, each as a line "size" and its bytes;
//   then `size` bytes, the table.
// The i-th document is replaced by the i-th replacement, from the start again when they are used up.
// One answer per table on standard output: "error CODE MESSAGE", or "ok SHORT EMPTY COUNT" and then, as a
// line "size" and its bytes each, the output and COUNT documents.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "sotto/byte_stream.h"
#include "sotto/error.h"
#include "text/format.h"
#include "text/pipeline_reader.h"

namespace {

using namespace sotto;

struct Request {
  ReadingOptions options;
  std::size_t chunk_bytes = 0;
  std::vector<std::string> replacements;
  std::string table;
};

std::string read_bytes(std::size_t size) {
  std::string bytes(size, '\0');
  std::cin.read(bytes.data(), static_cast<std::streamsize>(size));
  return bytes;
}

std::string read_text() {
  std::string line;
  std::getline(std::cin, line);
  return read_bytes(std::stoul(line));
}

bool read_request(Request& request) {
  std::string line;
  if (!std::getline(std::cin, line)) return false;
  std::istringstream words(line);
  std::string format;
  std::string quotes;
  std::string header;
  std::string short_rows;
  std::string columns;
  std::size_t replacements = 0;
  std::size_t size = 0;
  words >> format >> quotes >> header >> short_rows >> request.chunk_bytes >> columns >> replacements >> size;
  ReadingTexts texts = {{"format", {format}}, {"short-rows", {short_rows}}};
  if (header == "present") texts["header"] = {};
  if (header == "absent") texts["no-header"] = {};
  if (format == "tsv") texts["tsv-quotes"] = {quotes};
  std::istringstream list(columns);
  for (std::string column; std::getline(list, column, ',');) texts["column"].push_back(column);
  request.options = ReadingOptions::parse(texts);
  request.replacements.clear();
  while (request.replacements.size() < replacements) request.replacements.push_back(read_text());
  request.table = read_bytes(size);
  return true;
}

void answer(const Request& request) {
  const auto format = make_format(request.options);
  const auto source = source_of_string(request.table);
  ChunkReader reader(*source, *format, {request.chunk_bytes, std::size_t{1} << 20});
  LayoutCounts layout;
  std::string output;
  std::vector<std::string> documents;
  ParsedChunk parsed;
  std::string chunk;
  while (const std::uint64_t line = reader.next(chunk)) {
    format->parse(chunk, line, parsed);
    for (const Piece& piece : parsed.pieces) {
      if (piece.document == Piece::kCopied) {
        output += piece.raw;
        continue;
      }
      format->append_document(piece.raw, request.replacements[documents.size() % request.replacements.size()],
                              output);
      documents.emplace_back(parsed.documents[piece.document]);
    }
    layout.add(parsed.layout);
  }
  std::cout << "ok " << layout.short_rows << ' ' << layout.empty_lines << ' ' << documents.size() << '\n';
  std::cout << output.size() << '\n' << output;
  for (const std::string& document : documents) std::cout << document.size() << '\n' << document;
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);  // requests are written ahead of the answers
  Request request;
  while (read_request(request)) {
    try {
      answer(request);
    } catch (const Error& error) {
      std::cout << "error " << static_cast<int>(error.code()) << ' ' << error.what() << '\n';
    }
  }
  return EXIT_SUCCESS;
}
