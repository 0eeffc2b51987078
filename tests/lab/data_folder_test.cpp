#include "lab/data_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "core/temporary_folder.h"
#include "sotto/error.h"

namespace sotto::lab {
namespace {

using ::testing::HasSubstr;

const DataFile kFile{.set = "The Set", .names = {"a/first.txt", "second.txt"}, .published = "its page"};

TEST(DataFolder, ReadsTheFirstNameThatIsThere) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.path() / "second.txt") << "two";
  EXPECT_EQ(DataFolder(folder.path()).read(kFile), "two");
  std::filesystem::create_directory(folder.path() / "a");
  std::ofstream(folder.path() / "a/first.txt") << "one";
  EXPECT_EQ(DataFolder(folder.path()).read(kFile), "one");
}

TEST(DataFolder, ReadsPackedFiles) {
  for (const std::string program : {"gzip", "xz"}) {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "second.txt";
    std::ofstream(file) << "line\nline\n";
    // NOLINTNEXTLINE(bugprone-command-processor): programs that every machine has, on a path of our own
    ASSERT_EQ(std::system((program + " '" + file.string() + "'").c_str()), 0);
    EXPECT_EQ(DataFolder(folder.path()).read(kFile), "line\nline\n") << program;
  }
}

TEST(DataFolder, ADamagedPackedFileIsAnError) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.path() / "second.txt.xz") << "no xz";
  EXPECT_THROW((void)DataFolder(folder.path()).read(kFile), Error);
}

TEST(DataFolder, AMissingFileIsNamedWithWhereItIsPublished) {
  const test::TemporaryFolder folder;
  try {
    (void)DataFolder(folder.path()).read(kFile);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input_output);
    EXPECT_THAT(error.what(), HasSubstr("a/first.txt, or second.txt"));
    EXPECT_THAT(error.what(), HasSubstr("its page"));
  }
  EXPECT_THROW(DataFolder(folder.path() / "not there"), Error);
}

TEST(DataFolder, OnlyLineFeedsEndLines) {
  EXPECT_THAT(lines_of("one\xC2\x85still\r\ntwo\n\nfour"),
              ::testing::ElementsAre("one\xC2\x85still", "two", "", "four"));
  EXPECT_THAT(lines_of(""), ::testing::IsEmpty());
}

}  // namespace
}  // namespace sotto::lab
