#include "sotto/release.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/sha256.h"
#include "sotto/setting.h"
#include "support/models.h"
#include "text/format.h"
#include "text/pipeline_support.h"

namespace sotto::api {
namespace {

using test::StringSink;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::string> keys_of(const Json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

// The words are those of gaussian_model(): w0 to w49.
CertifiedMechanism tem(const std::string& epsilon = "1") {
  static const auto kModel = test::gaussian_model({.words = 50, .dim = 3});
  return build_mechanism("tem", kModel, {{"epsilon", epsilon}});
}

// With an epsilon at which every word stays as it is.
CertifiedMechanism copying() {
  return tem("1000");
}

// Many texts, so that there are many blocks.
std::vector<std::string> many_texts() {
  std::vector<std::string> texts;
  for (int i = 0; i < 6000; ++i) {
    texts.push_back("w" + std::to_string(i % 50) + " w" + std::to_string(i % 7) + ", nothing known!");
  }
  return texts;
}

std::vector<std::string_view> views_of(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

ReleaseAnswer answer_expecting(double unchanged) {
  ReleaseAnswer answer{.privatizer = Privatizer(tem().mechanism, {})};
  answer.facts.expected.unchanged = unchanged;
  return answer;
}

// At the thresholds themselves a release is still of the better kind.
TEST(Release, TheThresholdsOfWeakSettings) {
  struct Case {
    double unchanged;
    Strength strength;
    bool is_stopped;
  };
  const double above_half = std::nextafter(0.5, 1);
  const double above_nine_tenths = std::nextafter(0.9, 1);
  for (const auto& [unchanged, strength, is_stopped] :
       {Case{0, Strength::ok, false}, Case{0.5, Strength::ok, false}, Case{above_half, Strength::weak, false},
        Case{0.9, Strength::weak, false}, Case{above_nine_tenths, Strength::none, true},
        Case{1, Strength::none, true},
        Case{std::numeric_limits<double>::quiet_NaN(), Strength::none, true}}) {
    ReleaseAnswer answer = answer_expecting(unchanged);
    EXPECT_EQ(answer.strength(), strength) << unchanged;
    EXPECT_EQ(answer.is_stopped(), is_stopped) << unchanged;
    answer.allow_weak = true;
    EXPECT_FALSE(answer.is_stopped()) << unchanged;
    EXPECT_EQ(answer.strength(), strength) << "what is allowed is not thereby strong";
  }
}

TEST(Release, AStoppedReleaseReadsAndWritesNothing) {
  const auto source = source_of_string("w1 w2\n");
  const std::uint64_t looked_at = source->consumed();  // for the magic bytes of compression
  StringSink sink;
  const ReleaseAnswer stopped = release_stream(*source, sink, {.built = copying()});
  EXPECT_TRUE(stopped.is_stopped());
  EXPECT_EQ(sink.text, "");
  EXPECT_EQ(source->consumed(), looked_at);
  EXPECT_EQ(stopped.facts.counts.documents, 0U);
  const std::vector<std::string_view> texts = {"w1 w2"};
  EXPECT_THAT(release_texts(texts, {.built = copying()}).texts, IsEmpty());

  const ReleaseAnswer allowed = release_stream(*source, sink, {.built = copying(), .allow_weak = true});
  EXPECT_EQ(sink.text, "w1 w2\n");
  EXPECT_FALSE(sink.is_finished);  // the caller decides that all is well
  EXPECT_EQ(allowed.strength(), Strength::none);
  EXPECT_EQ(allowed.facts.counts.tokens, 2U);
}

TEST(Release, TheSettingToTryChangesAboutHalfOfTheWords) {
  const Mechanism weak = copying().mechanism;
  const std::string text = setting_to_try(weak, {});
  ASSERT_THAT(text, StartsWith("`epsilon` "));
  const std::string epsilon = text.substr(text.find(' ') + 1);
  EXPECT_LT(std::stod(epsilon), 1000);
  const double unchanged = forecast(tem(epsilon).mechanism, {}).unchanged;
  EXPECT_LT(unchanged, 0.6);
  EXPECT_GT(unchanged, 0.1);

  Mechanism calibrated = weak;
  calibrated.claim.by_certificate = true;  // its search would take too long
  EXPECT_EQ(setting_to_try(calibrated, {}), "a smaller `epsilon`");
  EXPECT_EQ(setting_to_try(build_mechanism("identity", weak.space->shared_model(), {}).mechanism, {}),
            "another `mechanism`");
}

// Whoever asks gets the same status: the answer, its JSON and both reports.
void expect_status(const ReleaseAnswer& answer, std::string_view status) {
  EXPECT_EQ(status_name(answer.status()), status);
  EXPECT_EQ(to_json(answer)["status"], status);
  for (const ReportDetail detail : {ReportDetail::data_holder, ReportDetail::public_only}) {
    const Json report = Json::parse(answer.report(detail));
    EXPECT_EQ(report["status"], status);
    EXPECT_EQ(report["status_reasons"].empty(), status == "proven");
    EXPECT_EQ(report["guarantee"] == report["mechanism_guarantee"], status == "proven");
  }
}

TEST(Release, SeededMeansNotPrivateEverywhere) {
  const std::vector<std::string_view> texts = {"w1 w2"};
  expect_status(release_texts(texts, {.built = tem()}).release, "proven");
  expect_status(release_texts(texts, {.built = tem(), .seed_not_private = 0}).release, "not_private");
  for (const UnknownWords unknown : {UnknownWords::mask, UnknownWords::drop, UnknownWords::keep}) {
    expect_status(release_texts(texts, {.built = tem(), .texts = {.unknown = unknown}}).release,
                  "not_private");
  }
  const auto source = source_of_string("w1 w2\n");
  StringSink sink;
  expect_status(release_stream(*source, sink, {.built = tem(), .seed_not_private = 7}), "not_private");
}

TEST(Release, TheSameTextsGiveTheSameReportFromMemoryAndFromAStream) {
  const std::vector<std::string_view> texts = {"w1, w2!", "", "w3 nobody knows this w4"};
  const auto source = source_of_string("w1, w2!\n\nw3 nobody knows this w4\n");
  StringSink sink;
  const ReleaseAnswer streamed = release_stream(*source, sink, {.built = tem()});
  const ReleaseAnswer from_memory = release_texts(texts, {.built = tem()}).release;
  EXPECT_EQ(to_json(streamed)["counts"], to_json(from_memory)["counts"]);
  for (const ReportDetail detail : {ReportDetail::data_holder, ReportDetail::public_only}) {
    Json one = Json::parse(streamed.report(detail));
    Json other = Json::parse(from_memory.report(detail));
    EXPECT_EQ(keys_of(one), keys_of(other));
    // A stream has a format; the forecast draws on its own.
    EXPECT_EQ(one["settings"]["format"], "by extension");
    one["settings"].erase("format");
    EXPECT_EQ(one["leaks"].size(), other["leaks"].size() + 1);
    for (const char* own :
         {"leaks", "released_at", "expected_unchanged", "epsilon_times_median_nearest_distance"}) {
      one.erase(own);
      other.erase(own);
    }
    EXPECT_EQ(one, other);
  }
}

// A file that a cache holds, or a certificate of building, must not change what is said.
TEST(Release, AReportHasTheCertificateOnlyIfItWasAskedForOrBelongsToTheClaim) {
  const std::vector<std::string_view> texts = {"w1"};
  CertifiedMechanism built = tem();
  ASSERT_TRUE(built.certificate);  // small models get one
  EXPECT_FALSE(release_texts(texts, {.built = built}).release.facts.certificate);
  EXPECT_TRUE(release_texts(texts, {.built = built, .certify = true}).release.facts.certificate);
  built.certificate.reset();
  EXPECT_TRUE(release_texts(texts, {.built = built, .certify = true}).release.facts.certificate);
  const CertifiedMechanism exact = build_mechanism("tem", built.mechanism.space->shared_model(),
                                                   {{"epsilon", "1"}, {"calibration", "exact"}});
  EXPECT_TRUE(release_texts(texts, {.built = exact}).release.facts.certificate);

  const CertifiedMechanism laplace =
      build_mechanism("laplace", built.mechanism.space->shared_model(), {{"epsilon", "1"}});
  const auto fault =
      test::fault_of([&] { release_texts(texts, {.built = laplace, .certify = true, .allow_weak = true}); });
  EXPECT_EQ(fault.code, ErrorCode::usage);
  EXPECT_THAT(fault.message, StartsWith("`certify`: no certificate of laplace"));
}

TEST(Release, TheJsonHasTheKeysOfTheProgram) {
  Release release({.built = tem()});
  const Json json = to_json(release.promise({}));
  EXPECT_THAT(keys_of(json),
              ElementsAre("schema", "sotto_version", "mechanism", "parameters", "metric", "nominal_epsilon",
                          "certified_epsilon", "additive_loss", "status", "strength", "guarantee", "model",
                          "expected_unchanged", "epsilon_times_median_nearest_distance", "files", "counts",
                          "passed_through", "released", "spent", "seconds", "report"));
  EXPECT_EQ(json["schema"], "sotto.privatize/1");
  EXPECT_THAT(keys_of(json["counts"]),
              ElementsAre("documents", "tokens", "unknown_tokens", "longest_document", "longest_record",
                          "empty_lines", "short_rows", "missing_fields"));
  EXPECT_THAT(keys_of(json["files"]), ElementsAre("done", "finished_earlier"));
  EXPECT_THAT(keys_of(json["expected_unchanged"]), ElementsAre("share", "margin95"));
}

TEST(Release, SeededTextsDependOnTheSeedAndTheCallAlone) {
  const std::vector<std::string> texts = many_texts();
  const std::vector<std::string_view> views = views_of(texts);
  Release first({.built = tem(), .seed_not_private = 5});
  Release second({.built = tem(), .seed_not_private = 5});
  const PrivateTexts one = first.texts(views, {.threads = 1});
  EXPECT_EQ(second.texts(views, {.threads = 4}).texts, one.texts);
  EXPECT_EQ(one.counts.documents, texts.size());
  // The next call gets other noise, again the same for both.
  const PrivateTexts again = first.texts(views, {.threads = 3});
  EXPECT_NE(again.texts, one.texts);
  EXPECT_EQ(second.texts(views, {.threads = 1}).texts, again.texts);
  EXPECT_EQ(first.answer().facts.counts.documents, 2 * texts.size());
  Release fresh({.built = tem()});
  EXPECT_NE(fresh.texts(views, {}).texts, fresh.texts(views, {}).texts);
}

TEST(Release, ThreadsShareOneRelease) {
  const std::vector<std::string> texts = many_texts();
  const std::vector<std::string_view> views = views_of(texts);
  Release release({.built = tem(), .seed_not_private = 5});
  std::vector<std::vector<std::string>> released(4);
  {
    std::vector<std::jthread> threads;
    for (auto& own : released) {
      threads.emplace_back([&] {
        own = release.texts(views, {.threads = 1}).texts;
        (void)release.promise({.threads = 1});
      });
    }
  }
  EXPECT_EQ(release.answer().facts.counts.documents, released.size() * texts.size());
  for (std::size_t i = 1; i < released.size(); ++i) EXPECT_NE(released[i], released[0]);  // no noise twice
}

TEST(Release, ABadTextIsNamedByItsNumber) {
  const std::vector<std::string_view> texts = {"w1", "canaryword \xff"};
  Release release({.built = tem()});
  const auto by_place = test::fault_of([&] { release.texts(texts, {}); });
  EXPECT_EQ(by_place.code, ErrorCode::bad_data);
  EXPECT_THAT(by_place.message, StartsWith("text 1 (counted from 0): "));
  const std::vector<std::size_t> numbers = {4, 9};
  EXPECT_THAT(test::fault_of([&] { release.texts(texts, {}, numbers); }).message,
              StartsWith("text 9 (counted from 0): "));
}

TEST(Release, FilesAreNamedWithTheirSha256AndGetNoiseOfTheirOwn) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "sotto_release_test";
  std::filesystem::create_directories(folder);
  const std::filesystem::path input = folder / "in.csv";
  std::ofstream(input) << "id,text\n1,w1 w2 w3 w4 w5 w6 w7 w8\n2,w9\n";
  Release release(
      {.built = tem(), .reading = ReadingOptions::parse({{"column", {"text"}}}), .seed_not_private = 1});
  std::vector<std::string> notices;
  std::vector<std::string> written;
  const std::vector<std::string> names = {"a.csv", "b.csv"};
  for (const std::string& name : names) {
    const ReleaseFile file{.input = input,
                           .output = folder / name,
                           .format = &find_format("csv"),
                           .number = written.size(),
                           .overwrite = Overwrite::replace};
    const ReleaseHooks hooks{.on_notice = [&](const std::string& notice) { notices.push_back(notice); }};
    release.file(file, {}, hooks)->finish();
    std::ifstream bytes(file.output, std::ios::binary);
    written.emplace_back(std::istreambuf_iterator<char>(bytes), std::istreambuf_iterator<char>());
  }
  release.skip_file();
  const ReleaseAnswer answer = release.answer();
  EXPECT_NE(written[0], written[1]);
  ASSERT_EQ(answer.facts.released->size(), 2U);
  for (std::size_t i = 0; i < written.size(); ++i) {
    EXPECT_EQ(answer.facts.released->at(i).sha256, sha256_of_file(folder / names[i]));
  }
  EXPECT_EQ(answer.facts.released->at(1).name, "b.csv");
  EXPECT_THAT(notices, ElementsAre(HasSubstr("`no-header`"), HasSubstr("1 column")));  // once for the run
  EXPECT_EQ(answer.files, 2U);
  EXPECT_EQ(answer.facts.finished_earlier, 1U);
  EXPECT_EQ(answer.facts.format, "csv");
  EXPECT_THAT(answer.facts.passed_through, ElementsAre("1"));
  EXPECT_EQ(answer.facts.counts.documents, 4U);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace sotto::api
