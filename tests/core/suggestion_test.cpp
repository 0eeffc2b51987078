#include "core/suggestion.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <vector>

namespace sotto {
namespace {

// The definition, without a table.
std::size_t slow_distance(std::string_view a, std::string_view b) {
  if (a.empty()) return b.size();
  if (b.empty()) return a.size();
  const auto tail = [](std::string_view text, std::size_t letters) { return text.substr(letters); };
  std::size_t best = std::min({slow_distance(tail(a, 1), b) + 1, slow_distance(a, tail(b, 1)) + 1,
                               slow_distance(tail(a, 1), tail(b, 1)) + (a[0] == b[0] ? 0 : 1)});
  if (a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0]) {
    best = std::min(best, slow_distance(tail(a, 2), tail(b, 2)) + 1);
  }
  return best;
}

TEST(Suggestion, DistancesAreThoseOfTheDefinition) {
  EXPECT_TRUE(rc::check([] {
    const auto word = rc::gen::resize(6, rc::gen::container<std::string>(rc::gen::element('a', 'b', 'c')));
    const std::string a = *word;
    const std::string b = *word;
    RC_ASSERT(edit_distance(a, b) == slow_distance(a, b));
  }));
}

TEST(Suggestion, SlipsAndBeginningsAreRecognised) {
  constexpr std::array<std::string_view, 6> kNames = {"tem",         "laplace", "mahalanobis",
                                                      "gumbel-topk", "redact",  "uniform"};
  EXPECT_EQ(likely_name("temm", kNames), "tem");
  EXPECT_EQ(likely_name("laplcae", kNames), "laplace");
  EXPECT_EQ(likely_name("maha", kNames), "mahalanobis");
  EXPECT_EQ(likely_name("gumbel", kNames), "gumbel-topk");
  EXPECT_EQ(likely_name("la", kNames), "");        // too short for a beginning
  EXPECT_EQ(likely_name("word2vec", kNames), "");  // like none
  constexpr std::array<std::string_view, 2> kShort = {"x", "id"};
  EXPECT_EQ(likely_name("4", kShort), "");
  EXPECT_EQ(likely_name("is", kShort), "");
  EXPECT_EQ(suggestion("temm", kNames), "; did you mean tem?");
  EXPECT_EQ(suggestion("word2vec", kNames), "");
}

TEST(Suggestion, ABeginningOfTwoNamesIsNone) {
  constexpr std::array<std::string_view, 2> kNames = {"gumbel-topk", "gumbel-truncated"};
  EXPECT_EQ(likely_name("gumbel", kNames), "");
}

}  // namespace
}  // namespace sotto
