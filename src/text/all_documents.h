#pragma once
#include <string>
#include <vector>

#include "sotto/byte_stream.h"
#include "sotto/reading.h"

namespace sotto {

// The documents of a whole file in memory: for questions about texts, not for releases of them.
struct AllDocuments {
  std::vector<std::string> texts;
  std::vector<std::size_t> records;  // of each text: its row or line, counted from 0
};
// `name` gives the format by its extension unless `reading` says it. Throws what the format throws.
AllDocuments read_all_documents(ByteSource& source, const ReadingOptions& reading,
                                const std::filesystem::path& name);

}  // namespace sotto
