#include "core/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <thread>

#include "core/descriptor.h"
#include "core/temporary_folder.h"
#include "sotto/error.h"

namespace sotto {
namespace {

using test::contents;
using test::put;
using test::TemporaryFolder;
using ::testing::HasSubstr;
using Temporary = OutputFile::Temporary;

void write_whole(const std::filesystem::path& path, Overwrite overwrite, Temporary temporary,
                 std::string_view bytes) {
  OutputFile file(path, overwrite, temporary);
  file.write(bytes);
  file.commit();
}

Error error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {ErrorCode::internal, ""};
}

mode_t mode_of(const std::filesystem::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

class OutputFileBothWays : public ::testing::TestWithParam<Temporary> {
 protected:
  TemporaryFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(Ways, OutputFileBothWays,
                         ::testing::Values(Temporary::unnamed_if_possible, Temporary::named));

TEST_P(OutputFileBothWays, AppearsWholeAtCommitOnly) {
  std::string expected;
  OutputFile file(folder_ / "out.csv", Overwrite::refuse, GetParam());
  for (int i = 0; i < 200; ++i) {  // across and beyond the buffer
    const std::string piece(static_cast<std::size_t>(i) * 97, static_cast<char>('a' + i % 26));
    file.write(piece);
    expected += piece;
  }
  const std::string large(1 << 20, 'z');
  file.write(large);
  file.write("end");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out.csv"));
  file.commit();
  EXPECT_EQ(contents(folder_ / "out.csv"), expected + large + "end");
  EXPECT_EQ(folder_.entries(), 1);
}

TEST_P(OutputFileBothWays, EmptyFile) {
  write_whole(folder_ / "empty", Overwrite::refuse, GetParam(), "");
  EXPECT_EQ(contents(folder_ / "empty"), "");
}

TEST_P(OutputFileBothWays, NothingIsLeftWithoutCommit) {
  {
    OutputFile file(folder_ / "out", Overwrite::refuse, GetParam());
    file.write(std::string(1 << 20, 'x'));
  }
  EXPECT_EQ(folder_.entries(), 0);
  put(folder_ / "old", "old");
  {
    OutputFile file(folder_ / "old", Overwrite::replace, GetParam());
    file.write("new");
  }
  EXPECT_EQ(contents(folder_ / "old"), "old");
  EXPECT_EQ(folder_.entries(), 1);
}

TEST_P(OutputFileBothWays, ExistingFileIsRefusedAtOnce) {
  put(folder_ / "out", "old");
  const Error error = error_of([&] { OutputFile(folder_ / "out", Overwrite::refuse, GetParam()); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_THAT(error.what(), HasSubstr("`force`"));
  EXPECT_EQ(contents(folder_ / "out"), "old");
}

TEST_P(OutputFileBothWays, FileThatAppearsMeanwhileIsRefusedAtCommit) {
  {
    OutputFile file(folder_ / "out", Overwrite::refuse, GetParam());
    file.write("new");
    put(folder_ / "out", "theirs");
    EXPECT_EQ(error_of([&] { file.commit(); }).code(), ErrorCode::usage);
  }
  EXPECT_EQ(contents(folder_ / "out"), "theirs");
  EXPECT_EQ(folder_.entries(), 1);
}

TEST_P(OutputFileBothWays, ReplaceReplacesAndKeepsTheMode) {
  put(folder_ / "out", "old and longer");
  ::chmod((folder_ / "out").c_str(), 0640);
  write_whole(folder_ / "out", Overwrite::replace, GetParam(), "new");
  EXPECT_EQ(contents(folder_ / "out"), "new");
  EXPECT_EQ(mode_of(folder_ / "out"), 0640U);
  EXPECT_EQ(folder_.entries(), 1);
  write_whole(folder_ / "other", Overwrite::replace, GetParam(), "first");  // nothing to replace
  EXPECT_EQ(contents(folder_ / "other"), "first");
  EXPECT_EQ(folder_.entries(), 2);
}

TEST_P(OutputFileBothWays, ModeFollowsTheUmask) {
  const mode_t before = ::umask(0027);
  write_whole(folder_ / "out", Overwrite::refuse, GetParam(), "x");
  ::umask(before);
  EXPECT_EQ(mode_of(folder_ / "out"), 0640U);
}

TEST_P(OutputFileBothWays, SymbolicLinkIsFollowed) {
  std::filesystem::create_directory(folder_ / "far");
  put(folder_ / "far/real", "old");
  std::filesystem::create_symlink("far/real", folder_ / "link");
  std::filesystem::create_symlink("link", folder_ / "chain");
  std::filesystem::create_symlink("far/fresh", folder_ / "dangling");
  EXPECT_EQ(error_of([&] { OutputFile(folder_ / "chain", Overwrite::refuse, GetParam()); }).code(),
            ErrorCode::usage);
  write_whole(folder_ / "chain", Overwrite::replace, GetParam(), "new");
  write_whole(folder_ / "dangling", Overwrite::refuse, GetParam(), "fresh");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "chain"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
  EXPECT_EQ(contents(folder_ / "far/real"), "new");
  EXPECT_EQ(contents(folder_ / "far/fresh"), "fresh");
}

TEST_P(OutputFileBothWays, LongestNameWorks) {
  const std::string name(255, 'n');
  write_whole(folder_ / name, Overwrite::refuse, GetParam(), "1");
  write_whole(folder_ / name, Overwrite::replace, GetParam(), "2");
  EXPECT_EQ(contents(folder_ / name), "2");
  EXPECT_EQ(error_of([&] { OutputFile(folder_ / (name + "n"), Overwrite::refuse, GetParam()); }).code(),
            ErrorCode::input_output);
}

TEST(OutputFile, NamedTemporaryFileIsPrivate) {
  const TemporaryFolder folder;
  const OutputFile file(folder / "out", Overwrite::refuse, Temporary::named);
  ASSERT_EQ(folder.entries(), 1);
  const auto entry = *std::filesystem::directory_iterator(folder.path());
  EXPECT_EQ(mode_of(entry.path()), 0600U);
  EXPECT_THAT(entry.path().filename().string(), ::testing::StartsWith(".out.sotto-"));
}

TEST(OutputFile, RelativePathWithoutFolder) {
  const TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  write_whole("plain", Overwrite::refuse, Temporary::unnamed_if_possible, "here");
  std::filesystem::current_path(before);
  EXPECT_EQ(contents(folder / "plain"), "here");
}

TEST(OutputFile, FullDeviceIsAnError) {
  if (::access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
  for (const std::size_t size : {1UL, 1UL << 22}) {  // found at commit, and at write
    OutputFile file("/dev/full", Overwrite::refuse);
    const Error error = error_of([&] {
      file.write(std::string(size, 'x'));
      file.commit();
    });
    EXPECT_EQ(error.code(), ErrorCode::input_output);
    EXPECT_THAT(error.what(), HasSubstr("No space left on device; free some space"));
    EXPECT_THROW(file.commit(), Error);  // a failed file cannot be made to look whole
  }
}

TEST(OutputFile, DeviceAndPipeAreWrittenDirectly) {
  write_whole("/dev/null", Overwrite::refuse, Temporary::unnamed_if_possible, "x");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::string received;
  {
    const std::jthread reader([&] { received = contents(folder / "pipe"); });
    write_whole(folder / "pipe", Overwrite::replace, Temporary::unnamed_if_possible, "through");
  }
  EXPECT_EQ(received, "through");
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
}

TEST(OutputFile, FoldersAndBadPaths) {
  const TemporaryFolder folder;
  put(folder / "file", "x");
  const auto code_of = [](const std::filesystem::path& path) {
    return error_of([&] { OutputFile(path, Overwrite::replace); }).code();
  };
  EXPECT_EQ(code_of(folder.path()), ErrorCode::usage);
  EXPECT_EQ(code_of(folder / ""), ErrorCode::usage);
  EXPECT_EQ(code_of(folder / "new/"), ErrorCode::usage);
  EXPECT_EQ(code_of(""), ErrorCode::usage);
  EXPECT_EQ(code_of(folder / "absent/out"), ErrorCode::input_output);
  EXPECT_EQ(code_of(folder / "file/out"), ErrorCode::input_output);
  std::filesystem::create_symlink("loop", folder / "loop");
  EXPECT_EQ(code_of(folder / "loop"), ErrorCode::input_output);
  EXPECT_EQ(folder.entries(), 2);
}

TEST(OutputFile, UnwritableFolder) {
  const TemporaryFolder folder;
  ::chmod(folder.path().c_str(), 0555);
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;  // root may write everywhere
    if (::geteuid() == 0 && ::setresuid(kNobody, kNobody, kNobody) != 0) ::_exit(99);
    try {
      const OutputFile file(folder / "out", Overwrite::refuse);
    } catch (const Error& error) {
      ::_exit(static_cast<int>(error.code()));
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 99) GTEST_SKIP() << "cannot become another user here";
  EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(ErrorCode::input_output));
  EXPECT_EQ(folder.entries(), 0);
}

TEST(OutputFile, MisuseIsOurBug) {
  const TemporaryFolder folder;
  OutputFile file(folder / "out", Overwrite::refuse);
  file.commit();
  EXPECT_EQ(error_of([&] { file.commit(); }).code(), ErrorCode::internal);
  EXPECT_EQ(error_of([&] { file.write("x"); }).code(), ErrorCode::internal);
}

TEST(OutputFile, KilledWriterLeavesNothing) {
  const TemporaryFolder folder;
  if (const Descriptor probe(::open(folder.path().c_str(), O_TMPFILE | O_WRONLY, 0600)); !probe.is_open()) {
    GTEST_SKIP() << "no O_TMPFILE here";
  }
  const pid_t child = ::fork();
  if (child == 0) {
    OutputFile file(folder / "out", Overwrite::refuse);
    file.write(std::string(1 << 20, 'x'));
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(folder.entries(), 0);
}

}  // namespace
}  // namespace sotto
