#include "lab/run.h"

#include <gtest/gtest.h>

#include "core/temporary_folder.h"
#include "sotto/error.h"

namespace sotto::lab {
namespace {

class RunTest : public ::testing::Test {
 protected:
  RunTest() {
    Model::from_words({"one", "two", "three"}, {1, 2, 3}, 1)
        ->save(folder_.path() / "m.sotto", Model::Existing::refuse);
  }
  RunRequest request() const {
    return {.data = folder_.path(),
            .output = folder_.path() / "out",
            .model = folder_.path() / "m.sotto",
            .words = 2,
            .seed = 5};
  }
  // The settings of the experiment are its epochs.
  static lab::Run start(const RunRequest& request, const char* experiment = "toy", const char* epochs = "3") {
    return {request, experiment, {{"epochs", epochs}}};
  }
  test::TemporaryFolder folder_;
};

TEST_F(RunTest, TheDomainIsTheMostFrequentWords) {
  const lab::Run run = start(request());
  ASSERT_EQ(run.model()->size(), 2U);
  EXPECT_EQ(run.model()->word(word_id(1)), "two");
  EXPECT_EQ(run.model()->vector(word_id(1))[0], 2.0F);
}

TEST_F(RunTest, TheSameRunGoesOnAndAnotherIsRefused) {
  (void)start(request());
  RunRequest more = request();
  more.trials = 9;
  EXPECT_NO_THROW((void)start(more));
  EXPECT_THROW((void)start(request(), "toy", "4"), Error);
  EXPECT_THROW((void)start(request(), "another"), Error);
  RunRequest quick = request();
  quick.extent = Extent::quick;
  EXPECT_THROW((void)start(quick), Error);
  RunRequest seeded = request();
  seeded.seed = 6;
  EXPECT_THROW((void)start(seeded), Error);
  RunRequest wider = request();
  wider.words = 0;
  EXPECT_THROW((void)start(wider), Error);
}

TEST_F(RunTest, SeedsDifferByNameAndRunAndRepeat) {
  const lab::Run run = start(request());
  EXPECT_EQ(run.seed_of({"tem", "1"}), run.seed_of({"tem", "1"}));
  EXPECT_NE(run.seed_of({"tem", "1"}), run.seed_of({"tem", "2"}));
  EXPECT_NE(run.seed_of({"tem", "12"}), run.seed_of({"tem1", "2"}));
}

TEST(RunRequestParts, NoneNamedMeansAll) {
  EXPECT_TRUE(RunRequest{}.has_part("imdb"));
  const RunRequest some{.parts = {"products", "imdb"}};
  EXPECT_TRUE(some.has_part("imdb"));
  EXPECT_FALSE(some.has_part("im"));
  EXPECT_FALSE(some.has_part("twitter"));
}

}  // namespace
}  // namespace sotto::lab
