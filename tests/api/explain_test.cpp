#include "sotto/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sotto/error.h"
#include "support/models.h"

namespace sotto::api {
namespace {

// The four words of docs/specification.md section 4.
std::shared_ptr<const Model> four_words() {
  return test::line_model({0, 1, 2.5, 4});
}

ExplainRequest explain_request(const std::string& word, std::string_view mechanism,
                               const ParameterTexts& texts) {
  return {.model = four_words(), .setting = parse_setting(mechanism, texts), .word = word};
}

double sum(const ExplainAnswer& answer) {
  double total = 0;
  for (const ExplainedOutput& output : answer.outputs) total += output.p;
  return total;
}

TEST(Explain, TheExactLawOfAWord) {
  const ExplainAnswer answer =
      explain(explain_request("w0", "tem", {{"epsilon", "1"}, {"gamma", "inf"}}), {});
  EXPECT_FALSE(answer.is_unknown || answer.is_estimated());
  ASSERT_EQ(answer.outputs.size(), 4U);
  EXPECT_EQ(answer.outputs[0].word, answer.word);
  EXPECT_NEAR(answer.outputs[0].p, 0.4930065201, 1e-9);
  EXPECT_NEAR(answer.outputs[3].p, 0.0667211770, 1e-9);
  EXPECT_NEAR(sum(answer), 1, 1e-12);
  EXPECT_EQ(answer.others(), 0U);
  EXPECT_EQ(answer.slope(), 0.5);
  const Odds odds = answer.odds.value();
  EXPECT_EQ(odds.basis, Odds::Basis::certificate);
  EXPECT_EQ(odds.nearest.distance, 1);
  EXPECT_LE(odds.nearest.loss.value(), 1);
  EXPECT_EQ(to_json(answer)["outputs"][0]["word"], "w0");
}

TEST(Explain, WhatIsNotListedIsCounted) {
  ExplainRequest request = explain_request("w0", "tem", {{"epsilon", "1"}, {"gamma", "inf"}});
  request.top = 1;
  const ExplainAnswer answer = explain(request, {});
  ASSERT_EQ(answer.outputs.size(), 1U);
  EXPECT_EQ(answer.others(), 3U);
  EXPECT_NEAR(answer.share_of_others(), 1 - 0.4930065201, 1e-9);
}

TEST(Explain, DrawsComeWithIntervals) {
  ExplainRequest request = explain_request("w1", "laplace", {{"epsilon", "1"}});
  request.draws = 2000;
  request.top = 0;
  const ExplainAnswer answer = explain(request, {});
  EXPECT_EQ(answer.draws, 2000U);
  EXPECT_EQ(answer.outputs.size(), 4U);
  EXPECT_NEAR(sum(answer), 1, 1e-12);
  for (const ExplainedOutput& output : answer.outputs) {
    EXPECT_LE(output.low, output.p);
    EXPECT_GE(output.high, output.p);
  }
  const Json json = to_json(answer);
  EXPECT_EQ(json["estimated"], true);
  EXPECT_TRUE(json["outputs"][0].contains("low"));
}

TEST(Explain, ACalibratedLawStandsBesideTheTheorems) {
  const ExplainAnswer answer = explain(
      explain_request("w0", "tem", {{"epsilon", "1"}, {"gamma", "inf"}, {"calibration", "flat"}}), {});
  EXPECT_NEAR(answer.slope().value(), 1, 1e-6);
  EXPECT_EQ(answer.theorem_slope, 0.5);
  double total = 0;
  for (const ExplainedOutput& output : answer.outputs) total += output.by_theorem.value();
  EXPECT_NEAR(total, 1, 1e-12);
  EXPECT_NEAR(answer.outputs[0].by_theorem.value(), 0.4930065201, 1e-9);
}

TEST(Explain, AnUnknownWordIsDrawnAsTheAnchor) {
  ExplainRequest request = explain_request("elephant", "tem", {{"epsilon", "1"}});
  request.unknown_word = "w2";
  const ExplainAnswer answer = explain(request, {});
  EXPECT_TRUE(answer.is_unknown);
  EXPECT_EQ(answer.model().word(answer.word), "w2");
  const Json json = to_json(answer);
  EXPECT_EQ(json["word"], "elephant");
  EXPECT_EQ(json["explained_as"], "w2");
  EXPECT_EQ(json["unknown"], true);
  request.unknown_word = "giraffe";
  try {
    (void)explain(request, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_STREQ(error.what(), "`unknown-word` must be a word of the model");
  }
}

TEST(Explain, TakesOneWord) {
  for (const char* text : {"", "two words", "..."}) {
    EXPECT_THROW((void)explain(explain_request(text, "tem", {{"epsilon", "1"}}), {}), Error) << text;
  }
}

TEST(Explain, NothingBoundsTheLossOfIdentity) {
  const ExplainAnswer answer = explain(explain_request("w0", "identity", {}), {});
  EXPECT_EQ(answer.outputs.size(), 1U);
  EXPECT_EQ(answer.outputs[0].p, 1);
  EXPECT_FALSE(answer.odds.value().nearest.is_bounded());
  EXPECT_EQ(to_json(answer)["loss_bound"]["nearest"]["loss"], nullptr);
  EXPECT_EQ(to_json(answer)["nominal_epsilon"], nullptr);
}

double apart(const MapPoint& a, const MapPoint& b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

// Two principal components of vectors in the plane are a rotation of the plane: nothing is lost.
TEST(Explain, TheMapOfAPlaneKeepsDistances) {
  ExplainRequest request = explain_request("w7", "tem", {{"epsilon", "1"}});
  request.model = test::gaussian_model({.words = 30, .dim = 2});
  request.map = 12;
  const ExplainAnswer answer = explain(request, {});
  ASSERT_EQ(answer.map.size(), 13U);
  EXPECT_EQ(answer.map[0].word, answer.word);
  EXPECT_EQ(answer.map[0].x, 0);
  EXPECT_EQ(answer.map[0].y, 0);
  const Space& space = *answer.mechanism.space;
  for (const MapPoint& a : answer.map) {
    for (const MapPoint& b : answer.map) {
      EXPECT_NEAR(apart(a, b), space.distance(a.word, b.word), 1e-9);
    }
  }
  for (std::size_t w = 0; w < space.size(); ++w) {  // no other word is nearer
    const bool is_shown = std::ranges::find(answer.map, word_id(w), &MapPoint::word) != answer.map.end();
    EXPECT_TRUE(is_shown || space.distance(answer.word, word_id(w)) >=
                                space.distance(answer.word, answer.map.back().word));
  }
  EXPECT_EQ(to_json(answer)["map"][0]["word"], "w7");
  EXPECT_EQ(to_json(answer)["map"], to_json(explain(request, {}))["map"]);
}

TEST(Explain, AMapIsAProjection) {
  ExplainRequest request = explain_request("w3", "tem", {{"epsilon", "1"}, {"metric", "angular"}});
  request.model = test::gaussian_model({.words = 40, .dim = 6});
  request.map = 20;
  const ExplainAnswer answer = explain(request, {});
  const Space& space = *answer.mechanism.space;
  double shown = 0;
  for (const MapPoint& a : answer.map) {
    for (const MapPoint& b : answer.map) {
      // Of the vectors with length 1: a chord is at most as long as its angle.
      EXPECT_LE(apart(a, b), space.distance(a.word, b.word) + 1e-9);
      shown += apart(a, b);
    }
  }
  EXPECT_GT(shown, 0);
}

TEST(Explain, AMapNeedsFewWords) {
  ExplainRequest request = explain_request("w1", "tem", {{"epsilon", "1"}});
  request.map = kMostOnMap;
  const ExplainAnswer answer = explain(request, {});
  ASSERT_EQ(answer.map.size(), 4U);  // all words, on a line
  for (const MapPoint& point : answer.map) EXPECT_NEAR(point.y, 0, 1e-6);
  request.map = kMostOnMap + 1;
  EXPECT_THROW((void)explain(request, {}), Error);
  request.model = test::line_model({2, 2});
  request.map = 5;
  const ExplainAnswer equal = explain(request, {});
  ASSERT_EQ(equal.map.size(), 2U);
  EXPECT_EQ(apart(equal.map[0], equal.map[1]), 0);
  request.map = 0;
  EXPECT_FALSE(to_json(explain(request, {})).contains("map"));
}

TEST(Explain, WordsOfOneRowHaveNoOdds) {
  ExplainRequest request = explain_request("w0", "tem", {{"epsilon", "1"}});
  request.model = test::line_model({2, 2});
  EXPECT_FALSE(explain(request, {}).odds);
}

}  // namespace
}  // namespace sotto::api
