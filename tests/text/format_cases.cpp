// Reads files of JSON lines from standard input and answers with what the format makes of each: a test in
// another language can compare thousands of files a second with its own reader.
//
// A case is a line of JSON, {"fields": [...], "missing": "refuse" or "pass", "chunk": bytes, "size": N}, and
// then N bytes, the file. The answer is a line of JSON, {"code": exit code, "documents", "missing_fields",
// "empty_lines", "size": N}, and then N bytes: the output with every document replaced by hidden(document),
// or the message.
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "sotto/byte_stream.h"
#include "sotto/error.h"
#include "text/format.h"
#include "text/pipeline_reader.h"

namespace {

using Json = nlohmann::json;

// Tells exactly what was decoded, holds none of its words, and needs escapes in JSON.
std::string hidden(std::string_view document) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text = "<";
  for (const char c : document) {
    const auto byte = static_cast<unsigned char>(c);
    text += {kHex[byte >> 4], kHex[byte & 15]};
  }
  return text + ">\"\\\n\x01\u2028";
}

std::string run(const sotto::ReadingOptions& options, std::string file, std::size_t chunk_bytes,
                Json& answer) {
  const auto format = sotto::make_format(options);
  const auto source = sotto::source_of_string(std::move(file));
  sotto::ChunkReader reader(*source, *format, {chunk_bytes, std::size_t{64} << 20});
  sotto::ParsedChunk parsed;
  sotto::LayoutCounts layout;
  std::size_t documents = 0;
  std::string chunk;
  std::string output;
  while (const std::uint64_t line = reader.next(chunk)) {
    format->parse(chunk, line, parsed);
    for (const sotto::Piece& piece : parsed.pieces) {
      if (piece.document == sotto::Piece::kCopied) {
        output += piece.raw;
      } else {
        format->append_document(piece.raw, hidden(parsed.documents.at(piece.document)), output);
      }
    }
    documents += parsed.documents.size();
    layout.add(parsed.layout);
  }
  format->check_end();
  answer["documents"] = documents;
  answer["missing_fields"] = layout.missing_fields;
  answer["empty_lines"] = layout.empty_lines;
  return output;
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string header; std::getline(std::cin, header);) {
    const Json given = Json::parse(header);
    std::string file(given["size"].get<std::size_t>(), '\0');
    std::cin.read(file.data(), static_cast<std::streamsize>(file.size()));
    const sotto::ReadingOptions options =
        sotto::ReadingOptions::parse({{"format", {"jsonl"}},
                                      {"field", given["fields"].get<std::vector<std::string>>()},
                                      {"missing-field", {given["missing"].get<std::string>()}}});
    Json answer = {{"code", 0}};
    std::string bytes;
    try {
      bytes = run(options, std::move(file), given["chunk"].get<std::size_t>(), answer);
    } catch (const sotto::Error& error) {
      answer["code"] = static_cast<int>(error.code());
      bytes = error.what();
    }
    answer["size"] = bytes.size();
    std::cout << answer.dump() << '\n' << bytes;
  }
  return 0;
}
