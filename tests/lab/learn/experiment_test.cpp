#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "core/temporary_folder.h"
#include "core/uniform.h"
#include "lab/learn/settings.h"

namespace sotto::lab::learning {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::size_t kWords = 60;

std::string word(std::size_t i) {
  return std::string("w") + static_cast<char>('a' + i / 20) + static_cast<char>('a' + i % 20);
}

std::string contents(const fs::path& file) {
  std::ostringstream out;
  out << std::ifstream(file, std::ios::binary).rdbuf();
  return out.str();
}

// Words 0 to 9 are said by who liked the film, 10 to 19 by who did not; their vectors lie apart.
class LearnExperiment : public ::testing::Test {
 protected:
  LearnExperiment() {
    std::vector<std::string> words;
    std::vector<float> vectors;
    for (std::size_t i = 0; i < kWords; ++i) {
      words.push_back(word(i));
      const float group = i < 10 ? 3.0F : i < 20 ? -3.0F : 0.0F;
      vectors.insert(vectors.end(), {group, static_cast<float>(i) * 0.1F, static_cast<float>(i % 3)});
    }
    Model::from_words(words, vectors, 3)->save(folder_.path() / "m.sotto", Model::Existing::refuse);
    const fs::path data = folder_.path() / "data";
    for (const char* set : {"imdb", "disaster_tweets", "senteval", "opinion_lexicon"}) {
      fs::create_directories(data / set);
    }
    for (const char* part : {"train", "test"}) {
      std::ofstream out(data / "imdb" / (std::string("imdb_") + part + ".tsv"));
      out << "id\tlabel\trating\tjia_split\ttext\n";
      for (std::size_t i = 0; i < 400; ++i)
        out << i << '\t' << i % 2 << "\t5\ttrain\t" << text(i % 2) << '\n';
    }
    std::ofstream unlabelled(data / "imdb/imdb_unsup.txt");
    for (std::size_t i = 0; i < 300; ++i) unlabelled << text(i % 2) << '\n';
    std::ofstream sentences(data / "senteval/rt-polarity.all");
    for (std::size_t i = 0; i < 100; ++i) sentences << i % 2 << ' ' << text(i % 2) << '\n';
    // Two words of each list: a lexicon whose words are not all of one sign, in the domain.
    std::ofstream(data / "opinion_lexicon/positive-words.txt") << "; a comment\n"
                                                               << word(0) << '\n'
                                                               << word(1) << '\n';
    std::ofstream(data / "opinion_lexicon/negative-words.txt") << word(10) << '\n' << word(11) << '\n';
    for (const char* part : {"train", "dev", "test"}) {
      // Classes 0 and 1 are negative, 3 and 4 positive; 2 has texts of both and must be left out.
      std::ofstream five(data / "senteval" / (std::string("stsa.fine.") + part));
      for (std::size_t i = 0; i < 250; ++i) {
        five << i % 5 << ' ' << text(i % 5 == 2 ? i % 2 : i % 5 > 2 ? 1 : 0) << '\n';
      }
    }
    for (const char* part : {"train", "test"}) {
      // Six classes, of which two occur.
      std::ofstream questions(data / "senteval" / (std::string("TREC.") + part + ".all"));
      for (std::size_t i = 0; i < 120; ++i) questions << (i % 2 == 0 ? 0 : 4) << ' ' << text(i % 2) << '\n';
    }
    std::ofstream labelled(data / "disaster_tweets/train.csv");
    labelled << "id,text,target\n";
    for (std::size_t i = 0; i < 200; ++i) labelled << i << ',' << text(i % 2) << ',' << i % 2 << '\n';
    std::ofstream rest(data / "disaster_tweets/test.csv");
    rest << "id,text\n";
    for (std::size_t i = 0; i < 100; ++i) rest << i << ',' << text(i % 2) << '\n';
  }

