// The .lm file. As for the .sotto file, the input is a list of edits of a valid file: (offset, value) in
// three bytes each; the first byte says whether the checksum is then made right again, and whether the file
// is cut after the last edit.
#include "attack/lm_file.h"

#include <cmath>
#include <vector>

#include "attack/forward_backward.h"
#include "attack/kneser_ney.h"
#include "expect.h"

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
  sotto::forward_backward(chain, std::span(&document, 1), 3,
                          [](std::size_t, std::size_t, std::span<const float> posterior) {
                            for (const float p : posterior) {
                              sotto::fuzz::expect(std::isfinite(p) && p >= 0, "a posterior is a number");
                            }
                          });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::byte> kValid = valid_lm();
  if (size == 0) return 0;
  const bool forges_checksum = (data[0] & 1) != 0;
  const bool cuts = (data[0] & 2) != 0;
  std::vector<std::byte> bytes = kValid;
  std::size_t offset = bytes.size();
  for (std::size_t i = 1; i + 2 < size; i += 3) {
    offset = (data[i] + 256U * data[i + 1]) % bytes.size();
    bytes[offset] = static_cast<std::byte>(data[i + 2]);
  }
  const bool is_unchanged = bytes == kValid;
  if (cuts) bytes.resize(offset);
  if (forges_checksum && bytes.size() > 384) sotto::set_language_model_checksum(bytes);
  const bool is_whole = bytes.size() == kValid.size();
  std::shared_ptr<const sotto::LanguageModelFile> file;
  const bool accepted = sotto::fuzz::accepts([&] { file = sotto::LanguageModelFile::from_bytes(bytes); });
  if (accepted) check_lm(file->model());
  sotto::fuzz::expect(accepted || !(is_unchanged && is_whole), "the valid file is accepted");
  sotto::fuzz::expect(!accepted || forges_checksum || (is_unchanged && is_whole),
                      "an edit under the old checksum is refused");
  return 0;
}
