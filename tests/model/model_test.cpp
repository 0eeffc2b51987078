#include "sotto/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "model/model_fixtures.h"

namespace sotto::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::shared_ptr<const Model> three_words() {
  return Model::from_words(
      {"the", "canary", "caf\xc3\xa9"}, {0, 0, 0, 1, -2, 3.5F, -0.0F, 1e-40F, 3e38F}, 3,
      {.name = "three", .source = "test", .licence = "none", .rows_read = 7, .dropped_not_a_word = 4});
}

TEST(Model, HoldsWhatItWasMadeOf) {
  const auto model = three_words();
  EXPECT_EQ(model->size(), 3);
  EXPECT_EQ(model->dim(), 3);
  EXPECT_THAT(words_of(*model), ElementsAre("the", "canary", "caf\xc3\xa9"));
  EXPECT_THAT(vector_of(*model, "the"), ElementsAre(0, 0, 0));  // the zero vector is legal
  EXPECT_THAT(vector_of(*model, "canary"), ElementsAre(1, -2, 3.5F));
  EXPECT_THAT(vector_of(*model, "caf\xc3\xa9"), ElementsAre(-0.0F, 1e-40F, 3e38F));
  EXPECT_EQ(model->find("cafe"), std::nullopt);
  EXPECT_EQ(model->find(""), std::nullopt);
  EXPECT_EQ(model->find("thecanary"), std::nullopt);
}

TEST(Model, RowsArePaddedWithZerosAndAligned) {
  for (const std::size_t dim : {1, 15, 16, 17, 100}) {
    const auto model = Model::from_words({"a", "b"}, std::vector<float>(2 * dim, 1.0F), dim);
    EXPECT_EQ(model->stride() % 16, 0);
    EXPECT_LT(model->stride() - dim, 16);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(model->rows()) % 64, 0);
    for (std::size_t i = dim; i < model->stride(); ++i) {
      EXPECT_EQ(model->rows()[i], 0);
      EXPECT_EQ(model->rows()[model->stride() + i], 0);
    }
  }
}

TEST(Model, SurvivesTheFile) {
  const TemporaryFolder folder;
  const auto model = three_words();
  model->save(folder / "m.sotto", Model::Existing::refuse);
  const auto opened = Model::open(folder / "m.sotto");
  EXPECT_EQ(words_of(*opened), words_of(*model));
  EXPECT_EQ(std::memcmp(opened->rows(), model->rows(), model->size() * model->stride() * sizeof(float)), 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(opened->rows()) % 64, 0);
  EXPECT_EQ(opened->identity(), model->identity());
  EXPECT_EQ(opened->origin().name, "three");
  EXPECT_EQ(opened->origin().source, "test");
  EXPECT_EQ(opened->origin().licence, "none");
  EXPECT_EQ(opened->origin().rows_read, 7);
  EXPECT_EQ(opened->origin().dropped_not_a_word, 4);
  EXPECT_EQ(opened->origin().dropped_collision, 0);
}

TEST(Model, SavesOverAnotherFileOnlyWhenAsked) {
  const TemporaryFolder folder;
  put(folder / "m.sotto", "precious");
  const auto model = three_words();
  error_of(ErrorCode::usage, [&] { model->save(folder / "m.sotto", Model::Existing::refuse); });
  EXPECT_EQ(contents(folder / "m.sotto"), "precious");
  model->save(folder / "m.sotto", Model::Existing::replace);
  EXPECT_EQ(Model::open(folder / "m.sotto")->size(), 3);
}

TEST(Model, StaysWholeWhenItsFileIsReplacedOrDeleted) {
  const TemporaryFolder folder;
  three_words()->save(folder / "m.sotto", Model::Existing::refuse);
  const auto opened = Model::open(folder / "m.sotto");
  Model::from_words({"other"}, {9}, 1)->save(folder / "m.sotto", Model::Existing::replace);
  std::filesystem::remove(folder / "m.sotto");
  EXPECT_THAT(vector_of(*opened, "canary"), ElementsAre(1, -2, 3.5F));
}