  std::string text(std::size_t label) {
    std::string out;
    for (int j = 0; j < 15; ++j) {
      const std::size_t own = (label == 1 ? 0 : 10) + uniform_below(rng_, 10);
      out += word(j % 4 == 0 ? own : 20 + uniform_below(rng_, kWords - 20)) + " ";
    }
    return out;
  }
  [[nodiscard]] RunRequest request(const char* output, unsigned threads = 2) const {
    return {.data = folder_.path() / "data",
            .output = folder_.path() / output,
            .model = folder_.path() / "m.sotto",
            .threads = threads,
            .seed = 3};
  }
  static Settings settings() {
    const auto place = [](const char* task, const char* epsilon, std::size_t public_texts) {
      return Place{.part = task,
                   .task = task,
                   .series = "tem",
                   .mechanism = "tem",
                   .parameters = {{"epsilon", epsilon}, {"gamma", "inf"}},
                   .public_texts = public_texts,
                   .draws = 2};
    };
    return {.places = {place("reviews", "1", 300), place("reviews", "4", 300), place("tweets", "3", 100),
                       place("tweets", "3", 0)},
            .review_words = 50,
            .tweet_words = 40,
            .question_words = 40,
            .half = 100};
  }
  // Tasks whose public text is of another kind, or that have none; a metric that knows the task; attackers.
  static Settings more_settings() {
    Settings out = settings();
    Place review = out.places[1];
    out.places.clear();
    for (const char* task : {"mr", "sst"}) {
      Place place = review;
      place.part = "sentences";
      place.task = task;
      out.places.push_back(place);
    }
    Place questions = review;
    questions.part = "questions";
    questions.task = "trec";
    questions.public_texts = 0;
    out.places.push_back(questions);
    review.part = "attackers";
    out.attacked.push_back(review);
    review.part = "metric";
    review.scores = Scores::three;
    review.series = "tem (task metric)";
    out.places.push_back(review);
    return out;
  }
  [[nodiscard]] std::vector<Points::Row> rows(const char* output) const {
    std::vector<Points::Row> rows = Points(folder_.path() / output / "points.csv", points_layout()).rows();
    std::ranges::sort(rows, {}, &Points::Row::keys);
    return rows;
  }
  [[nodiscard]] double accuracy(const char* output, const std::vector<std::string>& keys) const {
    const Points points(folder_.path() / output / "points.csv", points_layout());
    const auto row = points.find(keys);
    EXPECT_TRUE(row) << keys[4];
    return row ? row->values[points.value("accuracy")] : 0;
  }

