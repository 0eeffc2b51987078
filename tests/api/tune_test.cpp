#include "api/tune.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "../core/temporary_folder.h"
#include "sotto/error.h"
#include "tune/tune_support.h"

namespace sotto::api {
namespace {

TuneRequest tune_request(Constraints constraints) {
  return {.model = test::tuned_model(),
          .constraints = constraints,
          .scope = {.mechanisms = {"tem", "laplace"}},
          .draws = 4096,
          .seed = 3};
}

Candidate candidate(const char* mechanism, const char* epsilon) {
  return {.mechanism = mechanism, .parameters = {{"epsilon", epsilon}}};
}

TEST(Tune, AnswersWhatTheEngineFinds) {
  const TuneAnswer answer = tune(tune_request({.max_loss = 0.4}), {});
  TuneBench bench = test::bench_of(test::tuned_model());
  const TuneResult expected =
      sotto::tune(bench, {.mechanisms = {"tem", "laplace"}}, {.max_loss = 0.4}, nullptr, {});
  ASSERT_EQ(answer.found.points.size(), expected.points.size());
  ASSERT_TRUE(expected.choice.recommended);
  ASSERT_NE(answer.recommended(), nullptr);
  EXPECT_FALSE(answer.fails());
  const TunePoint& best = expected.points[*expected.choice.recommended];
  EXPECT_EQ(answer.recommended()->candidate, best.candidate);
  EXPECT_EQ(answer.recommended()->bounds("e_opt")->low, best.bounds("e_opt")->low);
  EXPECT_EQ(answer.found.frontier, expected.frontier);
  EXPECT_EQ(answer.draws, 4096U);
  EXPECT_EQ(answer.constraints_text(), "L at most 0.4");
  EXPECT_EQ(answer.tradeoff_text(best).find(best.candidate.family() + ", epsilon "), 0U);
  EXPECT_EQ(answer.may_be_better(), undecided(expected.points, *expected.choice.recommended,
                                              UtilityLoss::changed, {.max_loss = 0.4}));
}

// A theorem's epsilon is not called certified: no certificate was computed.
TEST(Tune, SaysWhereAnEpsilonComesFrom) {
  const TuneAnswer answer = tune(tune_request({.max_loss = 0.4}), {});
  TunePoint point = *answer.recommended();
  point.certified_epsilon = 2.5;
  point.certified_by = "certificate";
  EXPECT_TRUE(answer.tradeoff_text(point).ends_with(", certified epsilon 2.5"));
  point.certified_by = "theorem";
  EXPECT_TRUE(answer.tradeoff_text(point).ends_with(", epsilon by theorem 2.5"));
}

// By hand over all points: the largest certified epsilon that is no larger, and the least L among no smaller
// E_opt.
TEST(Tune, BesideTheRecommendedPointStandTheOtherFamilies) {
  const TuneAnswer answer = tune(tune_request({.max_loss = 0.4}), {});
  ASSERT_NE(answer.recommended(), nullptr);
  const TunePoint& own = *answer.recommended();
  const auto rows = answer.beside();
  ASSERT_EQ(rows.size(), 2U);
  for (const Beside& row : rows) {
    double largest = -1;
    double least = INFINITY;
    for (const TunePoint& point : answer.found.points) {
      if (point.candidate.family() != row.family) continue;
      if (*point.certified_epsilon <= *own.certified_epsilon) {
        largest = std::max(largest, *point.certified_epsilon);
      }
      if (point.bounds("e_opt")->low >= own.bounds("e_opt")->low) {
        least = std::min(least, point.bounds("loss_changed")->high);
      }
    }
    EXPECT_EQ(row.same_epsilon ? *answer.found.points[*row.same_epsilon].certified_epsilon : -1, largest);
    EXPECT_EQ(row.same_error ? answer.found.points[*row.same_error].bounds("loss_changed")->high : INFINITY,
              least);
  }
}

TEST(Tune, FailsWithTheNearestAndNamesWhatIsNotProven) {
  TuneRequest request = tune_request({.max_loss = 0.01});
  request.scope = {};
  request.candidates = std::vector<Candidate>{candidate("tem", "1"), {.mechanism = "identity"}};
  const TuneAnswer answer = tune(request, {});
  EXPECT_EQ(answer.algorithm, TuneAlgorithm::candidates);
  EXPECT_TRUE(answer.fails());
  ASSERT_NE(answer.nearest(), nullptr);
  EXPECT_EQ(answer.nearest()->candidate.mechanism, "tem");
  EXPECT_EQ(answer.failure_text(),
            "keeps L at most 0.01 with a proven guarantee; without one, and so never recommended: identity");
  EXPECT_TRUE(answer.beside().empty());
  EXPECT_EQ(to_json(answer)["recommended"], nullptr);
  EXPECT_EQ(to_json(answer)["nearest"]["mechanism"], "tem");
}

TEST(Tune, JsonHasEveryPointAndACommandIfThereIsOne) {
  TuneRequest request = tune_request({.max_certified_epsilon = 2});
  request.scope = {};
  request.candidates =
      std::vector<Candidate>{candidate("tem", "1"), candidate("tem", "2"), candidate("laplace", "1")};
  request.adversary.labels = std::vector<WordLabel>{{"w0", "a"}, {"w1", "b"}, {"none", "b"}};
  const TuneAnswer answer = tune(request, {});
  EXPECT_EQ(answer.loss, UtilityLoss::label);
  const Json plain = to_json(answer);
  std::vector<std::string> keys;
  for (const auto& [key, value] : plain.items()) keys.push_back(key);
  EXPECT_EQ(keys,
            (std::vector<std::string>{"schema", "sotto_version", "algorithm", "algorithm_notes", "model",
                                      "prior", "labels", "loss", "constant_guess", "draws", "seed",
                                      "constraints", "recommended", "expected_unchanged", "needs_allow_weak",
                                      "nearest", "may_be_better", "skipped", "points"}));
  EXPECT_EQ(plain["algorithm"], "candidates");
  EXPECT_EQ(plain["labels"]["unknown"], 1);
  EXPECT_EQ(plain["constraints"], Json({{"max_certified_epsilon", 2.0}}));
  ASSERT_EQ(plain["points"].size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const TunePoint& point = answer.found.points[i];
    const Json& own = plain["points"][i];
    EXPECT_FALSE(own.contains("command"));
    EXPECT_EQ(own["parameters"]["epsilon"], point.candidate.parameters.at("epsilon"));
    EXPECT_EQ(own["certified_epsilon"], *point.certified_epsilon);
    EXPECT_EQ(own["on_frontier"], answer.is_on_frontier(i));
    EXPECT_EQ(own["closed_law"], point.candidate.mechanism == "tem");
    EXPECT_EQ(own["figures"]["e_opt"]["interval"][0], point.bounds("e_opt")->low);
  }
  const Json with_command =
      to_json(answer, [](const TunePoint& point) { return "run " + point.candidate.mechanism; });
  EXPECT_EQ(with_command["points"][2]["command"], "run laplace");
  EXPECT_EQ(std::ranges::count(to_csv(answer), '\n'), 4);
}

// From draws, e_post has a plug-in that lies below the interval of the true figure. A reader of the table
// must not find a figure outside its interval.
TEST(Tune, EveryFigureOfTheTableLiesInItsInterval) {
  TuneRequest request = tune_request({});
  request.scope = {.mechanisms = {"laplace", "vickrey"}};
  request.draws = 2000;
  TuneAnswer answer = tune(request, {});
  for (Quantity& quantity : answer.found.points.front().quantities) {
    if (quantity.name != "e_post") continue;
    quantity.kind = QuantityKind::bracket;
    quantity.value = std::nullopt;
    quantity.bracket = Bounds{.low = 0.1, .high = 0.95};
    quantity.interval = {.low = 0.9, .high = 0.95};
  }
  const std::string table = to_csv(answer);
  EXPECT_NE(table.find(",0.9,0.9,0.95,"), std::string::npos) << table;
  std::istringstream lines(table);
  std::string line;
  std::getline(lines, line);
  std::size_t intervals = 0;
  while (std::getline(lines, line)) {
    std::istringstream cells(line.substr(line.rfind('"') + 2));  // behind the family, which may have commas
    std::vector<std::string> texts;
    for (std::string cell; std::getline(cells, cell, ',');) texts.push_back(cell);
    constexpr std::size_t kBeforeFigures = 11;
    for (std::size_t i = kBeforeFigures; i + 2 < texts.size(); i += 3) {
      if (texts[i].empty() || texts[i + 1].empty() || texts[i + 2].empty()) continue;
      ++intervals;
      EXPECT_LE(std::stod(texts[i + 1]), std::stod(texts[i])) << line;
      EXPECT_GE(std::stod(texts[i + 2]), std::stod(texts[i])) << line;
    }
  }
  EXPECT_GT(intervals, 10U);
}

TEST(Tune, ResumesFromItsFileAndReadsCandidatesFromOne) {
  const test::TemporaryFolder folder;
  test::put(folder / "settings.txt", "laplace --epsilon 1,2\n");
  TuneRequest request = tune_request({});
  request.scope = {};
  request.candidates = folder / "settings.txt";
  request.resume = folder / "points.json";
  const Json first = to_json(tune(request, {}));
  EXPECT_EQ(first["points"].size(), 2U);
  EXPECT_EQ(to_json(tune(request, {})), first);
  request.seed = 4;
  EXPECT_EQ(test::error_of([&] { (void)tune(request, {}); }), ErrorCode::usage);
}

void expect_refused(const TuneRequest& request, std::string_view expected) {
  try {
    check(request);
    FAIL() << "not refused: " << expected;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_EQ(std::string_view(error.what()).substr(0, expected.size()), expected);
    EXPECT_EQ(std::string_view(error.what()).find("--"), std::string_view::npos) << error.what();
  }
}

// Whatever the model, and so before it is opened.
TEST(Tune, RefusesWhatCannotBeAsked) {
  expect_refused({.loss = UtilityLoss::label}, "`loss` label needs `labels`");
  expect_refused({.loss = UtilityLoss::flip}, "`loss` flip needs `labels`");
  expect_refused({.constraints = {.max_loss = 1.5}}, "`max-loss` 1.5: it must be from 0 to 1");
  expect_refused({.constraints = {.max_loss = std::nan("")}}, "`max-loss`");
  expect_refused({.constraints = {.max_loss = 0.1}, .algorithm = TuneAlgorithm::paper, .first_epsilon = 0},
                 "`first-epsilon` 0: it must be a finite number above 0");
  expect_refused({.constraints = {.min_inference_error = 2}}, "`min-inference-error` 2");
  expect_refused({.constraints = {.max_certified_epsilon = -1}}, "`max-certified-epsilon` -1: it must be at");
  check({.loss = UtilityLoss::distance, .constraints = {.max_loss = 1.5}});
  expect_refused({.draws = 1'000'000'000}, "`draws` 1000000000");
  expect_refused({.exclude_input = true}, "`exclude-input` needs `algorithm` paper");
  expect_refused({.scope = {.mechanisms = {"tem"}}, .candidates = "settings.txt"}, "`candidates` names");

  TuneRequest paper{.algorithm = TuneAlgorithm::paper};
  expect_refused(paper, "`algorithm` paper needs `max-loss`");
  paper.constraints.max_loss = 0.5;
  check(paper);
  paper.constraints.max_certified_epsilon = 1;
  expect_refused(paper, "`algorithm` paper searches vickrey");
  paper.constraints.max_certified_epsilon.reset();
  paper.candidates = std::vector<Candidate>{candidate("tem", "1")};
  expect_refused(paper, "`algorithm` paper searches vickrey");

  EXPECT_EQ(parse_algorithm("paper"), TuneAlgorithm::paper);
  EXPECT_EQ(test::error_of([] { (void)parse_algorithm("candidates"); }), ErrorCode::usage);
  EXPECT_EQ(parse_loss("flip"), UtilityLoss::flip);
  EXPECT_EQ(test::error_of([] { (void)parse_loss("style"); }), ErrorCode::usage);
}

TEST(Tune, ThePapersSearchIsNotComparedWithOthers) {
  TuneRequest request = tune_request({.max_loss = 0.5});
  request.scope = {};
  request.algorithm = TuneAlgorithm::paper;
  const TuneAnswer answer = tune(request, {});
  ASSERT_NE(answer.recommended(), nullptr);
  EXPECT_EQ(answer.recommended()->candidate.mechanism, "vickrey");
  EXPECT_TRUE(answer.may_be_better().empty());
  const auto json = to_json(answer);
  EXPECT_EQ(json["algorithm"], "paper");
  // What the printed algorithm lacks is said, with the figures of its choice.
  const std::string notes = json["algorithm_notes"].dump();
  for (const char* said : {"compares estimates", "plug-in, which is biased low", "never refines it",
                           "no certificate and no largest epsilon"}) {
    EXPECT_NE(notes.find(said), std::string::npos) << notes;
  }
  EXPECT_TRUE(to_json(tune(tune_request({.max_loss = 0.4}), {}))["algorithm_notes"].empty());
  request.constraints.max_loss = 0;
  const TuneAnswer nothing = tune(request, {});
  EXPECT_TRUE(nothing.fails());
  EXPECT_NE(to_json(nothing)["algorithm_notes"].dump().find("after 30 doublings"), std::string::npos);
}

}  // namespace
}  // namespace sotto::api
