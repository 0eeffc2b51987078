#include "attack/english.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attack/sphinx_fixture.h"
#include "core/sha256.h"
#include "core/temporary_folder.h"
#include "sotto/error.h"

namespace sotto::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A root without the package, an `apt-get` and a `dpkg-deb` of the test's own, and a folder to work in.
class English : public ::testing::Test {
 protected:
  English() {
    std::filesystem::create_directory(folder_ / "bin");
    std::filesystem::create_directory(folder_ / "root");
    const std::string bytes = sphinx_bytes(small_sphinx_file());
    put(folder_ / "en.bin", bytes);
    Sha256 hash;
    hash.add(bytes.data(), bytes.size());
    package_ = {.package = "small-english", .file = "usr/en.bin", .sha256 = hex_text(hash.digest())};
    options_ = {.folder = folder_ / "work",
                .root = folder_ / "root",
                .on_step = [this](const std::string& step) { steps_.push_back(step); },
                .search_path = (folder_ / "bin").string()};
  }
  void make_program(const std::string& name, const std::string& script) {
    put(folder_ / "bin" / name, "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(folder_ / "bin" / name, std::filesystem::perms::owner_all);
  }
  // Builtins and absolute paths only: there is no PATH.
  void make_good_programs() {
    make_program("apt-get", fmt::format("echo \"$@\" > {0}/arguments; echo x > small_1.deb; echo noise",
                                        folder_.path().string()));
    make_program("dpkg-deb", fmt::format("/bin/mkdir -p \"$3\"/usr; /bin/cp {0}/en.bin \"$3\"/usr/en.bin",
                                         folder_.path().string()));
  }
  ImportedLanguage fetched() { return fetch_english(package_, options_, model_, ""); }
  std::string error_of(ErrorCode code) {
    try {
      fetched();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
  std::shared_ptr<const Model> model_ = Model::from_words({"the", "soup", "was", "cold"}, {0, 1, 2, 3}, 1);
  EnglishPackage package_;
  EnglishOptions options_;
  std::vector<std::string> steps_;
};

TEST_F(English, DownloadsChecksAndLeavesNothing) {
  make_good_programs();
  const ImportedLanguage got = fetched();
  EXPECT_EQ(got.words, 5U);
  EXPECT_EQ(got.parts.order, 3U);
  EXPECT_EQ(got.parts.identity, model_->identity());
  EXPECT_EQ(contents(folder_ / "arguments"), "download -qq small-english\n");
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "work"));
  EXPECT_THAT(steps_, ElementsAre(HasSubstr("downloading"), HasSubstr("checking")));
}

TEST_F(English, TakesTheInstalledFileWithoutAnyProgram) {
  std::filesystem::create_directory(folder_ / "root/usr");
  std::filesystem::copy(folder_ / "en.bin", folder_ / "root/usr/en.bin");
  EXPECT_EQ(fetched().words, 5U);
  EXPECT_THAT(steps_, ElementsAre(HasSubstr("reading")));
}

TEST_F(English, RefusesAnotherFile) {
  make_good_programs();
  package_.sha256[0] = package_.sha256[0] == '0' ? '1' : '0';
  EXPECT_THAT(error_of(ErrorCode::bad_data), HasSubstr("not the expected one"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "work"));
}

TEST_F(English, SaysWhatToDoWithoutTheProgramsOrTheNetwork) {
  EXPECT_THAT(error_of(ErrorCode::input_output),
              AllOf(HasSubstr("apt-get was not found"), HasSubstr("`sotto lm import`"),
                    HasSubstr("`sotto lm train`")));
  make_good_programs();
  make_program("apt-get", "exit 100");
  EXPECT_THAT(error_of(ErrorCode::input_output), HasSubstr("its exit status is 100"));
  make_program("apt-get", "exit 0");
  EXPECT_THAT(error_of(ErrorCode::input_output), HasSubstr("left no file"));
}

TEST_F(English, HasNoPlaceWithoutACacheFolder) {
  EXPECT_TRUE(english_path(*model_).empty());
}

}  // namespace
}  // namespace sotto::test
