#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "core/temporary_folder.h"
#include "core/uniform.h"
#include "lab/attack/corpus.h"
#include "lab/attack/settings.h"

namespace sotto::lab::attack {
namespace {

namespace fs = std::filesystem;
using sotto::test::contents;

constexpr std::size_t kWords = 40;

std::string word(std::size_t i) {
  return std::string("w") + static_cast<char>('a' + i / 20) + static_cast<char>('a' + i % 20);
}

// Reviews and tweets of 12 words each; the word after i is mostly i + 1, so that context says something.
class AttackExperiment : public ::testing::Test {
 protected:
  AttackExperiment() {
    std::vector<std::string> words;
    std::vector<float> vectors;
    for (std::size_t i = 0; i < kWords; ++i) {
      words.push_back(word(i));
      const std::size_t line = i / 7;
      vectors.insert(vectors.end(), {static_cast<float>(i % 7), static_cast<float>(line) * 1.1F});
    }
    Model::from_words(words, vectors, 2)->save(folder_.path() / "m.sotto", Model::Existing::refuse);
    const fs::path data = folder_.path() / "data";
    fs::create_directories(data / "imdb");
    fs::create_directories(data / "disaster_tweets");
    Rng rng = Rng::seeded_not_private(1);
    const auto text = [&] {
      std::string out;
      std::size_t own = uniform_below(rng, kWords);
      for (int j = 0; j < 12; ++j) {
        own = uniform_below(rng, 4) == 0 ? uniform_below(rng, kWords) : (own + 1) % kWords;
        out += word(own) + ' ';
      }
      return out;
    };
    std::ofstream test(data / "imdb/imdb_test.tsv");
    test << "id\tlabel\trating\tjia_split\ttext\n";
    for (int i = 0; i < 30; ++i) test << i << "\t1\t5\ttest\t" << text() << '\n';
    std::ofstream unlabelled(data / "imdb/imdb_unsup.txt");
    for (int i = 0; i < 200; ++i) unlabelled << text() << '\n';
    for (const char* name : {"train.csv", "test.csv"}) {
      std::ofstream tweets(data / "disaster_tweets" / name);
      tweets << "id,text\n";
      for (int i = 0; i < 100; ++i) tweets << i << ',' << text() << '\n';
    }
  }
  [[nodiscard]] RunRequest request() const {
    return {.data = folder_.path() / "data",
            .output = folder_.path() / "out",
            .model = folder_.path() / "m.sotto",
            .threads = 2};
  }
  static Settings settings() {
    return {.epsilons = {1},
            .reviews = 10,
            .review_words = 12,
            .rivals = {{.mechanism = "tem", .parameters = {{"gamma", "inf"}}, .from = 0.05, .to = 50},
                       {.mechanism = "laplace", .from = 0.05, .to = 50}},
            .levels = {0.5, 0.999},
            .equal_reviews = 8,
            .tweets = 20,
            .search_draws = 4000,
            .public_reviews = 200};
  }

  sotto::test::TemporaryFolder folder_;
};

TEST_F(AttackExperiment, AttacksEverySettingOnceAndGoesOnWhereItWas) {
  run_experiment(request(), settings());
  const fs::path out = folder_.path() / "out";
  const Points attacks(out / "attacks.csv", attacks_layout());
  const Points levels(out / "levels.csv", levels_layout());
  std::set<std::vector<std::string>> targets;
  for (const Points::Row& row : attacks.rows()) targets.insert({row.keys.begin(), row.keys.begin() + 4});
  EXPECT_EQ(targets.size(), 1U + 2 * 2);  // one epsilon; two mechanisms at one level on two corpora
  EXPECT_EQ(attacks.rows().size(), 8 * targets.size());
  for (const Points::Row& row : levels.rows()) {
    const bool is_within_reach = row.keys[2] == "0.5";  // .999 is above the error of a guess without output
    EXPECT_EQ(row.values[levels.value("reached")], is_within_reach ? 1 : 0);
    // 4,000 draws: the middle of the bracket scatters by .01 and the search stops within .004 if it can.
    if (is_within_reach) {
      EXPECT_NEAR(row.values[levels.value("e_opt")], 0.5, 0.1);
    }
  }
  const auto epsilon = levels.find(std::vector<std::string>{"tweets", "tem", "0.5"});
  ASSERT_TRUE(epsilon);
  const auto error = [&](const char* attacker) {
    const auto row = attacks.find(std::vector<std::string>{
        "tweets", "tem", "0.5", number_text(epsilon->values[levels.value("epsilon")]), attacker});
    return row ? row->values[attacks.value("error")] : -1;
  };
  EXPECT_GT(error("context-free"), error("bigram"));  // the texts are three quarters predictable
  EXPECT_TRUE(fs::exists(out / "epsilons-error.svg"));
  EXPECT_TRUE(fs::exists(out / "equal-tweets.svg"));
  EXPECT_THAT(contents(out / "tables.md"), ::testing::HasSubstr("level not reached"));

  const std::string before = contents(out / "attacks.csv");
  // As if it had been stopped in the middle of the last release.
  std::ofstream(out / "attacks.csv") << before.substr(0, before.size() - 200);
  run_experiment(request(), settings());
  EXPECT_EQ(contents(out / "attacks.csv"), before);
}

}  // namespace
}  // namespace sotto::lab::attack
