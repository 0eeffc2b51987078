#include "tune/store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "../core/temporary_folder.h"
#include "support/forged_model.h"
#include "tune/tune_support.h"

namespace sotto {
namespace {

using test::bench_of;
using test::error_of;
using test::tuned_model;

TEST(TuneStore, AStoppedSearchGoesOnToTheSameAnswer) {
  const test::TemporaryFolder folder;
  const auto model = tuned_model();
  const TuneScope scope{.mechanisms = {"tem", "laplace"}};
  const Constraints constraints{.max_loss = 0.5};
  TuneBench whole = bench_of(model);
  const TuneResult expected = tune(whole, scope, constraints, nullptr, {});

  const auto path = folder / "points.json";
  TuneBench bench = bench_of(model);
  {
    TuneStore store(path, bench);
    const Work stopped{.progress = [](const Steps& steps) {
      if (steps.done == 7) throw Error(ErrorCode::input_output, "stopped");
    }};
    EXPECT_EQ(error_of([&] { (void)tune(bench, scope, constraints, &store, stopped); }),
              ErrorCode::input_output);
  }
  struct stat status = {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  TuneStore store(path, bench);
  const TuneResult resumed = tune(bench, scope, constraints, &store, {});
  ASSERT_EQ(resumed.points.size(), expected.points.size());
  for (std::size_t i = 0; i < expected.points.size(); ++i) {
    EXPECT_EQ(resumed.points[i].candidate, expected.points[i].candidate);
    EXPECT_EQ(resumed.points[i].bounds("e_opt")->low, expected.points[i].bounds("e_opt")->low);
    EXPECT_EQ(resumed.points[i].certified_epsilon, expected.points[i].certified_epsilon);
  }
  EXPECT_EQ(resumed.choice.recommended, expected.choice.recommended);
  EXPECT_EQ(resumed.frontier, expected.frontier);

  // Nothing is left to do: no setting is measured again.
  TuneStore full(path, bench);
  EXPECT_NE(full.find(expected.points.front().candidate), nullptr);

  TuneBench other = bench_of(model, UtilityLoss::distance);
  EXPECT_EQ(error_of([&] { TuneStore(path, other); }), ErrorCode::usage);
  std::ofstream(path) << "{\"schema\": 3}";
  EXPECT_EQ(error_of([&] { TuneStore(path, bench); }), ErrorCode::bad_data);
}

// The points of a model are refused for a file that states its identity and holds other vectors.
TEST(TuneStore, ACopiedIdentityIsAnotherQuestion) {
  const test::TemporaryFolder folder;
  for (const std::uint64_t seed : {1U, 2U}) {
    test::gaussian_model({.words = 40, .dim = 3, .seed = seed})
        ->save(folder / std::to_string(seed), Model::Existing::refuse);
  }
  test::copy_identity(folder / "2", folder / "1");
  TuneBench bench = bench_of(Model::open(folder / "1"));
  const auto path = folder / "points.json";
  TuneStore store(path, bench);
  (void)tune(bench, {.mechanisms = {"uniform"}}, {}, &store, {});
  TuneBench other = bench_of(Model::open(folder / "2"));
  EXPECT_EQ(error_of([&] { TuneStore(path, other); }), ErrorCode::usage);
}

// Each forged point would otherwise be shown, or recommended, as if it had been measured.
TEST(TuneStore, PointsThatCannotBeAreRefused) {
  const test::TemporaryFolder folder;
  const auto path = folder / "points.json";
  TuneBench bench = bench_of(tuned_model());
  {
    TuneStore store(path, bench);
    (void)tune_candidates(bench,
                          std::vector<Candidate>{{.mechanism = "tem", .parameters = {{"epsilon", "2"}}}}, {},
                          &store, {});
  }
  const std::string honest = test::contents(path);
  const auto forge = [&](const std::string& from, const std::string& to) {
    std::string text = honest;
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    test::put(path, text.replace(at, from.size(), to));
    EXPECT_EQ(error_of([&] { TuneStore(path, bench); }), ErrorCode::bad_data) << from << " -> " << to;
  };
  forge("\"mechanism\": \"tem\"", "\"mechanism\": \"nothing\"");
  forge("\"mechanism\": \"tem\"", "\"mechanism\": \"privemb\"");
  forge("\"epsilon\": \"2\"", "\"epsilon\": \"-2\"");
  forge("\"epsilon\": \"2\"", "\"flavour\": \"2\"");
  forge("\"status\": \"proven\"", "\"status\": \"fine\"");
  forge("\"nominal\": 2.0", "\"nominal\": -2.0");
  forge("\"nominal\": 2.0", "\"nominal\": \"nan\"");
  forge("\"certified_by\": \"certificate\"", "\"certified_by\": \"somebody\"");
  forge("\"draws\": 0", "\"draws\": -1");
  forge("\"draws\": 0", "\"draws\": 1e30");
  forge("\"kind\": \"exact\"", "\"kind\": \"certain\"");
  forge("\"interval\": [", "\"interval\": [2.0, 1.0], \"x\": [");
  forge("\"interval\": [", "\"interval\": [], \"x\": [");
  test::put(path, honest);
  const TuneStore whole(path, bench);
  EXPECT_NE(whole.find({.mechanism = "tem", .parameters = {{"epsilon", "2"}}}), nullptr);
}

// Quantities that somebody else could have written are not shown as ours.
TEST(TuneStore, AFileThatOthersMayWriteToIsRefused) {
  const test::TemporaryFolder folder;
  const auto path = folder / "points.json";
  TuneBench bench = bench_of(tuned_model());
  { const TuneStore store(path, bench); }
  for (const mode_t mode : {0620U, 0602U}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    EXPECT_EQ(error_of([&] { TuneStore(path, bench); }), ErrorCode::usage) << mode;
  }
}

}  // namespace
}  // namespace sotto
