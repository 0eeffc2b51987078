#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/model.h"
#include "text/short_words.h"
#include "text/token.h"

namespace sotto {

// Finds a token's word in a model by the public foldings of docs/specification.md section 8: folded; then
// without apostrophes (don't -> dont); then, for a model without one-letter words, a -> an and i -> me.
class Lookup {
 public:
  explicit Lookup(std::shared_ptr<const Model> model);
  [[nodiscard]] std::optional<WordId> find(std::string_view token) const;
  // Appends the word of each token of `text` to `words`, `unknown` where the model has none, and to
  // `is_unknown` whether that was so. The same words as find(), faster, with the short words of this model in
  // a table of their own.
  void find_all(const ShortWords& table, std::string_view text, std::span<const Token> tokens, WordId unknown,
                std::vector<WordId>& words, std::vector<std::uint8_t>& is_unknown) const;
  // The public word that stands for unknown ones: `wanted`, or default_anchor() if it is empty. Throws
  // Error(usage) if the model does not have it.
  [[nodiscard]] WordId anchor(std::string_view wanted) const;
  // The rules that apply to this model, for `model info` and the report.
  [[nodiscard]] std::vector<std::string> rules() const;

 private:
  // The word of a short token that the table does not have as it is.
  [[nodiscard]] std::optional<WordId> find_otherwise(const ShortWords& table, ShortWords::Key key) const;

  std::shared_ptr<const Model> model_;
  // Of these two tokens, which are frequent and have a rule of their own.
  std::optional<WordId> word_of_a_;
  std::optional<WordId> word_of_i_;
};

// Default anchor: `something` if the model has it, else the word nearest (Euclidean) to the mean vector.
WordId default_anchor(const Model& model);

}  // namespace sotto
