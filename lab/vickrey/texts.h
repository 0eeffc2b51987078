#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "lab/vickrey/embeddings.h"
#include "sotto/model.h"

namespace sotto::lab::vickrey {

// Labelled texts in words of an embedding.
struct Texts {
  static constexpr std::int32_t kUnknown = -1;
  std::vector<std::int32_t> words;   // text after text; kUnknown where the embedding has no vector
  std::vector<std::size_t> ends;     // of each text in `words`
  std::vector<std::uint8_t> labels;  // 0 or 1

  [[nodiscard]] std::size_t size() const noexcept { return ends.size(); }
  [[nodiscard]] std::span<const std::int32_t> text(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::span(words).subspan(begin, ends[i] - begin);
  }
};

// Splits texts as `privatize --strip-html` does and looks their words up.
class TextReader {
 public:
  // The first `most` words of each text are read.
  TextReader(const std::shared_ptr<const Model>& vectors, std::size_t most);
  ~TextReader();
  TextReader(TextReader&&) = delete;
  void add(std::string_view text, std::uint8_t label, Texts& out);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The tokens of a text that a mechanism replaces: those whose word is in the domain. All others stay.
struct Redactable {
  std::vector<std::size_t> places;  // in Texts::words
  std::vector<WordId> words;        // of the domain
};
Redactable redactable(const Texts& texts, const Domain& domain);
// The texts with `outputs` (words of the domain) in those places.
Texts redacted(const Texts& texts, const Domain& domain, const Redactable& tokens,
               std::span<const WordId> outputs);

}  // namespace sotto::lab::vickrey
