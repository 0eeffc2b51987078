#include "sotto/measure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sotto/error.h"
#include "support/models.h"

namespace sotto::api {
namespace {

MeasureRequest measure_request(const char* mechanism) {
  return {.model = test::gaussian_model({.words = 40, .dim = 3}),
          .setting = parse_setting(mechanism, {{"epsilon", "3"}}),
          .copies = 4,
          .seed_not_private = 7};
}

// The keys that programs read, and every quantity as it was measured.
TEST(Measure, JsonHasTheFiguresOfTheMeasurement) {
  const MeasureRequest request = measure_request("tem");
  const MeasureAnswer answer = measure(request, {});
  const MeasureQuestion question{
      .prior = frequency_rank_prior(*request.model), .copies = 4, .seed_not_private = 7};
  const Measurement expected = sotto::measure(answer.built.mechanism, question, {});
  const Json json = to_json(answer);
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"schema", "sotto_version", "mechanism", "parameters", "metric",
                                            "model", "nominal_epsilon", "certified_epsilon", "status",
                                            "prior", "closed_law", "seeded", "bands_by", "bands"}));
  EXPECT_EQ(json["certified_epsilon"], answer.built.certificate->realised_epsilon);
  EXPECT_EQ(json["prior"]["constant_guess"], question.prior.constant_guess());
  ASSERT_EQ(json["bands"].size(), expected.bands.size());
  for (std::size_t b = 0; b < expected.bands.size(); ++b) {
    const Json& quantities = json["bands"][b]["figures"];
    ASSERT_EQ(quantities.size(), expected.bands[b].quantities.size());
    for (const Quantity& quantity : expected.bands[b].quantities) {
      const Json& own = quantities[quantity.name];
      EXPECT_EQ(own["kind"], quantity_kind_name(quantity.kind)) << quantity.name;
      if (quantity.kind == QuantityKind::unavailable) continue;
      EXPECT_EQ(own["value"], finite_or_null(quantity.value)) << quantity.name;
      EXPECT_EQ(own["interval"], Json::array({quantity.interval.low, quantity.interval.high}))
          << quantity.name;
    }
    EXPECT_EQ(json["bands"][b]["ranks"].size(), expected.bands[b].ranks.size());
  }
}

TEST(Measure, CsvHasALineForEachFigureAndRank) {
  const MeasureAnswer answer = measure(measure_request("tem"), {});
  const std::string csv = to_csv(answer);
  std::size_t lines = 1;
  for (const BandMeasurement& band : answer.measurement.bands)
    lines += band.quantities.size() + band.ranks.size();
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(csv, '\n')), lines);
  EXPECT_EQ(csv.find("band,figure,kind,value,low,high,bracket_low,bracket_high\nall,constant_guess,exact,"),
            0U);
}

TEST(Measure, AveragingIsByTheNumberOfReleases) {
  const MeasureAnswer answer = measure(measure_request("tem"), {});
  std::vector<std::size_t> releases;
  for (const auto& [number, error] : answer.averaging()) {
    releases.push_back(number);
    EXPECT_EQ(error, answer.measurement.overall().find("e_opt_copies_" + std::to_string(number)));
  }
  ASSERT_GE(releases.size(), 2U);
  EXPECT_TRUE(std::ranges::is_sorted(releases));
  EXPECT_EQ(releases.back(), 4U);
}

TEST(Measure, AMechanismThatIsBuiltIsNotBuiltAgain) {
  MeasureRequest request = measure_request("laplace");
  request.draws = 4096;
  const MeasureAnswer whole = measure(request, {});
  CertifiedMechanism built = build_mechanism(request.setting, request.model);
  const auto words = built.mechanism.words;
  request.model.reset();
  const MeasureAnswer again = measure(std::move(built), request, {});
  EXPECT_EQ(again.built.mechanism.words, words);
  EXPECT_EQ(to_json(again), to_json(whole));
  EXPECT_EQ(to_json(again)["draws"], 4096);
  EXPECT_EQ(to_json(again)["closed_law"], false);
}

TEST(Measure, NamesTheStagesAndRefusesWhatIsTooMuch) {
  std::vector<std::string> stages;
  (void)measure(measure_request("tem"),
                {.on_stage = [&](std::string_view stage) { stages.emplace_back(stage); }});
  EXPECT_EQ(stages, (std::vector<std::string>{"calibrating", "measuring"}));
  MeasureRequest request = measure_request("tem");
  request.copies = 9999;
  try {
    (void)measure(request, {});
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "`copies` 9999: it must be from 0 to 1024");
  }
}

}  // namespace
}  // namespace sotto::api
