#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "attack/lm_file.h"
#include "sotto/byte_stream.h"
#include "sotto/model.h"

namespace sotto {

struct ArpaImport {
  LanguageModelParts parts = {};
  std::uint64_t words = 0;    // of the file
  std::uint64_t unknown = 0;  // of these, not in the model
};

// Reads a back-off language model in the ARPA format (text, perhaps compressed), orders 1 to 3; higher orders
// are left out.
//
// A back-off model says p(w|v) where (v,w) is listed, and bow(v) p(w) elsewhere. So S(v,w) = p - bow p(w),
// which may be negative, and lambda = bow. What the model of words does not have is left out: </s>, words
// that fold to a word already seen, and words that it lacks. Each row is then scaled so that it sums to 1.
// <s> is the beginning of a document and <unk> the anchor. Words that the file lacks share the probability of
// its rarest word. Throws Error(bad_data) with the line, never its text.
ArpaImport import_arpa(const std::filesystem::path& path, const std::shared_ptr<const Model>& model,
                       std::string_view anchor);
ArpaImport import_arpa(ByteSource& source, const std::shared_ptr<const Model>& model,
                       std::string_view anchor);

}  // namespace sotto
