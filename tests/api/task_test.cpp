#include "api/task.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../core/temporary_folder.h"
#include "api/tune.h"
#include "sotto/error.h"
#include "tune/tune_support.h"

namespace sotto::api {
namespace {

constexpr char kCanary[] = "zanzibarcanary";

// A text, a folder for its copies, and a program that judges them.
class Task : public ::testing::Test {
 protected:
  Task() { test::put(input(), std::string("w1 w2 ") + kCanary + "\nw3\n"); }
  [[nodiscard]] std::filesystem::path input() const { return folder_ / "input.txt"; }

  // `body` is a shell script that has the path of the copy as "$1".
  [[nodiscard]] TaskRequest request(const std::string& body) const {
    return {.input = input(),
            .judge = OutsideProgram{.command = "sh -c '" + body + "' sh",
                                    .environment = {"PATH=/usr/local/bin:/usr/bin:/bin"}},
            .folder = copies_.path()};
  }
  [[nodiscard]] static CertifiedMechanism tem(const char* epsilon = "1") {
    return build_mechanism("tem", test::tuned_model(), {{"epsilon", epsilon}}, {});
  }
  double loss_of(const TaskRequest& request) { return make_task(request, 1).loss(tem(), {}); }
  // The message of the fault. Nothing of it is the text's, and no copy is left.
  std::string message_of(const TaskRequest& request, ErrorCode code = ErrorCode::input_output) {
    std::string message = "no fault";
    try {
      loss_of(request);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      message = error.what();
    }
    EXPECT_EQ(message.find(kCanary), std::string::npos) << message;
    EXPECT_EQ(message.find("w3"), std::string::npos) << message;
    EXPECT_EQ(copies_.entries(), 0);
    return message;
  }

