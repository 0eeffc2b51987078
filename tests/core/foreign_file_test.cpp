#include "core/foreign_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sotto/error.h"

namespace sotto {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;

std::string expanded(std::string bytes) {
  const auto source = source_of_string(std::move(bytes));
  std::string out;
  char buffer[100];
  while (const std::size_t count = source->read(buffer, sizeof buffer)) out.append(buffer, count);
  return out;
}

std::string foreign_refusal(std::string bytes) {
  try {
    expanded(std::move(bytes));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    return error.what();
  }
  return "read";
}

TEST(ForeignFile, KindsAreRecognisedWithAdvice) {
  EXPECT_THAT(foreign_refusal("PAR1\x15\x04\x15"s), HasSubstr("a Parquet file"));
  EXPECT_THAT(foreign_refusal("PK\x03\x04\x14\0"s), HasSubstr("save the sheet as CSV"));
  EXPECT_THAT(foreign_refusal("\xd0\xcf\x11\xe0\xa1\xb1"s), HasSubstr("old Excel"));
  EXPECT_THAT(foreign_refusal("\xfd"
                              "7zXZ\0\0"s),
              HasSubstr("xz -dc"));
  EXPECT_THAT(foreign_refusal("BZh91AY&SY\x12"s), HasSubstr("bzip2 -dc"));
  EXPECT_THAT(foreign_refusal("%PDF-1.7\n"s), HasSubstr("pdftotext"));
  EXPECT_THAT(foreign_refusal("\xff\xfeh\0i\0"s), HasSubstr("UTF-16"));
}

// What begins like one of them and is text is read whole.
TEST(ForeignFile, TextsThatBeginAlikeAreRead) {
  for (const std::string text :
       {"PAR1 is a gene", "PAR1", "PK", "BZh9", "BZh91AY&S", "%PDF", "%", "", "P", "BZ\n"}) {
    EXPECT_EQ(expanded(text), text);
  }
}

}  // namespace
}  // namespace sotto
