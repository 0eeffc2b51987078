#include "model/tar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/model_fixtures.h"
#include "model/tar_fixture.h"

namespace sotto::test {
namespace {

using ::testing::HasSubstr;

std::string extract(const std::string& archive, std::string_view name) {
  const auto source = source_of_string(archive);
  const auto entry = open_tar_entry(*source, name, "the archive");
  std::string bytes;
  char buffer[100];
  for (std::size_t got = 0; (got = entry->read(buffer, sizeof buffer)) > 0;) bytes.append(buffer, got);
  return bytes;
}

std::string tar_refusal(const std::string& archive, std::string_view name = "b") {
  return error_of(ErrorCode::bad_data, [&] { extract(archive, name); });
}

TEST(Tar, FindsAFileBehindOthers) {
  const std::string large(1500, 'y');
  const std::string archive = tar_entry("dir/", "", '5') + tar_entry("a", "canary") +
                              tar_entry("pax", "30 x=y\n", 'x') + tar_entry("b", "link", '2') +
                              tar_entry("b", large) + tar_entry("c", "") + tar_end();
  EXPECT_EQ(extract(archive, "a"), "canary");
  EXPECT_EQ(extract(archive, "b"), large);
  EXPECT_EQ(extract(archive, "c"), "");
  EXPECT_EQ(extract(gzip(archive), "b"), large);
  EXPECT_THAT(tar_refusal(archive, "d"), HasSubstr("expected file"));
}

TEST(Tar, JoinsThePrefix) {
  std::string archive = tar_entry("name", "contents");
  archive.replace(345, 3, "dir");
  archive.replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (int i = 0; i < 512; ++i) sum += static_cast<unsigned char>(archive[i]);
  char octal[8];
  std::snprintf(octal, sizeof octal, "%06o", sum);
  archive.replace(148, 7, octal, 7);
  EXPECT_EQ(extract(archive + tar_end(), "dir/name"), "contents");
}

TEST(Tar, IsRefusedAtEveryShorterLength) {
  const std::string archive = tar_entry("a", "canary") + tar_entry("b", std::string(100, 'y'));
  const std::size_t end_of_b = 512 + 512 + 512 + 100;
  EXPECT_EQ(extract(archive.substr(0, end_of_b), "b").size(), 100);
  for (std::size_t length = 0; length < end_of_b; ++length) tar_refusal(archive.substr(0, length));
}

TEST(Tar, RefusesADamagedHeader) {
  const std::string good = tar_entry("b", "canary") + tar_end();
  for (std::size_t byte = 0; byte < 512; ++byte) {
    std::string archive = good;
    archive[byte] = static_cast<char>(archive[byte] ^ 1);
    if (byte == 154 || byte == 155) continue;  // the ends of the checksum's own text
    tar_refusal(archive);
  }
  std::string huge = good;
  huge.replace(124, 12, "\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
  EXPECT_THAT(tar_refusal(huge), HasSubstr("not a tar archive"));
  tar_refusal("canary, and certainly no archive");
}

}  // namespace
}  // namespace sotto::test
