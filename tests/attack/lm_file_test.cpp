#include "attack/lm_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "attack/small_lm.h"
#include "core/temporary_folder.h"
#include "sotto/error.h"

namespace sotto {
namespace {

using ::testing::HasSubstr;

std::vector<std::byte> valid_bytes() {
  const auto file = test::trained(test::chained_text({}), 6, 3);
  return {file->bytes().begin(), file->bytes().end()};
}

std::string refusal(const std::vector<std::byte>& bytes) {
  try {
    LanguageModelFile::from_bytes(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    return error.what();
  }
  return "";
}

TEST(LmFile, KeepsEverything) {
  const auto made = test::trained(test::chained_text({}), 6, 3);
  const test::TemporaryFolder folder;
  made->save(folder.path() / "a.lm", Overwrite::refuse);
  const auto read = LanguageModelFile::open(folder.path() / "a.lm");
  EXPECT_EQ(read->model().identity, test::kSomeIdentity);
  EXPECT_EQ(read->model().order, 3U);
  EXPECT_FALSE(read->model().held_out.empty());
  for (std::size_t u = 0; u <= 6; ++u) {
    for (std::size_t v = 0; v < 6; ++v) {
      for (std::size_t w = 0; w < 6; ++w)
        EXPECT_EQ(read->model().trigram(u, v, w), made->model().trigram(u, v, w));
    }
  }
}

TEST(LmFile, RefusesDamage) {
  const auto valid = valid_bytes();
  EXPECT_EQ(refusal(valid), "");
  auto flipped = valid;
  flipped[flipped.size() / 2] ^= std::byte{1};
  EXPECT_THAT(refusal(flipped), HasSubstr("checksum"));
  auto cut = valid;
  cut.resize(cut.size() - 7);
  EXPECT_THAT(refusal(cut), HasSubstr("truncated"));
  EXPECT_THAT(refusal({}), HasSubstr("sotto lm train"));
  EXPECT_THAT(refusal(std::vector<std::byte>(1000)), HasSubstr("sotto lm train"));
}

// Every single byte changed, with a right checksum: either refused, or every lookup stays in bounds (which
// the sanitizers watch).
TEST(LmFile, ForgedFilesCannotBeReadOutside) {
  const auto valid = valid_bytes();
  for (std::size_t place = 8; place < valid.size(); ++place) {
    auto forged = valid;
    forged[place] ^= std::byte{0x41};
    set_language_model_checksum(forged);
    if (place >= 16 && place < 24) continue;  // the checksum itself
    try {
      const auto file = LanguageModelFile::from_bytes(forged);
      const LanguageModel& lm = file->model();
      for (std::size_t w = 0; w < lm.size; ++w) {
        EXPECT_GE(lm.trigram(lm.start(), w % lm.size, w), 0);
        EXPECT_GE(lm.bigram(w, w), 0);
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_data);
    }
  }
}

TEST(LmFile, AnotherModelIsRefused) {
  const auto file = test::trained(test::chained_text({}), 6, 2);
  require_same_words(file->model(), test::kSomeIdentity);
  EXPECT_THROW(require_same_words(file->model(), std::string(64, 'b')), Error);
}

}  // namespace
}  // namespace sotto
