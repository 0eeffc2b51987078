#include "neighbours/nearest_bytes.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>

#include "model/distance_kernels.h"
#include "neighbours/nearest_kernels.h"
#include "neighbours/nearest_models.h"

namespace sotto {
namespace {

using test::hard_models;
using test::hard_queries;
using test::make_model;

QueryGroup make_group(const ByteWords& words, std::span<const double> vectors, std::size_t stride,
                      std::size_t k) {
  std::vector<const double*> each;
  for (std::size_t begin = 0; begin < vectors.size(); begin += stride) each.push_back(vectors.data() + begin);
  return {words, each, stride, k};
}

// The integer inner product, by hand from both layouts.
std::int32_t slow_dot(const ByteWords& words, const QueryGroup& group, std::size_t query, std::size_t word) {
  std::int32_t sum = 0;
  for (std::size_t j = 0; j < words.quads * 4; ++j) {
    const std::size_t block = word / kWordsPerBlock * words.quads;
    const std::size_t place = ((block + j / 4) * kWordsPerBlock + word % kWordsPerBlock) * 4 + j % 4;
    const std::int32_t packed = group.bytes().bytes[j / 4 * kQueriesPerGroup + query];
    sum += (words.bytes[place] - kByteOffset) * static_cast<std::int8_t>(packed >> (8 * (j % 4)));
  }
  return sum;
}

template <typename Visit>
void for_each_group(const Model& model, const ByteWords& words, std::span<const double> queries,
                    const Visit& visit) {
  const std::size_t length = kQueriesPerGroup * model.stride();
  for (std::size_t begin = 0; begin < queries.size(); begin += length) {
    const auto vectors = queries.subspan(begin, std::min(length, queries.size() - begin));
    visit(vectors, make_group(words, vectors, model.stride(), 2));
  }
}

// low <= D - |y|^2 <= high up to the two terms that are paid for at the limit, in long double. In one
// dimension Cauchy-Schwarz is an equality, so a bound that forgets a term fails here; that it is not idle
// either is what `closest` says.
TEST(ByteBounds, HoldOnEveryHardModelAndAreNotIdle) {
  for (const auto& kind : hard_models()) {
    long double closest = 0;
    std::size_t checked = 0;
    for (const std::size_t dim : {1U, 2U, 3U, 20U, 301U}) {
      const auto model = make_model(kind, dim > 100 ? 70 : 300, dim);
      const ByteWords words(*model);
      if (!words.usable) continue;
      const std::vector<double> queries = hard_queries(*model, 90);
      for_each_group(*model, words, queries, [&](std::span<const double> vectors, const QueryGroup& group) {
        for (std::size_t q = 0; q < group.size(); ++q) {
          if (!group.usable(q)) continue;
          const auto vector = vectors.subspan(q * model->stride(), model->stride());
          long double y = 0;
          for (std::size_t j = 0; j < dim; ++j) {
            const long double difference = static_cast<long double>(vector[j]) - words.centre[j];
            y += difference * difference * words.unit * words.unit;
          }
          const long double paid = words.rounding * y + 0x1p-81L;
          for (std::size_t w = 0; w < model->size(); ++w) {
            const ByteBounds bounds = group.bounds(q, w, slow_dot(words, group, q, w));
            const long double d = test::slow_squared_distance(vector, model->vector(word_id(w)));
            const long double truth = d * words.unit * words.unit - y;
            ASSERT_LE(bounds.low, truth + paid) << kind.name << ", dim " << dim << ", query " << q;
            ASSERT_GE(bounds.high, truth - paid) << kind.name << ", dim " << dim << ", query " << q;
            const long double middle = (static_cast<long double>(bounds.low) + bounds.high) / 2;
            const long double radius = bounds.high - middle;
            if (radius > 100 * paid) closest = std::max(closest, std::abs(truth - middle) / radius);
            ++checked;
          }
        }
      });
    }
    EXPECT_TRUE(checked == 0 || closest > 0.3L) << kind.name << ": " << closest;
  }
}

// The kernel's test in floats never drops a word that the test in double keeps, so the words kept are those
// that are kept when every word is met; on every target, with the same integers.
void expect_kernel_keeps_what_meeting_every_word_keeps(const Model& model, const ByteWords& words,
                                                       std::span<const double> queries) {
  if (!words.usable) return;
  const std::int64_t all = hwy::SupportedTargets();
  for_each_group(model, words, queries, [&](std::span<const double> vectors, QueryGroup expected) {
    for (std::size_t q = 0; q < expected.size(); ++q) {
      if (!expected.usable(q)) continue;
      for (std::size_t w = 0; w < model.size(); ++w) expected.meet(q, w, slow_dot(words, expected, q, w));
    }
    for (std::int64_t rest = all; rest != 0; rest &= rest - 1) {
      hwy::SetSupportedTargetsForTest(rest & -rest);
      QueryGroup seen = make_group(words, vectors, model.stride(), 2);
      scan_blocks(words, 0, words.blocks, seen);
      for (std::size_t q = 0; q < seen.size(); ++q) {
        const auto want = expected.candidates(q);
        const auto got = seen.candidates(q);
        EXPECT_TRUE(std::equal(want.begin(), want.end(), got.begin(), got.end(),
                               [](const ByteCandidate& a, const ByteCandidate& b) {
                                 return a.word == b.word && a.low == b.low;
                               }))
            << hwy::TargetName(rest & -rest) << ": " << got.size() << " instead of " << want.size();
      }
    }
    hwy::SetSupportedTargetsForTest(0);
  });
}

TEST(ByteKernel, KeepsWhatMeetingEveryWordKeeps) {
  for (const auto& kind : hard_models()) {
    for (const std::size_t dim : {1U, 5U, 100U}) {
      SCOPED_TRACE(std::string(kind.name) + ", dim " + std::to_string(dim));
      const auto model = make_model(kind, 301, dim);
      expect_kernel_keeps_what_meeting_every_word_keeps(*model, ByteWords(*model), hard_queries(*model, 50));
    }
    SCOPED_TRACE(std::string(kind.name) + ", more words than the kernel takes at once");
    const auto model = make_model(kind, 2100, 5);
    expect_kernel_keeps_what_meeting_every_word_keeps(*model, ByteWords(*model), hard_queries(*model, 20));
  }
}

// Squared norms are changed so that every word but the first is at the limit up to the last bit of a float:
// without slack in the kernel's threshold, rounding would drop some of them.
TEST(ByteKernel, KeepsWordsAtTheLimitInSpiteOfFloats) {
  const auto model = make_model(hard_models()[0], 320, 30);
  const std::vector<double> query = hard_queries(*model, 4);
  for (std::size_t q = 0; q < 4; ++q) {
    const auto vector = std::span(query).subspan(q * model->stride(), model->stride());
    ByteWords words(*model);
    const QueryGroup group = make_group(words, vector, model->stride(), 1);
    const double limit = group.bounds(0, 0, slow_dot(words, group, 0, 0)).high;
    for (std::size_t w = 1; w < model->size(); ++w) {
      const double low = group.bounds(0, w, slow_dot(words, group, 0, w)).low;
      words.squared[w] = std::nextafter(static_cast<float>(words.squared[w] + (limit - low)), -1e30F);
    }
    expect_kernel_keeps_what_meeting_every_word_keeps(*model, words, vector);
    QueryGroup seen = make_group(words, vector, model->stride(), 1);
    scan_blocks(words, 0, words.blocks, seen);
    EXPECT_EQ(seen.candidates(0).size(), model->size());
  }
}

// A computed distance of the second pass drops only words that are farther, and many of them.
TEST(ByteCandidates, AKnownDistanceDropsOnlyFartherWords) {
  std::size_t before = 0;
  std::size_t after = 0;
  for (const auto& kind : hard_models()) {
    for (const std::size_t dim : {1U, 5U, 100U}) {
      SCOPED_TRACE(std::string(kind.name) + ", dim " + std::to_string(dim));
      const auto model = make_model(kind, 301, dim);
      const ByteWords words(*model);
      if (!words.usable) continue;
      for_each_group(*model, words, hard_queries(*model, 40),
                     [&](std::span<const double> vectors, QueryGroup group) {
                       scan_blocks(words, 0, words.blocks, group);
                       for (std::size_t q = 0; q < group.size(); ++q) {
                         if (!group.usable(q)) continue;
                         std::vector<double> squared(model->size());
                         squared_distances(vectors.data() + q * model->stride(), model->rows(), model->size(),
                                           model->stride(), squared.data());
                         const double nearest = *std::ranges::min_element(squared);
                         before += group.candidates(q).size();
                         group.take_distance(q, nearest);
                         const auto kept = group.candidates(q);
                         after += kept.size();
                         for (std::size_t w = 0; w < squared.size(); ++w) {
                           if (squared[w] > nearest) continue;
                           EXPECT_TRUE(std::ranges::any_of(kept, [&](const ByteCandidate& one) {
                             return one.word == w;
                           })) << w;
                         }
                       }
                     });
    }
  }
  EXPECT_LT(2 * after, before);
}

// Which models go to the plain scan.
TEST(ByteWords, SayWhereBytesCannotRepresentTheModel) {
  for (const auto& kind : hard_models()) {
    const std::string name = kind.name;
    const bool hopeless = name == "all words equal" || name == "all words zero" || name == "one word huge" ||
                          name == "one word not zero";  // which the sample does not see
    EXPECT_EQ(ByteWords(*make_model(kind, 1000, 8)).usable, !hopeless) << name;
  }
}

// One outlier may not take the bits away from all other words.
TEST(ByteWords, RoundFinelyInSpiteOfAnOutlier) {
  Rng rng = Rng::seeded_not_private(3);
  std::vector<std::string> names;
  std::vector<float> vectors;
  for (std::size_t i = 0; i < 200; ++i) {
    names.push_back("w" + std::to_string(i));
    for (std::size_t j = 0; j < 50; ++j) {
      vectors.push_back(static_cast<float>((i == 0 ? 1e4 : 1) * gaussian(rng)));
    }
  }
  const ByteWords words(*Model::from_words(names, vectors, 50));
  for (std::size_t w = 1; w < 200; ++w) {
    EXPECT_LT(words.norm[w], 10) << w;
    EXPECT_LT(words.residual[w], 0.03F * words.norm[w]) << w;
  }
}

}  // namespace
}  // namespace sotto
