#include "lab/tem/membership.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/uniform.h"
#include "lab/statistics.h"
#include "lab/tem/classifier.h"

namespace sotto::lab {
namespace {

constexpr std::size_t kRandomWords = 2000;
constexpr std::size_t kRandomDim = 16;
constexpr std::size_t kQuarter = 300;

// Four sets of documents of random words with random labels: whatever a classifier knows of the labels, it
// remembers.
struct Quarters {
  std::shared_ptr<const Model> model;
  Bags bags;

  Quarters() {
    Rng rng = Rng::seeded_not_private(23);
    std::vector<std::string> words;
    std::vector<float> vectors;
    for (std::size_t i = 0; i < kRandomWords; ++i) words.push_back("w" + std::to_string(i));
    for (std::size_t i = 0; i < kRandomWords * kRandomDim; ++i) {
      vectors.push_back(static_cast<float>(static_cast<double>(rng.bits() >> 11) * 0x1p-52 - 1));
    }
    model = Model::from_words(words, vectors, kRandomDim);
    for (std::size_t i = 0; i < 4 * kQuarter; ++i) {
      std::vector<WordId> document;
      for (int j = 0; j < 30; ++j) document.push_back(word_id(uniform_below(rng, kRandomWords)));
      bags.add(document, static_cast<std::uint8_t>(i % 2));
    }
  }
  static std::vector<std::uint32_t> quarter(std::size_t number) {
    std::vector<std::uint32_t> out(kQuarter);
    std::iota(out.begin(), out.end(), static_cast<std::uint32_t>(number * kQuarter));
    return out;
  }
  [[nodiscard]] Classifier trained_on(std::size_t number, std::uint64_t seed) const {
    Classifier classifier(*model, seed);
    // Long enough to learn the documents by heart.
    classifier.train(bags, quarter(number), {.epochs = 150, .batch = 16, .seed = seed});
    return classifier;
  }
};

struct Areas {
  double network;
  double loss;
};
// The attack learns on a shadow of quarters 2 (in) and 3 (out), and judges `target` on quarters 0 and 1.
Areas attack(const Quarters& data, const Classifier& target) {
  const Classifier shadow = data.trained_on(2, 1);
  const std::vector<float> shadow_in = shadow.scores(data.bags, Quarters::quarter(2));
  const std::vector<float> shadow_out = shadow.scores(data.bags, Quarters::quarter(3));
  const MembershipAttack network({.in = shadow_in, .out = shadow_out}, {.epochs = 60, .seed = 5});
  const std::vector<float> in = target.scores(data.bags, Quarters::quarter(0));
  const std::vector<float> out = target.scores(data.bags, Quarters::quarter(1));
  const std::span<const std::uint8_t> labels = data.bags.labels;
  return {.network = area_under_curve({.positive = network.judge(in), .negative = network.judge(out)}),
          .loss = area_under_curve({.positive = loss_scores(in, labels.first(kQuarter)),
                                    .negative = loss_scores(out, labels.subspan(kQuarter, kQuarter))})};
}

TEST(Membership, FindsMembersOfAnOverfittedModel) {
  const Quarters data;
  const Areas areas = attack(data, data.trained_on(0, 9));
  EXPECT_GT(areas.network, 0.6);
  EXPECT_GT(areas.loss, 0.9);
}

// Trained on quarter 3: it has seen neither quarter 0 nor 1. The AUC of 300 against 300 equals .5 with
// standard deviation .024; .12 is 5 of them, a false alarm in 2 million seeds for each attack.
TEST(Membership, FindsNothingInAModelThatHasNotSeenTheTexts) {
  const Quarters data;
  const Areas areas = attack(data, data.trained_on(3, 9));
  EXPECT_NEAR(areas.network, 0.5, 0.12);
  EXPECT_NEAR(areas.loss, 0.5, 0.12);
}

TEST(Membership, RepeatsWithTheSameSeed) {
  const std::vector<float> in = {3, -4, 5, 2, -6, 7};
  const std::vector<float> out = {0.5F, -0.1F, 1, 0.2F, -1, 0};
  const MembershipAttack first({.in = in, .out = out}, {.epochs = 3, .seed = 5});
  const MembershipAttack second({.in = in, .out = out}, {.epochs = 3, .seed = 5});
  const MembershipAttack other({.in = in, .out = out}, {.epochs = 3, .seed = 6});
  EXPECT_EQ(first.judge(in), second.judge(in));
  EXPECT_NE(first.judge(in), other.judge(in));
}

TEST(Membership, LossIsThatOfTheTrueLabel) {
  const std::vector<float> scores = {0, 2, 2, -200};
  const std::vector<std::uint8_t> labels = {1, 1, 0, 1};
  const std::vector<float> minus_loss = loss_scores(scores, labels);
  EXPECT_NEAR(minus_loss[0], -std::log(2.0), 1e-6);
  EXPECT_NEAR(minus_loss[1], -std::log1p(std::exp(-2.0)), 1e-6);
  EXPECT_NEAR(minus_loss[2], -2 - std::log1p(std::exp(-2.0)), 1e-6);
  EXPECT_NEAR(minus_loss[3], -200, 1e-4);
}

}  // namespace
}  // namespace sotto::lab
