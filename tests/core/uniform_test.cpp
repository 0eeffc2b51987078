#include "core/uniform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/distributions.h"

namespace sotto {
namespace {

using test::chi_squared_p_value;
using test::kFalseAlarm;

constexpr std::uint64_t kOnes = ~std::uint64_t{0};
constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;

// Hands out chosen words, then fails: a comparison must not draw more than it needs.
class Scripted {
 public:
  Scripted(std::initializer_list<std::uint64_t> words) : words_(words) {}
  std::uint64_t bits() { return words_.at(used_++); }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t used_ = 0;
};

bool below(std::initializer_list<std::uint64_t> words, double p) {
  Scripted source(words);
  return LazyUniformOf<Scripted>(source).below(p);
}

TEST(LazyUniform, OneWordDecidesAgainstHalf) {
  EXPECT_TRUE(below({kHalf - 1}, 0.5));
  EXPECT_FALSE(below({kHalf}, 0.5));  // U >= 1/2 whatever follows
  EXPECT_TRUE(below({0}, 0.5));
  EXPECT_FALSE(below({kOnes}, 0.5));
}

TEST(LazyUniform, EndsAndOutside) {
  EXPECT_FALSE(below({0}, 0));
  EXPECT_FALSE(below({0}, -1));
  EXPECT_TRUE(below({kOnes}, 1));
  EXPECT_TRUE(below({kOnes}, 2));
  EXPECT_TRUE(below({kOnes}, std::numeric_limits<double>::infinity()));
  const double last = std::nextafter(1.0, 0.0);  // 53 ones, then 11 zeros
  EXPECT_TRUE(below({(kOnes << 11) - 1}, last));
  EXPECT_FALSE(below({kOnes << 11}, last));
}

TEST(LazyUniform, SecondWordDecides) {
  const double p = std::ldexp(1.0, -70);  // 0.[64 zeros][000001 0...]
  const std::uint64_t second = std::uint64_t{1} << 58;
  EXPECT_FALSE(below({1}, p));
  EXPECT_TRUE(below({0, second - 1}, p));
  EXPECT_FALSE(below({0, second}, p));
  EXPECT_FALSE(below({0, second + 1}, p));
  // 2^-12 + 2^-64 + 2^-65 spans both words.
  const double spanning = std::ldexp(1.0, -20) + std::ldexp(1.0, -64) + std::ldexp(1.0, -65);
  const std::uint64_t first = (std::uint64_t{1} << 44) + 1;
  EXPECT_TRUE(below({first - 1}, spanning));
  EXPECT_TRUE(below({first, kHalf - 1}, spanning));
  EXPECT_FALSE(below({first, kHalf}, spanning));
  EXPECT_FALSE(below({first + 1}, spanning));
}

TEST(LazyUniform, SmallestDoubleNeedsSeventeenWords) {
  const double p = std::numeric_limits<double>::denorm_min();  // 2^-1074 = 2^(64*17 - 1074 = 14) in word 16
  const std::uint64_t last = std::uint64_t{1} << 14;
  EXPECT_TRUE(below({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last - 1}, p));
  EXPECT_FALSE(below({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last}, p));
  EXPECT_FALSE(below({0, 0, 0, 1}, p));
}

TEST(LazyUniform, LaterComparisonsAreAboutTheSameNumber) {
  Scripted source{0, kHalf, 5};
  LazyUniformOf<Scripted> uniform(source);
  EXPECT_FALSE(uniform.below(std::ldexp(1.0, -65)));  // U is 2^-65 or a little more
  EXPECT_TRUE(uniform.below(std::ldexp(1.5, -65)));
  EXPECT_TRUE(uniform.below(0.25));
  EXPECT_FALSE(uniform.below(std::ldexp(1.0, -66)));
  EXPECT_EQ(source.used(), 2U);
  EXPECT_EQ(uniform.leading(), 0U);
}

std::size_t choice(std::initializer_list<std::uint64_t> words, const std::vector<double>& sums) {
  Scripted source(words);
  return choose_by_sums_of(source, sums);
}

TEST(ChooseBySums, HugeRangeOfWeightsByScriptedBits) {
  // Weights 2^-70, 2^-40 - 2^-70, 1 - 2^-40: total 1, so V = U.
  const std::vector<double> sums = {std::ldexp(1.0, -70), std::ldexp(1.0, -40), 1};
  const std::uint64_t border = std::uint64_t{1} << 24;
  EXPECT_EQ(choice({0, (std::uint64_t{1} << 58) - 1}, sums), 0U);
  EXPECT_EQ(choice({0, std::uint64_t{1} << 58}, sums), 1U);
  EXPECT_EQ(choice({1, 0}, sums), 1U);
  EXPECT_EQ(choice({border - 1}, sums), 1U);
  EXPECT_EQ(choice({border}, sums), 2U);
  EXPECT_EQ(choice({kOnes}, sums), 2U);
}

TEST(ChooseBySums, RejectsAtAndAboveTheTotal) {
  // Total 3: V = 4 U.
  const std::vector<double> sums = {1, 3};
  const std::uint64_t three = std::uint64_t{3} << 62;
  EXPECT_EQ(choice({three, kOnes, 0}, sums), 0U);  // twice V >= 3
  EXPECT_EQ(choice({three - 1}, sums), 1U);
  EXPECT_EQ(choice({(std::uint64_t{1} << 62) - 1}, sums), 0U);
  EXPECT_EQ(choice({std::uint64_t{1} << 62}, sums), 1U);
  // A total one ulp above 2: bits that agree with it to the last are rejected.
  const std::vector<double> odd = {std::nextafter(2.0, 3.0)};
  EXPECT_EQ(choice({kHalf + 2048 - 1}, odd), 0U);
  EXPECT_EQ(choice({kHalf + 2048, 7}, odd), 0U);
}

TEST(ChooseBySums, ZeroWeightsAreNeverChosen) {
  const std::vector<double> sums = {0, 0, 1, 1, 2, 2};
  EXPECT_EQ(choice({0}, sums), 2U);
  EXPECT_EQ(choice({kHalf}, sums), 4U);
  EXPECT_EQ(choice({kHalf - 1}, sums), 2U);
  EXPECT_EQ(choice({kOnes}, sums), 4U);
}

TEST(ChooseBySums, WholeRangeOfDoubles) {
  // V = 2^1024 U; the smaller sum is 2^-1074: bit 2098 of the fraction decides, in word 32.
  const std::vector<double> sums = {std::numeric_limits<double>::denorm_min(),
                                    std::numeric_limits<double>::max()};
  EXPECT_EQ(choice({1}, sums), 1U);
  EXPECT_EQ(choice({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (std::uint64_t{1} << 14) - 1},
                   sums),
            0U);
  EXPECT_EQ(choice({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, std::uint64_t{1} << 14},
                   sums),
            1U);
  // Subnormal totals: 3 units of 2^-1074, V = 2^-1072 U.
  const double unit = std::numeric_limits<double>::denorm_min();
  const std::vector<double> tiny = {unit, 3 * unit};
  EXPECT_EQ(choice({(std::uint64_t{1} << 62) - 1}, tiny), 0U);
  EXPECT_EQ(choice({std::uint64_t{1} << 62}, tiny), 1U);
  EXPECT_EQ(choice({std::uint64_t{3} << 62, 0}, tiny), 0U);
}

TEST(ChooseBySums, RefusesWhatHasNoLaw) {
  Rng rng = Rng::seeded_not_private(1);
  for (const double total : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_THROW(choose_by_sums(rng, std::vector<double>{0, total}), Error);
  }
  EXPECT_THROW(choose_by_sums(rng, {}), Error);
}

TEST(ChooseBySums, FrequenciesFollowTheWeights) {  // false alarm 1e-9 for each size
  Rng rng = Rng::seeded_not_private(11);
  for (const std::size_t size : {1UL, 2UL, 3UL, 7UL, 64UL, 321UL}) {
    std::vector<double> sums;
    double total = 0;
    for (std::size_t i = 0; i < size; ++i)
      sums.push_back(total += i % 5 == 3 ? 0 : std::exp(-0.02 * double(i)));
    std::vector<double> law;
    for (std::size_t i = 0; i < size; ++i) law.push_back((sums[i] - (i > 0 ? sums[i - 1] : 0)) / total);
    std::vector<std::uint64_t> counts(size);
    for (int draw = 0; draw < 200000; ++draw) ++counts[choose_by_sums(rng, sums)];
    EXPECT_GT(chi_squared_p_value(counts, law), kFalseAlarm) << size;
  }
}

TEST(UniformBelow, FrequenciesAreEqual) {  // false alarm 1e-9 for each n
  Rng rng = Rng::seeded_not_private(12);
  for (const std::uint64_t n : {1UL, 2UL, 3UL, 10UL, 1000UL}) {
    std::vector<std::uint64_t> counts(n);
    for (int draw = 0; draw < 200000; ++draw) ++counts.at(uniform_below(rng, n));
    EXPECT_GT(chi_squared_p_value(counts, std::vector<double>(n, 1 / double(n))), kFalseAlarm) << n;
  }
  EXPECT_THROW(uniform_below(rng, 0), Error);
}

TEST(UniformBelow, NoBiasWhereAModulusWouldShow) {
  // n = 3 * 2^62: taking bits() % n, or the product without rejection, hits the three thirds 1:1:0 or
  // 1:1:2 instead of 1:1:1. False alarm 1e-9.
  Rng rng = Rng::seeded_not_private(13);
  const std::uint64_t third = std::uint64_t{1} << 62;
  std::vector<std::uint64_t> counts(3);
  std::vector<std::uint64_t> remainders(3);
  for (int draw = 0; draw < 100000; ++draw) {
    const std::uint64_t value = uniform_below(rng, 3 * third);
    ++counts.at(value / third);
    ++remainders[value % 3];
  }
  EXPECT_GT(chi_squared_p_value(counts, std::vector<double>(3, 1.0 / 3)), kFalseAlarm);
  EXPECT_GT(chi_squared_p_value(remainders, std::vector<double>(3, 1.0 / 3)), kFalseAlarm);
}

TEST(Bernoulli, FrequencyIsP) {  // false alarm 1e-9 for each p
  Rng rng = Rng::seeded_not_private(14);
  for (const double p : {0.001, 0.3, 0.5, 0.999}) {
    std::vector<std::uint64_t> counts(2);
    for (int draw = 0; draw < 200000; ++draw) ++counts[bernoulli(rng, p) ? 1 : 0];
    EXPECT_GT(chi_squared_p_value(counts, std::vector<double>{1 - p, p}), kFalseAlarm) << p;
  }
}

}  // namespace
}  // namespace sotto
