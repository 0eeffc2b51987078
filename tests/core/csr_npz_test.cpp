#include "core/csr_npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <vector>

#include "sotto/error.h"

namespace sotto {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Seeds of the fuzz target, as scipy.sparse.save_npz lays them out (tests/support/sparse_npz.py made them).
std::string seed(const std::string& name) {
  std::ifstream bytes(std::string(SOTTO_SOURCE_DIR) + "/fuzz/corpus/npz/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(bytes), std::istreambuf_iterator<char>()};
}

std::vector<double> csr_values(const std::string& bytes, std::size_t rows_at_once = 2) {
  CsrReader reader(bytes, "the file");
  std::vector<double> piece(rows_at_once * reader.shape().cols);
  std::vector<double> all;
  while (const std::size_t rows = reader.read(piece)) {
    all.insert(all.end(), piece.begin(),
               piece.begin() + static_cast<std::ptrdiff_t>(rows * reader.shape().cols));
  }
  return all;
}

std::string csr_refusal(const std::string& bytes) {
  try {
    (void)csr_values(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    return error.what();
  }
  return "accepted";
}

// Five rows of seven columns: an empty one, one with its columns in disorder, one with a place twice.
const std::vector<double> kValues = {
    1.5, 0, 0, 0,   0, 0, -2,  // NOLINT(bugprone-throwing-static-initialization)
    0,   0, 0, 0,   0, 0, 0,   //
    0,   0, 4, .25, 0, 0, 0,   //
    0,   3, 0, 0,   0, 0, 0,   //
    0,   0, 0, 0,   0, 7, 0};

TEST(CsrNpz, ReadsWhatScipyWrites) {
  EXPECT_EQ(csr_values(seed("deflated")), kValues);
  EXPECT_EQ(csr_values(seed("deflated"), 5), kValues);
  EXPECT_EQ(csr_values(seed("stored")), kValues);
  EXPECT_EQ(csr_values(seed("big_endian")), kValues);
  EXPECT_THAT(csr_values(seed("counts")), ElementsAre(0, 2, 3, 0));
  EXPECT_EQ(csr_values(seed("empty_rows")), std::vector<double>(12, 0.0));
  EXPECT_EQ(CsrReader(seed("stored"), "").shape().type, NpyShape::Type::float32);
  EXPECT_EQ(CsrReader(seed("counts"), "").shape().type, NpyShape::Type::float64);
}

TEST(CsrNpz, SaysWhatToDo) {
  EXPECT_THAT(csr_refusal(seed("csc")), HasSubstr("save matrix.tocsr()"));
  EXPECT_THAT(csr_refusal(seed("cut")), HasSubstr("get a whole copy"));
  EXPECT_THAT(csr_refusal("PK\x03\x04"), HasSubstr("its directory is missing"));
  EXPECT_THAT(csr_refusal(""), HasSubstr("the file: "));
}

// Every cut and every changed byte is refused as bad data, or changes no value (the time of a member is in no
// checksum). A reader that skips a checksum or a bound fails here.
TEST(CsrNpz, DamageNeverChangesAValue) {
  for (const char* name : {"deflated", "stored"}) {
    const std::string whole = seed(name);
    ASSERT_FALSE(whole.empty());
    std::size_t refused = 0;
    const auto check = [&](const std::string& bytes) {
      try {
        EXPECT_EQ(csr_values(bytes), kValues);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_data);
        ++refused;
      }
    };
    for (std::size_t size = 0; size < whole.size(); ++size) check(whole.substr(0, size));
    EXPECT_EQ(refused, whole.size());
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const int flip : {0x01, 0x80, 0xff}) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ flip);
        check(bytes);
      }
    }
    EXPECT_GT(refused, 2 * whole.size());
  }
}

TEST(CsrNpz, MessagesDoNotQuoteTheFile) {
  std::string bytes = seed("stored");
  for (std::size_t at = bytes.find("format.npy"); at != std::string::npos; at = bytes.find("format.npy")) {
    bytes.replace(at, 10, "canary.npy");
  }
  EXPECT_THAT(csr_refusal(bytes), HasSubstr("without a sparse matrix"));
  EXPECT_THAT(csr_refusal(bytes), Not(HasSubstr("canary")));
}

}  // namespace
}  // namespace sotto
