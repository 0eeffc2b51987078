#include "sotto/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "text/fake_mechanism.h"

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;
using test::identity_mechanism;
using test::words_model;
using testing::HasSubstr;
using testing::Not;

// Counts that occur nowhere else in a report.
const TextCounts kCounts = {.documents = 86751,
                            .tokens = 97613,
                            .unknown_tokens = 86752,
                            .inserted_spaces = 86753,
                            .longest_document = 4000,
                            .longest_record = 6000};

Privatizer privatizer_with(const PrivatizerOptions& options, std::optional<double> loss = 7.5) {
  Mechanism mechanism = identity_mechanism(words_model({"the", "good", "something"}));
  mechanism.claim.largest_word_loss = loss;
  return Privatizer(std::move(mechanism), options);
}

Json report_of(const Privatizer& privatizer, const ReleaseFacts& facts,
               ReportDetail detail = ReportDetail::data_holder) {
  return Json::parse(release_report(privatizer, facts, detail));
}

std::string leaks_of(const Json& report) {
  std::string all;
  for (const auto& leak : report["leaks"]) all += leak.get<std::string>() + "\n";
  return all;
}

TEST(Report, SaysEverythingTheDesignAsksFor) {
  const Json report = report_of(privatizer_with({}), {.counts = kCounts, .expected = {.unchanged = 0.25}});
  for (const char* key : {"schema",
                          "sotto_version",
                          "mechanism",
                          "parameters",
                          "metric",
                          "nominal_epsilon",
                          "certified_epsilon",
                          "guarantee",
                          "status",
                          "status_reasons",
                          "strength",
                          "strength_reason",
                          "released_at",
                          "released",
                          "settings",
                          "names",
                          "caveat",
                          "arithmetic",
                          "largest_word_loss",
                          "certified_largest_word_loss",
                          "worst_case_longest_document",
                          "worst_case_longest_record",
                          "composition",
                          "model",
                          "expected_unchanged",
                          "epsilon_times_median_nearest_distance",
                          "unknown_words",
                          "counts",
                          "randomness",
                          "audience",
                          "passed_through",
                          "leaks"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  EXPECT_EQ(report["schema"], "sotto.release-report/2");
  EXPECT_EQ(report["mechanism"], "fake");
  EXPECT_EQ(report["metric"], "euclidean");
  EXPECT_EQ(report["status"], "proven");
  EXPECT_EQ(report["guarantee"], "2 * Euclidean distance for each word");
  EXPECT_EQ(report["model"]["words"], 3);
  EXPECT_EQ(report["model"]["identity"].get<std::string>().size(), 64U);
  EXPECT_EQ(report["unknown_words"]["policy"], "anchor");
  EXPECT_EQ(report["unknown_words"]["anchor"], "something");
  EXPECT_EQ(report["expected_unchanged"]["share"], 0.25);
  EXPECT_EQ(report["counts"]["unknown_tokens"], 86752);
  EXPECT_THAT(report["randomness"], HasSubstr("AES-256-CTR"));
}

TEST(Report, WorstCaseIsTheLongestDocumentTimesTheLargestLoss) {
  const Json bound = report_of(privatizer_with({}), {.counts = kCounts});
  EXPECT_TRUE(bound["certified_epsilon"].is_null());
  EXPECT_THAT(bound["certified_epsilon_note"], HasSubstr("`certify`"));
  EXPECT_TRUE(bound["certified_largest_word_loss"].is_null());
  EXPECT_EQ(bound["largest_word_loss"]["kind"], "proven bound");
  EXPECT_GE(bound["worst_case_longest_document"].get<double>(), 30000);
  EXPECT_LT(bound["worst_case_longest_document"].get<double>(), 30000.001);
  EXPECT_NEAR(bound["worst_case_longest_record"].get<double>(), 45000, 1e-6);

  ReleaseFacts facts = {.counts = kCounts};
  facts.certificate = Certificate{.realised_epsilon = 1.5, .largest_loss = 3};
  const Json certified = report_of(privatizer_with({}), facts);
  EXPECT_EQ(certified["certified_epsilon"], 1.5);
  EXPECT_FALSE(certified.contains("certified_epsilon_note"));
  // The theorem's figure stays, and the certificate's stands beside it.
  EXPECT_EQ(certified["largest_word_loss"]["kind"], "proven bound");
  EXPECT_EQ(certified["largest_word_loss"]["value"], 7.5);
  EXPECT_EQ(certified["certified_largest_word_loss"], 3);
  EXPECT_NEAR(certified["worst_case_longest_document"].get<double>(), 12000, 1e-6);
  EXPECT_NEAR(certified["worst_case_longest_record"].get<double>(), 18000, 1e-6);

  const Json unknown = report_of(privatizer_with({}, std::nullopt), {.counts = kCounts});
  EXPECT_TRUE(unknown["largest_word_loss"].is_null());
  EXPECT_TRUE(unknown["worst_case_longest_document"].is_null());
}

TEST(Report, PublicReportHasNoCountOfTheInput) {
  const std::string text =
      release_report(privatizer_with({}), {.counts = kCounts}, ReportDetail::public_only);
  for (const char* number : {"86751", "97613", "86752", "86753", "4000", "30000", "6000", "45000"}) {
    EXPECT_THAT(text, Not(HasSubstr(number)));
  }
  const Json report = Json::parse(text);
  EXPECT_FALSE(report.contains("counts"));
  EXPECT_FALSE(report.contains("worst_case_longest_document"));
  EXPECT_FALSE(report.contains("worst_case_longest_record"));
  EXPECT_EQ(report["largest_word_loss"]["value"], 7.5);
  // Nor does it change with the input in any other way.
  EXPECT_EQ(text, release_report(privatizer_with({}), {}, ReportDetail::public_only));
}

TEST(Report, StrengthStandsBesideTheStatus) {
  const auto with = [](double share) {
    return report_of(privatizer_with({}), {.expected = {.unchanged = share}});
  };
  EXPECT_EQ(with(0.5)["strength"], "ok");
  EXPECT_EQ(with(0.6)["strength"], "weak");
  EXPECT_EQ(with(0.97)["strength"], "none");
  EXPECT_EQ(with(0.97)["status"], "proven");
  EXPECT_THAT(with(0.97)["strength_reason"], HasSubstr("hides next to nothing"));
}

TEST(Report, NamesFilesAndSettings) {
  ReleaseFacts facts = {.released_at = "2026-11-17T10:42:26Z",
                        .settings = {{.name = "format", .value = "csv"},
                                     {.name = "columns",
                                      .value = "zanzibarcanary",
                                      .audience = ReleaseSetting::Audience::data_holder}},
                        .released = {{{.name = "secretname.csv", .sha256 = std::string(64, 'a')}}}};
  const Json holder = report_of(privatizer_with({.strip_html = true}), facts);
  EXPECT_EQ(holder["released_at"], "2026-11-17T10:42:26Z");
  EXPECT_EQ(holder["released"][0]["name"], "secretname.csv");
  EXPECT_EQ(holder["released"][0]["sha256"], std::string(64, 'a'));
  EXPECT_EQ(holder["settings"]["columns"], "zanzibarcanary");
  EXPECT_EQ(holder["settings"]["strip-html"], "yes");
  EXPECT_FALSE(holder.contains("released_note"));
  const std::string text = release_report(privatizer_with({}), facts, ReportDetail::public_only);
  EXPECT_THAT(text, Not(HasSubstr("zanzibarcanary")));
  EXPECT_THAT(text, Not(HasSubstr("secretname")));
  EXPECT_THAT(text, HasSubstr(std::string(64, 'a')));
  facts.finished_earlier = 2;
  EXPECT_TRUE(report_of(privatizer_with({}), facts).contains("released_note"));
  EXPECT_TRUE(report_of(privatizer_with({}), {})["released"].is_null());
}

TEST(Report, SeededIsNotPrivate) {
  const Json report = report_of(privatizer_with({}), {.counts = kCounts, .seeded_not_private = true});
  EXPECT_EQ(report["status"], "not_private");
  EXPECT_THAT(report["randomness"], HasSubstr("SEEDED"));
  EXPECT_THAT(report["guarantee"], HasSubstr("None"));
  EXPECT_TRUE(report["worst_case_longest_document"].is_null());
}

TEST(Report, EveryLeakThatAppliesIsListed) {
  const std::string plain = leaks_of(report_of(privatizer_with({}), {}));
  for (const char* part :
       {"number of documents", "order", "length", "line breaks", "punctuation", "one space", "time"}) {
    EXPECT_THAT(plain, HasSubstr(part));
  }
  for (const char* part : {"HTML", "unknown", "Passed through"}) EXPECT_THAT(plain, Not(HasSubstr(part)));

  const ReleaseFacts facts = {
      .format = "csv", .passed_through = {"1", "2", "4"}, .passed_names = {"id", "date", "bad \xFF name"}};
  const std::string more =
      leaks_of(report_of(privatizer_with({.unknown = UnknownWords::keep, .strip_html = true}), facts));
  for (const char* part : {"HTML", "in clear: columns id, date", "csv", "kept and can be read"})
    EXPECT_THAT(more, HasSubstr(part));

  for (const auto policy : {UnknownWords::mask, UnknownWords::drop, UnknownWords::keep}) {
    const Json report = report_of(privatizer_with({.unknown = policy}), {});
    EXPECT_EQ(report["status"], "not_private");
    EXPECT_THAT(leaks_of(report), HasSubstr("unknown to the model"));
  }
}

// A header cell is data if the file has no header after all.
TEST(Report, NamesOfColumnsAreForTheDataHolderOnly) {
  const Privatizer privatizer = privatizer_with({});
  const ReleaseFacts table = {
      .format = "csv", .passed_through = {"1", "3"}, .passed_names = {"canary one", "canary two"}};
  EXPECT_THAT(leaks_of(report_of(privatizer, table)), HasSubstr("columns canary one, canary two."));
  const std::string shown = release_report(privatizer, table, ReportDetail::public_only);
  EXPECT_THAT(shown, HasSubstr("Passed through in clear: columns 1, 3."));
  EXPECT_THAT(shown, Not(HasSubstr("canary")));
  const ReleaseFacts lines = {.format = "jsonl", .passed_through = {"every field but the chosen ones"}};
  EXPECT_THAT(leaks_of(report_of(privatizer, lines)),
              HasSubstr("in clear: every field but the chosen ones."));
}

// What an option allowed is told to everybody; how often it happened only to the data holder.
TEST(Report, RecordsThatAnOptionAllowedToPassAreLeaks) {
  const Privatizer privatizer = privatizer_with({});
  ReleaseFacts facts = {.allowed_leaks = {"This was allowed."}};
  EXPECT_THAT(leaks_of(report_of(privatizer, facts)), HasSubstr("This was allowed."));
  EXPECT_THAT(leaks_of(report_of(privatizer, facts)), Not(HasSubstr("fewer cells")));
  facts.counts.layout = {.empty_lines = 3, .short_rows = 17, .missing_fields = 18};
  const Json report = report_of(privatizer, facts);
  EXPECT_EQ(report["counts"]["empty_lines"], 3);
  EXPECT_EQ(report["counts"]["short_rows"], 17);
  EXPECT_EQ(report["counts"]["missing_fields"], 18);
  EXPECT_THAT(leaks_of(report), HasSubstr("fewer cells than the first row: 17"));
  EXPECT_THAT(leaks_of(report), HasSubstr("without text at a chosen field: 18"));
  const std::string shown = leaks_of(report_of(privatizer, facts, ReportDetail::public_only));
  EXPECT_THAT(shown, HasSubstr("This was allowed."));
  EXPECT_THAT(shown, Not(HasSubstr("fewer cells")));
  EXPECT_THAT(shown, Not(HasSubstr("chosen field")));
}

TEST(Report, NoWordOfTheInputAppears) {
  for (const auto policy : {UnknownWords::anchor, UnknownWords::keep}) {
    const Privatizer privatizer = privatizer_with({.unknown = policy});
    const std::vector<std::string_view> documents = {"the canary was good"};
    Rng rng = Rng::seeded_not_private(1);
    std::vector<std::string> out;
    ReleaseFacts facts;
    privatizer.privatize(documents, rng, out, facts.counts);
    EXPECT_THAT(release_report(privatizer, facts, ReportDetail::data_holder), Not(HasSubstr("canary")));
  }
}

}  // namespace
}  // namespace sotto
