#include "attack/attackers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attack/scene.h"
#include "support/models.h"

namespace sotto {
namespace {

using test::AttackScene;
using test::outcome;

Mechanism tem(const std::shared_ptr<const Model>& model, const std::string& epsilon) {
  return build_mechanism("tem", model, {{"epsilon", epsilon}, {"gamma", "inf"}}).mechanism;
}

// The value of pair_bound for k = 1: two words, equally likely.
double pair_error(double loss) {
  return 1 / (1 + std::exp(loss));
}

TEST(Attackers, WithoutContextBigramIsContextFree) {
  const auto model = test::gaussian_model({.words = 400, .dim = 5});
  const TokenText text = test::chained_text({.words = 400, .documents = 30});
  AttackScene scene(tem(model, "2"), test::trained(text, 400, 1, model->identity()), text);
  const auto all = scene.attack();
  const AttackOutcome& alone = outcome(all, "context-free");
  const AttackOutcome& bigram = outcome(all, "bigram");
  EXPECT_EQ(alone.guesses, bigram.guesses);
  EXPECT_NEAR(*alone.score.log_loss, *bigram.score.log_loss, 1e-5);
  EXPECT_EQ(alone.score.error_content->value, bigram.score.error_content->value);
}

TEST(Attackers, ErrorsGoToZeroAsEpsilonGrows) {
  const auto model = test::gaussian_model({.words = 60, .dim = 5});
  const TokenText text = test::chained_text({.words = 60, .documents = 20, .seed = 77});
  const auto lm =
      test::trained(test::chained_text({.words = 60, .documents = 300}), 60, 3, model->identity());
  double before = 1;
  for (const std::string epsilon : {"2", "8", "60"}) {
    AttackScene scene(tem(model, epsilon), lm, text);
    for (const AttackOutcome& own : scene.attack()) {
      const bool looks_at_output = own.attacker->name != "mask" && own.attacker->name != "nearest";
      if (epsilon != "60" || !looks_at_output) continue;
      EXPECT_EQ(own.score.error->value, 0) << own.attacker->name;
    }
    const double error = outcome(scene.attack(), "combined").score.error->value;
    EXPECT_LE(error, before) << epsilon;
    before = error;
  }
}

// Words follow each other with probability .7: who knows that errs clearly less. Each document of 12 tokens
// is one of 200; the gap of .1 is many standard errors.
TEST(Attackers, ContextHelps) {
  const auto model = test::gaussian_model({.words = 50, .dim = 5});
  const TokenText text = test::chained_text({.words = 50, .documents = 200, .seed = 78});
  const auto lm =
      test::trained(test::chained_text({.words = 50, .documents = 2000}), 50, 3, model->identity());
  AttackScene scene(tem(model, "3"), lm, text);
  const auto all = scene.attack();
  const double alone = outcome(all, "context-free").score.error->value;
  EXPECT_LT(outcome(all, "bigram").score.error->value, alone - 0.1);
  EXPECT_LT(outcome(all, "trigram").score.error->value, alone - 0.1);
  EXPECT_LT(outcome(all, "combined").score.error->value, alone - 0.1);
  EXPECT_LT(*outcome(all, "combined").score.log_loss, *outcome(all, "context-free").score.log_loss);
}

// The bound for two equally likely words says nothing of a prior: a word that is likely beforehand is guessed
// with a smaller error. 2,000 tokens, error about .09 against a bound of .38: no chance of a false alarm.
TEST(Attackers, AStrongPriorFallsBelowThePairBound) {
  const auto model = test::line_model({0, 0.5});
  TokenText text;
  for (std::size_t i = 0; i < 2000; ++i) {
    text.words.push_back(word_id(i % 10 == 0 ? 1 : 0));
    if (i % 20 == 19) text.ends.push_back(text.words.size());
  }
  AttackScene scene(tem(model, "1"), test::trained(text, 2, 1, model->identity()), text);
  const auto all = scene.attack();
  EXPECT_LT(outcome(all, "context-free").score.error->value, pair_error(1 * 0.5) - 0.1);
}

// A document that uses one word three times shows it three times: its error lies below the bound for k = 1.
TEST(Attackers, AWordUsedThreeTimesFallsBelowThePairBound) {
  const auto model = test::line_model({0, 2});
  TokenText text;
  for (std::size_t d = 0; d < 2000; ++d) {
    for (int i = 0; i < 3; ++i) text.words.push_back(word_id(d % 2));
    text.ends.push_back(text.words.size());
  }
  AttackScene scene(tem(model, "1"), test::trained(text, 2, 2, model->identity()), text);
  const auto all = scene.attack();
  // Published tem with slope 1/2 and equal normalisers: its loss between the two words is 1.
  const double bound = pair_error(1);
  EXPECT_NEAR(outcome(all, "context-free").score.error->value, bound, 0.03);
  EXPECT_LT(outcome(all, "bigram").score.error->value, bound - 0.05);
  EXPECT_GT(outcome(all, "bigram").score.error->value, pair_error(3));
}

// No attacker may depend on the original: with another original and the same release the guesses are the
// same.
TEST(Attackers, SeeOnlyTheRelease) {
  const auto model = test::gaussian_model({.words = 50, .dim = 5});
  const TokenText text = test::chained_text({.words = 50, .documents = 10, .seed = 78});
  const auto lm =
      test::trained(test::chained_text({.words = 50, .documents = 200}), 50, 3, model->identity());
  AttackScene scene(tem(model, "3"), lm, text);
  const auto before = scene.attack();
  for (WordId& word : scene.sample.text.words) word = word_id(0);
  const auto after = scene.attack();
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i].guesses, after[i].guesses);
}

TEST(Attackers, NearestNeverGuessesTheOutput) {
  const auto model = test::line_model({0, 1, 1.5, 9});
  const TokenText text = test::chained_text({.words = 4, .documents = 5});
  AttackScene scene(tem(model, "1"), test::trained(text, 4, 2, model->identity()), text);
  const auto all = scene.attack();
  const AttackOutcome& nearest = outcome(all, "nearest");
  const std::vector<std::size_t> expected = {1, 2, 1, 2};
  for (std::size_t i = 0; i < nearest.guesses.size(); ++i) {
    EXPECT_EQ(index_of(nearest.guesses[i]), expected[index_of(scene.outputs.words[i])]);
  }
}

TEST(Attackers, EachSaysWhatItAssumes) {
  for (const AttackerInfo& info : attackers()) {
    EXPECT_FALSE(info.assumes.empty());
    EXPECT_EQ(info.assumes.back(), '.');
    EXPECT_EQ(&find_attacker(info.name), &info);
  }
  EXPECT_EQ(attackers().size(), 9U);
}

}  // namespace
}  // namespace sotto
