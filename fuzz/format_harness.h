#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "expect.h"
#include "text/format.h"

namespace sotto::fuzz {

// Ends of the records, as the reading thread finds them when the bytes come `step` at a time.
inline std::vector<std::size_t> record_ends(Format& format, std::string_view bytes, std::size_t step) {
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::string_view next = bytes.substr(at, step);
    const std::size_t end = format.record_end(next);
    expect(end == Format::kOpen || (end > 0 && end <= next.size()), "a record ends within the bytes shown");
    at += end == Format::kOpen ? next.size() : end;
    if (end != Format::kOpen || at == bytes.size()) ends.push_back(at);
  }
  return ends;
}

// Shows the format its first records, as the pipeline does, until one is accepted. Returns where that one
// ends: no chunk ends before.
inline std::size_t begin(Format& format, std::string_view bytes, const std::vector<std::size_t>& ends) {
  std::size_t from = 0;
  std::uint64_t line = 1;
  for (const std::size_t end : ends) {
    const std::string_view record = bytes.substr(from, end - from);
    from = end;
    if (format.begin(record, line)) break;
    line += static_cast<std::uint64_t>(std::count(record.begin(), record.end(), '\n'));
  }
  return from;
}

struct Copy {
  std::string bytes;  // every document replaced by itself
  std::vector<std::string> documents;
};

// Parses the chunk and writes it again with each document as its own replacement.
inline void copy_chunk(const Format& format, std::string_view chunk, std::uint64_t first_line, Copy& copy) {
  ParsedChunk parsed;
  format.parse(chunk, first_line, parsed);
  std::size_t covered = 0;
  std::size_t documents = 0;
  for (const Piece& piece : parsed.pieces) {
    expect(piece.raw.data() == chunk.data() + covered, "pieces follow each other without a gap");
    covered += piece.raw.size();
    if (piece.document == Piece::kCopied) {
      copy.bytes += piece.raw;
      continue;
    }
    expect(piece.document == documents++, "documents are numbered in order");
    format.append_document(piece.raw, parsed.documents[piece.document], copy.bytes);
    copy.documents.emplace_back(parsed.documents[piece.document]);
  }
  expect(covered == chunk.size(), "pieces cover the chunk");
  expect(documents == parsed.documents.size() && documents == parsed.document_lines.size(),
         "each document has a piece");
}

// Everything the pipeline relies on. `is_exact`: an identity replacement gives the same bytes; it may
// be false only where another spelling of the same text is right.
inline void check_format(const ReadingTexts& texts, std::string_view bytes, std::size_t step, bool is_exact) {
  const ReadingOptions options = ReadingOptions::parse(texts);
  const auto format = make_format(options);
  const std::vector<std::size_t> ends = record_ends(*format, bytes, bytes.size());
  expect(record_ends(*make_format(options), bytes, step) == ends,
         "records do not depend on how bytes arrive");

  Copy whole;
  std::size_t begun = 0;
  if (!accepts([&] {
        begun = begin(*format, bytes, ends);
        copy_chunk(*format, bytes, 1, whole);
      })) {
    return;
  }
  if (is_exact) expect(whole.bytes == bytes, "an identity replacement reproduces the bytes");

  // Cut in two at a record's end, the documents are the same.
  if (ends.size() > 1) {
    const std::size_t cut = std::max(begun, ends[ends.size() / 2 - 1]);
    const std::string_view first = bytes.substr(0, cut);
    Copy parts;
    copy_chunk(*format, first, 1, parts);
    copy_chunk(*format, bytes.substr(cut),
               1 + static_cast<std::uint64_t>(std::count(first.begin(), first.end(), '\n')), parts);
    expect(parts.bytes == whole.bytes, "chunks do not change the output");
    expect(parts.documents == whole.documents, "chunks do not change the documents");
  }

  // What was written is the same documents again.
  const auto again = make_format(options);
  Copy copy;
  begin(*again, whole.bytes, record_ends(*again, whole.bytes, whole.bytes.size()));
  copy_chunk(*again, whole.bytes, 1, copy);
  expect(copy.documents == whole.documents, "the output holds the documents that were put in");
  expect(copy.bytes == whole.bytes, "a second copy changes nothing");
}

}  // namespace sotto::fuzz
