#pragma once
#include <string>

#include "attack/lm_file.h"
#include "attack/token_text.h"

namespace sotto {

struct TrainingOptions {
  unsigned order = 3;  // 1, 2 or 3
  // One document in `held_out_every` is kept out of the counts and stored in the file, up to
  // `most_held_out` tokens, so that weights can be fitted on public text that the counts have not seen. No
  // document is held out if there are fewer than `held_out_every`.
  std::size_t held_out_every = 20;
  std::size_t most_held_out = 6000;
};

// Interpolated Kneser-Ney with three discounts for each order (Chen and Goodman 1999), over the words of the
// model with `identity`, which has `size` words. Every word gets a probability above 0.
//
// The bigram of the file uses counts of occurrences. The back-off bigram of order 3 counts different words
// before it, as Kneser and Ney do for lower orders. Memory: 16 bytes for each token of the text. Throws
// Error(bad_data) if the text has no tokens, or the model is too large for order 3.
LanguageModelParts train_kneser_ney(const TokenText& text, const std::string& identity, std::size_t size,
                                    WordId anchor, const TrainingOptions& options);

}  // namespace sotto