TEST(Model, FindsEveryWordOfALargeTableAndNoOther) {
  std::vector<std::string> words;
  words.reserve(20'000);
  for (int i = 0; i < 20'000; ++i) words.push_back("w" + std::to_string(i * 7));
  const auto model = Model::from_words(words, std::vector<float>(words.size(), 0.5F), 1);
  for (std::size_t i = 0; i < words.size(); ++i) EXPECT_EQ(model->find(words[i]), word_id(i));
  for (int i = 0; i < 140'000; ++i) {
    EXPECT_EQ(model->find("w" + std::to_string(i)).has_value(), i % 7 == 0) << i;
  }
}

TEST(Model, IdentityIsOfWordsVectorsAndDimensionOnly) {
  const std::vector<std::string> words = {"ab", "c"};
  const std::string identity = Model::from_words(words, {1, 2, 3, 4}, 2)->identity();
  EXPECT_EQ(identity.size(), 64);
  const auto same = Model::from_words(words, {1, 2, 3, 4}, 2, {.name = "x", .source = "y", .licence = "z"});
  EXPECT_EQ(same->identity(), identity);
  EXPECT_EQ(same->stated_identity(), identity);
  const auto differs = [&](const std::shared_ptr<const Model>& other) {
    EXPECT_NE(other->identity(), identity);
    EXPECT_EQ(other->identity(), other->stated_identity());
  };
  differs(Model::from_words({"a", "bc"}, {1, 2, 3, 4}, 2));  // the same bytes, cut elsewhere
  differs(Model::from_words({"c", "ab"}, {1, 2, 3, 4}, 2));
  differs(Model::from_words({"ab", "d"}, {1, 2, 3, 4}, 2));
  differs(Model::from_words(words, {1, 2, 3, std::nextafter(4.0F, 5.0F)}, 2));
  differs(Model::from_words(words, {1, 2, 4, 3}, 2));
  differs(Model::from_words({"ab"}, {1, 2}, 2));
  // Only the padding tells these rows apart from a shorter one.
  EXPECT_NE(Model::from_words({"ab"}, {1, 0}, 2)->identity(), Model::from_words({"ab"}, {1}, 1)->identity());
}

TEST(Model, IdentityIsPinned) {
  // Caches are named by it: a change of its definition must be noticed. From hashlib.sha256 of
  // b"sotto model identity 1\n" + struct.pack("<QQII", 2, 1, 2, 3) + b"abc" + struct.pack("<ff", 1, -2).
  EXPECT_EQ(Model::from_words({"ab", "c"}, {1, -2}, 1)->identity(),
            "6ea9445e1f853c9220b0efafcb2661278bd3e9c022aa8b65d712b28e2c0b0660");
}

TEST(Model, KnowsWhetherItHasOneLetterWords) {
  EXPECT_TRUE(Model::from_words({"the", "z"}, {1, 2}, 1)->has_one_letter_words());
  EXPECT_FALSE(Model::from_words({"the", "1", "\xc3\xa9"}, {1, 2, 3}, 1)->has_one_letter_words());
}

TEST(Model, RefusesWhatItForbids) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const auto refuses = [](const std::vector<std::string>& words, const std::vector<float>& vectors,
                          std::size_t dim, const ModelOrigin& origin = {}) {
    return error_of(ErrorCode::bad_data, [&] { Model::from_words(words, vectors, dim, origin); });
  };
  refuses({}, {}, 1);
  refuses({"canary"}, {}, 0);
  refuses({"canary"}, {1, 2, 3}, 2);
  refuses({"canary"}, {1, 2}, 1);
  refuses({"canary", ""}, {1, 2}, 1);
  EXPECT_THAT(refuses({"canary", "x", "canary"}, {1, 2, 3}, 1), HasSubstr("equal words"));
  EXPECT_THAT(refuses({"canary"}, {nan}, 1), HasSubstr("NaN"));
  refuses({"canary", "b"}, {1, -infinity}, 1);
  refuses({"canary\xff"}, {1}, 1);
  refuses({"canary\xc3", "\xa9"}, {1, 2}, 1);  // valid only when joined
  refuses({"canary\n"}, {1}, 1);
  refuses({"canary\xc2\x9b"}, {1}, 1);
  refuses({"canary"}, {1}, 1, {.name = "x\x1b[2J", .source = "", .licence = ""});
  refuses({"canary"}, std::vector<float>(70'000), 70'000);
}

TEST(Model, RankPriorIsZipfMandelbrot) {
  const auto prior = rank_prior(*Model::from_words({"a", "b", "c"}, {1, 2, 3}, 1));
  const double total = 1 / 3.7 + 1 / 4.7 + 1 / 5.7;
  EXPECT_DOUBLE_EQ(prior[0], 1 / 3.7 / total);
  EXPECT_DOUBLE_EQ(prior[2], 1 / 5.7 / total);
  EXPECT_NEAR(std::accumulate(prior.begin(), prior.end(), 0.0), 1, 1e-15);
}

}  // namespace
}  // namespace sotto::test
