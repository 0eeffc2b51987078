#include "measure/law_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "brute_force.h"
#include "mechanisms/build.h"

namespace sotto {
namespace {

// The shortcut for tem must be the law that the mechanism states, and so for every closed law.
TEST(LawRows, GiveTheLawOfTheMechanism) {
  const auto model = test::gaussian_model({.words = 40, .dim = 5});
  for (const char* name : {"tem", "santext", "gumbel-topk", "uniform", "identity", "redact"}) {
    ParameterTexts texts;
    if (find_mechanism(name).parameters.size() > 1) texts["epsilon"] = "60";
    const Mechanism mechanism = build_uncertified(name, model, texts);
    ASSERT_TRUE(has_closed_law(mechanism)) << name;
    std::vector<double> law(model->size());
    std::vector<double> distances(model->size());
    for (std::size_t w = 0; w < model->size(); ++w) {
      fill_law_row(mechanism, word_id(w), law, distances);
      const auto logs = mechanism.words->log_law(word_id(w)).value();
      for (std::size_t o = 0; o < law.size(); ++o) {
        EXPECT_NEAR(law[o], std::exp(logs[o]), 1e-12 * std::exp(logs[o])) << name;
        EXPECT_EQ(distances[o], mechanism.space->distance(word_id(w), word_id(o)));
      }
    }
  }
  EXPECT_FALSE(has_closed_law(build_uncertified("laplace", model, {{"epsilon", "1"}})));
}

class Counter final : public LawVisitor {
 public:
  void visit_block(std::span<const LawRow> rows, unsigned /*threads*/) override {
    for (const LawRow& row : rows) {
      seen.push_back(row.word);
      indices.push_back(row.index);
      sums.push_back(std::accumulate(row.law.begin(), row.law.end(), 0.0));
    }
  }
  std::vector<WordId> seen;
  std::vector<std::size_t> indices;
  std::vector<double> sums;
};

TEST(LawRows, StreamEveryWordOnceInOrder) {
  const Mechanism mechanism = test::small_tem(700, "1");  // more than a block
  std::vector<WordId> words;
  for (std::size_t w = 0; w < 700; w += w < 20 ? 3 : 1) words.push_back(word_id(w));
  Counter counter;
  const std::array<LawVisitor*, 1> visitors = {&counter};
  std::size_t reported = 0;
  stream_laws(mechanism, words, visitors,
              {.threads = 3, .progress = [&](const Steps& steps) { reported = steps.done; }});
  EXPECT_EQ(counter.seen, words);
  EXPECT_EQ(reported, words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(counter.indices[i], i);
    EXPECT_NEAR(counter.sums[i], 1, 1e-12);
  }
}

}  // namespace
}  // namespace sotto
