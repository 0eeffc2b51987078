#pragma once
#include <cstddef>
#include <span>

#include "attack/token_text.h"

namespace sotto {

// All that an attacker sees of a text: the output of every token, document by document. The type holds no
// reference to the original, so no attacker can look at it by mistake.
class ReleaseView {
 public:
  // `outputs` lives longer. It holds outputs of the mechanism only.
  explicit ReleaseView(const TokenText& outputs) : outputs_(&outputs) {}

  [[nodiscard]] std::size_t documents() const noexcept { return outputs_->documents(); }
  [[nodiscard]] std::size_t tokens() const noexcept { return outputs_->words.size(); }
  // The number of the document's first token, counted over all documents.
  [[nodiscard]] std::size_t first_token(std::size_t document) const { return outputs_->begin_of(document); }
  [[nodiscard]] std::span<const WordId> document(std::size_t index) const {
    return outputs_->document(index);
  }

 private:
  const TokenText* outputs_;
};

}  // namespace sotto
