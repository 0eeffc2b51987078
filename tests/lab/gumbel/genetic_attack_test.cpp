#include "lab/gumbel/genetic_attack.h"

// Before ATen.h, which uses the type IValue where clang must know all of it.
#include <ATen/core/ivalue.h>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/uniform.h"
#include "lab/gumbel/victims.h"

namespace sotto::lab::gumbel {
namespace {

constexpr std::size_t kWords = 50;

// Any word for any word.
class AnyWord final : public WordMechanism {
 public:
  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const override {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = word_id(uniform_below(rng, kWords));
  }
};
class SameWord final : public WordMechanism {
 public:
  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& /*rng*/) const override {
    std::ranges::copy(in, out.begin());
  }
};

// Fooled only by word 7 at places 2 and 5 together. Each alone lowers the probability a little: a slope for
// the search to follow. Keeps what it was asked.
class Planted final : public Victim {
 public:
  std::vector<Verdict> judge(std::span<const WordId> texts, std::size_t length) override {
    std::vector<Verdict> out;
    for (std::size_t at = 0; at < texts.size(); at += length) {
      const int weak = (texts[at + 2] == word_id(7) ? 1 : 0) + (texts[at + 5] == word_id(7) ? 1 : 0);
      out.push_back({.right_probability = 0.9F - 0.2F * static_cast<float>(weak), .right = weak < 2});
      asked.emplace_back(texts.begin() + static_cast<std::ptrdiff_t>(at),
                         texts.begin() + static_cast<std::ptrdiff_t>(at + length));
    }
    return out;
  }
  std::vector<std::vector<WordId>> asked;
};

class GeneticAttack : public ::testing::Test {
 protected:
  GeneticAttack() : may_change_(text_.size(), 1) {}
  AttackOutcome run(const WordMechanism& mechanism) {
    Rng rng = Rng::seeded_not_private(4);
    return attack({.text = text_, .may_change = may_change_}, mechanism, victim_, {}, rng);
  }
  std::vector<WordId> text_ = std::vector<WordId>(8, word_id(1));
  std::vector<std::uint8_t> may_change_;
  Planted victim_;
};

// A random text has both weak words with probability 1/2500; 20 generations of 480 single draws that kept
// nothing would find both in one text about once in 100 runs.
TEST_F(GeneticAttack, FindsAPlantedWeakSpot) {
  const AttackOutcome outcome = run(AnyWord());
  ASSERT_TRUE(outcome.fooled);
  EXPECT_EQ(outcome.text[2], word_id(7));
  EXPECT_EQ(outcome.text[5], word_id(7));
  EXPECT_LE(outcome.generations, 20U);
}

TEST_F(GeneticAttack, NeverChangesWhatItMayNot) {
  may_change_ = {1, 0, 1, 1, 0, 0, 1, 1};
  const AttackOutcome outcome = run(AnyWord());
  EXPECT_FALSE(outcome.fooled);  // place 5 may not change
  EXPECT_EQ(outcome.generations, 20U);
  EXPECT_EQ(outcome.text[2], word_id(7));  // what can be done is done
  for (const std::vector<WordId>& tried : victim_.asked) {
    for (const std::size_t fixed : {1U, 4U, 5U}) ASSERT_EQ(tried[fixed], word_id(1));
  }
  may_change_.assign(8, 0);
  victim_.asked.clear();
  EXPECT_FALSE(run(AnyWord()).fooled);
  EXPECT_TRUE(victim_.asked.empty());
}

TEST_F(GeneticAttack, HasTheMechanismAsItsOnlySource) {
  EXPECT_FALSE(run(SameWord()).fooled);
  for (const std::vector<WordId>& tried : victim_.asked) ASSERT_EQ(tried, text_);
}

TEST_F(GeneticAttack, IsRepeatable) {
  const AttackOutcome first = run(AnyWord());
  const AttackOutcome second = run(AnyWord());
  EXPECT_EQ(first.text, second.text);
  EXPECT_EQ(first.generations, second.generations);
}

Examples some_examples(bool with_premise) {
  Examples examples;
  Rng rng = Rng::seeded_not_private(9);
  const auto text = [&](std::size_t length) {
    std::vector<WordId> words;
    for (std::size_t i = 0; i < length; ++i) words.push_back(word_id(uniform_below(rng, kWords)));
    return words;
  };
  for (std::size_t i = 0; i < 20; ++i) {
    examples.texts.push_back(text(1 + i % 6));
    if (with_premise) examples.premises.push_back(text(3 + i % 4));
    examples.labels.push_back(static_cast<std::uint8_t>(i % 3));
  }
  return examples;
}

TEST(FrozenModel, GivesTheLogitsOfTheModel) {
  const at::Tensor vectors =
      at::empty({static_cast<std::int64_t>(kWords), 6}).normal_(0, 1, at::detail::createCPUGenerator(1));
  const ModelShape shape{.hidden = 9, .classes = 3};
  for (const bool with_premise : {false, true}) {
    const auto model = with_premise ? new_bag_of_words(vectors, shape, at::detail::createCPUGenerator(2))
                                    : new_cnn(vectors, shape, at::detail::createCPUGenerator(2));
    const FrozenModel frozen(*model);
    const Examples examples = some_examples(with_premise);
    std::vector<std::uint32_t> all(examples.size());
    std::iota(all.begin(), all.end(), 0U);
    Dropout none;
    // In one batch, so that padding must not matter either.
    const at::Tensor wanted = model->logits(batch_of(examples, all), none);
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const std::vector<float> premise =
          with_premise ? frozen.premise_pool(examples.premises[i]) : std::vector<float>();
      EXPECT_TRUE(at::allclose(frozen.logits(examples.texts[i], examples.texts[i].size(), premise)[0],
                               wanted[static_cast<std::int64_t>(i)], 1e-4, 1e-5));
    }
  }
}

