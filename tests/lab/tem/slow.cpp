// The quick form of the tem experiment on the real reviews, from the data to the tables: about two minutes on
// two cores. Its own program, with the label slow.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/temporary_folder.h"
#include "lab/tem/results.h"

namespace sotto::lab {
namespace {

namespace fs = std::filesystem;

fs::path default_model() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  const fs::path folder =
      cache != nullptr ? fs::path(cache) : fs::path(home != nullptr ? home : "") / ".cache";
  return folder / "sotto/glove-6b-100d-50k.sotto";
}

TEST(TemSlow, TheQuickRunFindsWhatThePaperFinds) {
  const fs::path data = fs::path(SOTTO_SOURCE_DIR) / "../shared/data";
  if (!fs::exists(default_model())) GTEST_SKIP() << "the default model is not there (make model)";
  if (!fs::exists(data / "imdb")) GTEST_SKIP() << "the IMDB reviews are not in ../shared/data";
  const test::TemporaryFolder folder;
  const TemSettings settings = tem_settings(Extent::quick);
  // A smaller domain than the results have: calibrations take time with the square of its size.
  run_tem({.data = data,
           .output = folder.path() / "out",
           .model = default_model(),
           .words = 8000,
           .extent = Extent::quick},
          settings);

  const Points points(folder.path() / "out/points.csv", tem_points_layout());
  const Points mechanisms(folder.path() / "out/mechanisms.csv", tem_mechanisms_layout());
  const TemResults results(settings, {.points = points, .mechanisms = mechanisms});
  const auto find = [&](std::string_view series, double epsilon) -> const TemResult& {
    for (const TemResult& result : results.all()) {
      if (result.series->name == series && (result.series->is_baseline() || result.epsilon == epsilon)) {
        return result;
      }
    }
    throw std::runtime_error("no such point");
  };
  const auto auc = [&](std::string_view series, double epsilon) {
    return results.mean(find(series, epsilon), "auc").mean;
  };
  ASSERT_EQ(points.rows().size(), settings.trials * places_of(settings).size());
  EXPECT_GT(auc("identity", 0), 0.85);
  // Nothing is learnt from noise. An AUC on 3,000 reviews that differs from .5 by .2 is no accident of them,
  // but one classifier's random start may point somewhere.
  EXPECT_NEAR(auc("uniform", 0), 0.5, 0.2);
  // The largest epsilon of each series in the quick form (lab/tem/settings.cpp).
  const std::pair<const char*, double> kTem[] = {{"tem paper", 3}, {"tem exact", 2}, {"tem flat", 2}};
  for (const auto& [series, largest] : kTem) {
    EXPECT_GT(auc(series, largest), auc(series, 1.5)) << series;
    EXPECT_LE(results.known(find(series, largest), "certified_epsilon"), largest + 1e-9) << series;
  }
  EXPECT_GT(auc("laplace", 12), auc("laplace", 6));
  // The loss of its own texts gives away who was in the training data, most of all without noise.
  EXPECT_GT(results.mean(find("identity", 0), "loss_attack_auc").mean, 0.55);
  EXPECT_LT(results.mean(find("uniform", 0), "loss_attack_auc").mean, 0.55);
  std::ostringstream tables;
  tables << std::ifstream(folder.path() / "out/tables.md").rdbuf();
  EXPECT_NE(tables.str().find("QUICK"), std::string::npos);
}

}  // namespace
}  // namespace sotto::lab