  Rng rng_ = Rng::seeded_not_private(1);
  test::TemporaryFolder folder_;
};

TEST_F(LearnExperiment, FillsItsFolder) {
  run_learn(request("out"), settings());
  // Reviews: four learners and two draws at two epsilons, five baselines. Tweets: three and two learners, two
  // draws, two baselines with and two without public text.
  EXPECT_EQ(rows("out").size(), 4 * 2 * 2 + 5 + (3 + 2) * 2 + 4U);
  for (const char* file : {"accuracy-eopt.svg", "public-texts.svg"}) {
    EXPECT_THAT(contents(folder_.path() / "out" / file), HasSubstr("</svg>")) << file;
  }
  const std::string tables = contents(folder_.path() / "out/tables.md");
  for (const std::string_view learner :
       {kDirect, kDefaults, kRehearsed, kFused, kClearFeatures, kPublicBest}) {
    EXPECT_THAT(tables, HasSubstr(std::string("| ") + std::string(learner) + " |"));
  }
  const auto of = [&](const char* epsilon, std::string_view learner, const char* draw) {
    return accuracy(
        "out", {"reviews", epsilon[0] == 'n' ? "none" : "tem", epsilon, "300", std::string(learner), draw});
  };
  // The words of a class are easy to tell in clear text, and private text at a large epsilon is nearly clear.
  EXPECT_GT(of("none", kClearFeatures, "1"), 0.95);
  EXPECT_GT(of("none", kSentences, "1"), 0.8);
  EXPECT_GT(of("4", kRehearsed, "2"), 0.9);
  const Points mechanisms(folder_.path() / "out/mechanisms.csv", mechanisms_layout());
  const auto error = [&](const char* epsilon) {
    return mechanisms.find(std::vector<std::string>{"reviews", "tem", epsilon})
        ->values[mechanisms.value("e_opt")];
  };
  EXPECT_GT(error("1"), error("4"));
}

TEST_F(LearnExperiment, AStoppedRunGoesOnToTheSameRows) {
  run_learn(request("whole"), settings());
  // As a kill leaves it: a third of the lines, and half of the next one.
  fs::create_directory(folder_.path() / "stopped");
  for (const char* name : {"run.json", "mechanisms.csv", "points.csv"}) {
    std::string kept = contents(folder_.path() / "whole" / name);
    if (std::string_view(name).ends_with(".csv")) kept.resize(kept.size() / 3);
    std::ofstream(folder_.path() / "stopped" / name) << kept;
  }
  run_learn(request("stopped", 1), settings());
  const auto same = [](const Points::Row& a, const Points::Row& b) {
    return a.keys == b.keys && std::ranges::equal(a.values, b.values, [](double x, double y) {
             return x == y || (std::isnan(x) && std::isnan(y));
           });
  };
  EXPECT_TRUE(std::ranges::equal(rows("stopped"), rows("whole"), same));
}

TEST_F(LearnExperiment, SentencesAndQuestions) {
  RunRequest only = request("more");
  only.parts = {"sentences", "questions"};
  run_learn(only, more_settings());
  const auto of = [&](const char* task, const char* public_texts, std::string_view learner) {
    return accuracy("more", {task, "tem", "4", public_texts, std::string(learner), "1"});
  };
  // Nearly clear at this epsilon. A middle class that was not left out would be told by chance only: 0.9 then
  // needs all the rest.
  EXPECT_GT(of("mr", "300", kRehearsed), 0.85);
  EXPECT_GT(of("sst", "300", kRehearsed), 0.9);
  EXPECT_GT(of("trec", "0", kDefaults), 0.85);
  const Points points(folder_.path() / "more/points.csv", points_layout());
  const auto found =
      points.find(std::vector<std::string>{"trec", "tem", "4", "0", std::string(kDirect), "1"});
  ASSERT_TRUE(found);
  EXPECT_TRUE(std::isnan(found->values[points.value("auc")])) << "an AUC of six classes";
  EXPECT_GT(accuracy("more", {"trec", "none", "none", "0", std::string(kClearFeatures), "1"}), 0.9);
  const std::string tables = contents(folder_.path() / "more/tables.md");
  EXPECT_THAT(tables, HasSubstr("Questions (TREC)"));
}

TEST_F(LearnExperiment, AMetricThatKnowsTheTaskGivesItAway) {
  RunRequest only = request("metric");
  only.parts = {"metric", "attackers"};
  run_learn(only, more_settings());
  const Points levels(folder_.path() / "metric/levels.csv", levels_layout());
  const auto level = levels.find(std::vector<std::string>{"tem (task metric)", "4"});
  ASSERT_TRUE(level);
  EXPECT_NEAR(level->values[levels.value("e_opt")], level->values[levels.value("plain_e_opt")], 0.005);
  const std::string epsilon = number_text(level->values[levels.value("epsilon")]);
  EXPECT_LT(std::stod(epsilon), 4) << "further coordinates make distances larger";
  EXPECT_GT(
      accuracy("metric", {"reviews", "tem (task metric)", epsilon, "300", std::string(kRehearsed), "1"}),
      0.9);
  const Points given(folder_.path() / "metric/given-away.csv", given_away_layout());
  // Three signs, and the other words if there are two of them.
  ASSERT_GE(given.rows().size(), 3U);
  const auto lexicon = given.find(std::vector<std::string>{"tem (task metric)", epsilon, "sign of lexicon"});
  ASSERT_TRUE(lexicon);
  // The domain has 50 of the 60 words, and the lexicon shows only in words of the domain.
  const auto domain = Model::open(folder_.path() / "metric/domain-reviews.sotto", {});
  double in_domain = 0;
  for (std::size_t w = 0; w < domain->size(); ++w) {
    for (const std::size_t listed : {0, 1, 10, 11}) in_domain += domain->word(word_id(w)) == word(listed);
  }
  EXPECT_GT(in_domain, 1);
  EXPECT_EQ(lexicon->values[given.value("words")], in_domain);
  EXPECT_LE(lexicon->values[given.value("error_after")], lexicon->values[given.value("error_before")]);

  const Points attackers(folder_.path() / "metric/attackers.csv", attackers_layout());
  const auto error = [&](const char* attacker) {
    const auto row = attackers.find(std::vector<std::string>{"reviews", "tem", "4", attacker});
    EXPECT_TRUE(row) << attacker;
    return row ? row->values[attackers.value("error")] : 0;
  };
  // 50 reviews of 15 words. Whoever guesses every word as if nothing were released errs far more often.
  EXPECT_LT(error("combined"), error("mask"));
  EXPECT_EQ(attackers.rows().front().values[attackers.value("documents")], 50);
  const std::string before = contents(folder_.path() / "metric/attackers.csv");
  run_learn(only, more_settings());
  EXPECT_EQ(contents(folder_.path() / "metric/attackers.csv"), before) << "measured twice";
}

TEST_F(LearnExperiment, APartIsRunAlone) {
  RunRequest only = request("part");
  only.parts = {"tweets"};
  run_learn(only, settings());
  for (const Points::Row& row : rows("part")) EXPECT_EQ(row.keys[0], "tweets");
}

}  // namespace
}  // namespace sotto::lab::learning