TEST(ExampleVictim, JudgesATextAgainAsTheFirstTime) {
  const at::Tensor vectors =
      at::empty({static_cast<std::int64_t>(kWords), 6}).normal_(0, 1, at::detail::createCPUGenerator(1));
  const auto model =
      new_bag_of_words(vectors, {.hidden = 9, .classes = 3}, at::detail::createCPUGenerator(2));
  const FrozenModel frozen(*model);
  const Examples examples = some_examples(true);
  ExampleVictim victim(frozen, examples, 3);
  const std::vector<WordId> first = {word_id(1), word_id(2)};
  const std::vector<WordId> second = {word_id(2), word_id(1)};
  const std::vector<WordId> third = {word_id(2), word_id(3)};
  const auto alone = [&](const std::vector<WordId>& text) {
    return ExampleVictim(frozen, examples, 3).judge(text, 2).front().right_probability;
  };
  victim.judge(second, 2);
  std::vector<WordId> all;
  for (const auto* text : {&first, &third, &second, &third})
    all.insert(all.end(), text->begin(), text->end());
  const std::vector<Victim::Verdict> verdicts = victim.judge(all, 2);
  ASSERT_EQ(verdicts.size(), 4U);
  EXPECT_NEAR(verdicts[0].right_probability, alone(first), 1e-6);
  EXPECT_NEAR(verdicts[1].right_probability, alone(third), 1e-6);
  EXPECT_NEAR(verdicts[2].right_probability, alone(second), 1e-6);
  EXPECT_EQ(verdicts[3].right_probability, verdicts[1].right_probability);
  EXPECT_GT(std::abs(alone(first) - alone(third)), 1e-4);  // or the test would say nothing
}

TEST(AttackAll, AttacksOnlyWhatIsRight) {
  const at::Tensor vectors =
      at::empty({static_cast<std::int64_t>(kWords), 6}).normal_(0, 1, at::detail::createCPUGenerator(1));
  const auto model = new_cnn(vectors, {.hidden = 9, .classes = 3}, at::detail::createCPUGenerator(2));
  const Examples examples = some_examples(false);
  const Robustness none = attack_all(*model, examples, SameWord(), {}, 1);
  EXPECT_EQ(none.right, none.withstood);
  EXPECT_NEAR(static_cast<double>(none.right), 20 * clean_accuracy(*model, examples), 1e-9);
  const Robustness any = attack_all(*model, examples, AnyWord(), {}, 1);
  EXPECT_EQ(any.right, none.right);
  EXPECT_LE(any.withstood, any.right);
}

}  // namespace
}  // namespace sotto::lab::gumbel
