// The .lm file, damaged and forged.
#include "attack/lm_file.h"

#include <cmath>
#include <vector>

#include "attack/forward_backward.h"
#include "attack/kneser_ney.h"
#include "damage.h"

namespace {

std::vector<std::byte> valid_lm() {
  sotto::TokenText text;
  for (const unsigned word : {0U, 1U, 2U, 0U, 1U, 3U, 2U, 2U, 0U, 1U})
    text.words.push_back(sotto::word_id(word));
  text.ends = {4, 8, 10};
  const auto file = sotto::LanguageModelFile::make(sotto::train_kneser_ney(
      text, std::string(64, '0'), 4, sotto::word_id(1), {.order = 3, .held_out_every = 3}));
  return {file->bytes().begin(), file->bytes().end()};
}

// Every look-up stays in bounds and gives a number; messages do not become NaN.
void check_lm(const sotto::LanguageModel& lm) {
  for (std::size_t u = 0; u <= lm.size; ++u) {
    for (std::size_t v = 0; v < lm.size; ++v) {
      for (std::size_t w = 0; w < lm.size; ++w) {
        const double p = lm.trigram(u, v, w);
        sotto::fuzz::expect(std::isfinite(p) && p >= 0, "a probability is a number of at least 0");
      }
    }
  }
  const sotto::BigramChain chain(lm);
  const std::vector<float> column(lm.size, 1.0F);
  const std::vector<const float*> tokens(5, column.data());
  const sotto::ColumnPointers document(tokens);
  sotto::forward_backward(chain, std::span(&document, 1), {.most_messages = 3},
                          [](std::size_t, std::size_t, std::span<const float> posterior) {
                            for (const float p : posterior) {
                              sotto::fuzz::expect(std::isfinite(p) && p >= 0, "a posterior is a number");
                            }
                          });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::byte> kValid = valid_lm();
  std::shared_ptr<const sotto::LanguageModelFile> file;
  sotto::fuzz::try_damaged(
      kValid, data, size,
      [](std::vector<std::byte>& bytes) {
        if (bytes.size() > 384) sotto::set_language_model_checksum(bytes);
      },
      [&](std::vector<std::byte> bytes) { file = sotto::LanguageModelFile::from_bytes(std::move(bytes)); });
  if (file) check_lm(file->model());
  return 0;
}