  test::TemporaryFolder folder_;
  test::TemporaryFolder copies_;
};

// The copy has the lines and words of the text, none of its unknown words, and is the user's alone.
TEST_F(Task, TheProgramGetsAPrivateCopy) {
  const std::string seen = (folder_ / "seen").string();
  EXPECT_EQ(loss_of(request("cp \"$1\" " + seen + " && stat -c %a \"$1\" > " + seen + ".mode; echo 0.25")),
            0.25);
  EXPECT_EQ(test::contents(seen + ".mode"), "600\n");
  const std::string copy = test::contents(seen);
  EXPECT_EQ(std::count(copy.begin(), copy.end(), '\n'), 2);
  EXPECT_EQ(std::count(copy.begin(), copy.end(), ' '), 2);
  EXPECT_EQ(copy.find(kCanary), std::string::npos);
  EXPECT_EQ(copies_.entries(), 0);
}

TEST_F(Task, TablesAreReadAsPrivatizeReadsThem) {
  test::put(folder_ / "input.csv", std::string("label,text\nyes,w1 w2\nno,") + kCanary + "\n");
  const std::string seen = (folder_ / "seen").string();
  TaskRequest table = request("cp \"$1\" " + seen + "; case \"$1\" in *.csv) echo 1;; esac");
  table.input = folder_ / "input.csv";
  table.reading["column"] = {"text"};
  EXPECT_EQ(loss_of(table), 1);
  const std::string copy = test::contents(seen);
  EXPECT_EQ(copy.rfind("label,text\nyes,", 0), 0U) << copy;
  EXPECT_NE(copy.find("\nno,"), std::string::npos) << copy;
  EXPECT_EQ(copy.find(kCanary), std::string::npos) << copy;
  table.reading["column"] = {"other"};
  EXPECT_THROW(make_task(table, 1), Error);
}

TEST_F(Task, NumbersFromZeroToOne) {
  for (const auto& [printed, value] :
       std::vector<std::pair<std::string, double>>{{"echo 0", 0},
                                                   {"echo 1", 1},
                                                   {"echo 0.5", 0.5},
                                                   {"echo 1e-3", 1e-3},
                                                   {"printf \"  .5\\n\\n\"", 0.5}}) {
    EXPECT_EQ(loss_of(request(printed)), value) << printed;
  }
}

TEST_F(Task, AnythingElseIsRefused) {
  const std::vector<std::pair<std::string, std::string>> kBad = {
      {"cat \"$1\"", "printed something else than one number"},
      {std::string("echo ") + kCanary, "printed something else than one number"},
      {"echo 0.5 0.6", "printed something else than one number"},
      {"echo 0.5; echo 0.6", "printed something else than one number"},
      {"echo 50%", "printed something else than one number"},
      {"echo nan", "printed something else than one number"},
      {"echo inf", "printed something else than one number"},
      {"echo 0x1", "printed something else than one number"},
      {"echo 1.01", "printed a number that is not from 0 to 1"},
      {"echo -0.1", "printed a number that is not from 0 to 1"},
      {"true", "printed nothing"},
      {"echo 0.5; exit 7", "failed with exit status 7"},
      {"echo 0.5; kill -9 $$", "was ended by signal 9"},
      {"echo 0.5; no-such-program-here 2> /dev/null", "is not found by the shell (exit status 127)"},
      {"yes", "printed more than 65536 bytes"}};
  for (const auto& [body, message] : kBad) {
    EXPECT_NE(message_of(request(body)).find(message), std::string::npos)
        << body << ": " << message_of(request(body));
  }
  TaskRequest slow = request("echo 0.5; sleep 300");
  slow.patience = std::chrono::milliseconds(300);
  EXPECT_NE(message_of(slow).find("took longer than 0.3 seconds"), std::string::npos) << message_of(slow);
}

TEST_F(Task, AFunctionMayJudge) {
  TaskRequest files = request("");
  std::filesystem::path copy;
  files.judge = [&](const std::filesystem::path& path) {
    copy = path;
    EXPECT_TRUE(std::filesystem::exists(path));
    return 0.75;
  };
  EXPECT_EQ(loss_of(files), 0.75);
  EXPECT_FALSE(std::filesystem::exists(copy));
  files.judge = [&](const std::filesystem::path&) -> double { throw std::runtime_error("mine"); };
  EXPECT_THROW(loss_of(files), std::runtime_error);
  EXPECT_EQ(copies_.entries(), 0);
  files.judge = [&](const std::filesystem::path&) { return std::nan(""); };
  EXPECT_NE(message_of(files, ErrorCode::usage).find("not from 0 to 1"), std::string::npos);

  TaskRequest texts{.input = std::vector<std::string>{"w1 w2", kCanary}, .judge = {}};
  std::vector<std::string> seen;
  texts.judge = [&](const std::vector<std::string>& given) {
    seen = given;
    return 0.125;
  };
  EXPECT_EQ(loss_of(texts), 0.125);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(std::count(seen[0].begin(), seen[0].end(), ' '), 1);
  EXPECT_NE(seen[1], kCanary);
}

// The seed decides the copy, and without one no two copies need agree.
TEST_F(Task, CopiesAreFreshUnlessSeeded) {
  TaskRequest texts{.input = std::vector<std::string>(50, "w1 w2 w3 w4"), .judge = {}};
  std::vector<std::vector<std::string>> seen;
  texts.judge = [&](const std::vector<std::string>& given) {
    seen.push_back(given);
    return 0.0;
  };
  for (const auto& seed : std::vector<std::optional<std::uint64_t>>{1, 1, std::nullopt, std::nullopt}) {
    (void)make_task(texts, seed).loss(tem(), {});
  }
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_NE(seen[2], seen[3]);  // 200 words of 40: equal with probability below 1e-9
}

TEST_F(Task, NearlyClearCopiesNeedConsent) {
  TaskRequest task = request("echo 0.5");
  EXPECT_EQ(make_task(task, 1).refuses(tem("1"), {}), "");
  EXPECT_NE(make_task(task, 1).refuses(tem("1000"), {}).find("nearly the text in clear"), std::string::npos);
  task.allow_weak = true;
  EXPECT_EQ(make_task(task, 1).refuses(tem("1000"), {}), "");
}

TEST_F(Task, WhatDoesNotFitTogetherIsRefused) {
  const auto refused = [](const TaskRequest& task) { return test::error_of([&] { check(task); }); };
  TaskRequest task = request("echo 0.5");
  check(task);
  task.input = std::filesystem::path();
  EXPECT_EQ(refused(task), ErrorCode::usage);
  task.input = std::filesystem::path("-");
  EXPECT_EQ(refused(task), ErrorCode::usage);
  task.input = std::vector<std::string>{"w1"};
  EXPECT_EQ(refused(task), ErrorCode::usage);
  task = request("echo 0.5");
  task.input = folder_ / "missing.txt";
  EXPECT_EQ(test::error_of([&] { (void)make_task(task, 1); }), ErrorCode::input_output);

  TuneRequest request;
  EXPECT_EQ(test::error_of([&] { choose_loss(request, "command: ", {}); }), ErrorCode::usage);
  EXPECT_EQ(test::error_of([&] { choose_loss(request, "task", {}); }), ErrorCode::usage);
  EXPECT_EQ(test::error_of([&] { choose_loss(request, "changed", task); }), ErrorCode::usage);
  choose_loss(request, "changed", {});
  EXPECT_EQ(request.chosen_loss(), UtilityLoss::changed);
}

// The search minimises what the task says: here the share of changed words, which `changed` estimates too.
TEST_F(Task, IsALossOfTune) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "w" + std::to_string(i % 40) + "\n";
  test::put(input(), text);
  // The copy has one word per line, as the text has.
  const std::string changed =
      "paste " + input().string() + " \"$1\" | awk \"{ n += 1; c += (\\$1 != \\$2) } END { print c / n }\"";
  TuneRequest request{
      .model = test::tuned_model(),
      .adversary = {.prior = "uniform"},
      .task = this->request(changed),
      .constraints = {.max_loss = 0.6},
      .candidates =
          std::vector<Candidate>{{.mechanism = "tem", .parameters = {{"epsilon", "2"}}},
                                 {.mechanism = "tem", .parameters = {{"epsilon", "4"}}},
                                 {.mechanism = "vickrey", .parameters = {{"epsilon", "4"}, {"t", "0.5"}}},
                                 {.mechanism = "identity"}},
      .draws = 4096,
      .seed = 3};
  const TuneAnswer answer = tune(request, {});
  ASSERT_EQ(answer.found.points.size(), 3U);
  ASSERT_EQ(answer.found.skipped.size(), 1U);
  EXPECT_TRUE(answer.found.skipped[0].too_weak);
  for (const TunePoint& point : answer.found.points) {
    // 400 words: five standard deviations are 0.125.
    EXPECT_NEAR(*point.middle("loss_task"), *point.middle("loss_changed"), 0.125) << point.candidate.line();
  }
  const auto json = to_json(answer);
  EXPECT_EQ(json["loss"]["name"], "task");
  EXPECT_EQ(json["seeded_copies"], true);
  EXPECT_EQ(copies_.entries(), 0);

  // Kept points are those of this program on this text.
  request.resume = folder_ / "points.json";
  const TuneAnswer kept = tune(request, {});
  EXPECT_EQ(to_json(tune(request, {})), to_json(kept));
  test::put(input(), text + "w1\n");
  EXPECT_EQ(test::error_of([&] { (void)tune(request, {}); }), ErrorCode::usage);
}

}  // namespace
}  // namespace sotto::api
