// Programs as subjects: cli/fixtures/outside_tool.py, right and broken. The program's noise is its own, so
// these tests are not seeded: a sound one is called VIOLATED with probability at most 1e-6.
#include <gtest/gtest.h>

#include <csignal>

#include "certify/audit_support.h"
#include "sotto/error.h"

namespace sotto {
namespace {

struct IgnorePipe {
  IgnorePipe() { std::signal(SIGPIPE, SIG_IGN); }
} const ignore_pipe;

const auto kModel = test::line_model({0, 1, 2.5F, 4});

ProgramSubject tool(const std::string& mode) {
  const std::string command = std::string("python3 '") + SOTTO_TESTS_DIR + "/cli/fixtures/outside_tool.py' " +
                              mode + " 1 w0=0 w1=1 w2=2.5 w3=4";
  return {{.command = command, .environment = {"PATH=/usr/local/bin:/usr/bin:/bin"}}, kModel};
}

AuditResult audited(const std::string& mode) {
  ProgramSubject subject = tool(mode);
  const AuditClaim claim = audit_claim(Space::make(kModel, Metric::euclidean), 1);
  Rng rng = Rng::seeded_not_private(1);
  auto pairs = choose_audit_pairs(claim, {.pairs = 6}, rng);
  pairs.push_back({.first = subject.word_of("qqone"),
                   .second = subject.word_of("qqtwo"),
                   .kind = AuditPair::Kind::unknown});
  return audit(subject, pairs, {.draws = 6000, .level = 1e-6, .distance = test::distance_of(claim.space)});
}

double replayed(const std::string& mode) {
  ProgramSubject subject = tool(mode);
  std::vector<AuditWord> list;
  for (int i = 0; i < 20; ++i) list.insert(list.end(), {0, 1, 2, 3});
  const auto first = subject.answers(list);
  return replay_probability(list, first, subject.answers(list));
}

TEST(AuditProgram, ASoundProgramPasses) {
  EXPECT_NE(audited("right").verdict, AuditVerdict::violated);
  EXPECT_EQ(replayed("right"), 1);
}

TEST(AuditProgram, Bug3SquaredDistances) {
  EXPECT_EQ(audited("squared").verdict, AuditVerdict::violated);
}

// Two words that the model does not have: whatever tells them apart was not paid for by any distance.
TEST(AuditProgram, Bug10UnknownWordsInClear) {
  const AuditResult result = audited("unknown-in-clear");
  ASSERT_EQ(result.verdict, AuditVerdict::violated);
  EXPECT_EQ(result.witness->pair.kind, AuditPair::Kind::unknown);
  EXPECT_EQ(result.witness->hits_likelier, result.witness->draws);
  EXPECT_EQ(result.witness->hits_other, 0U);
}

TEST(AuditProgram, Bug8TheNoiseRepeats) {
  EXPECT_LT(replayed("seed42"), 1e-20);
}

TEST(AuditProgram, ReplayProbabilityIsThatOfTheOrder) {
  // One word, twice a run, answers {a, b} twice: 4 answers in 4! / (2! 2!) = 6 orders, 2 of them repeat.
  const std::vector<AuditWord> asked = {7, 7};
  EXPECT_NEAR(replay_probability(asked, std::vector<AuditWord>{1, 2}, std::vector<AuditWord>{1, 2}), 2.0 / 6,
              1e-12);
  EXPECT_EQ(replay_probability(asked, std::vector<AuditWord>{1, 2}, std::vector<AuditWord>{2, 1}), 1);
  // No noise, nothing to repeat.
  EXPECT_NEAR(replay_probability(asked, std::vector<AuditWord>{1, 1}, std::vector<AuditWord>{1, 1}), 1,
              1e-12);
}

TEST(AuditProgram, FailuresComeThrough) {
  for (const char* mode : {"early", "banner"}) {
    try {
      audited(mode);
      FAIL() << mode;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_data) << mode;
    }
  }
}

TEST(AuditProgram, OutputsOutsideTheModelHaveNamesOfTheirOwn) {
  ProgramSubject subject({.command = "sed s/w1/other/", .environment = {"PATH=/usr/bin:/bin"}}, kModel);
  const std::vector<AuditWord> asked = {0, 1};
  const auto counts = subject.count(asked, 50, {});
  ASSERT_EQ(counts[0].size(), 1U);
  EXPECT_EQ(counts[0][0].output, 0U);
  EXPECT_EQ(counts[0][0].count, 50U);
  ASSERT_EQ(counts[1].size(), 1U);
  EXPECT_EQ(subject.text(counts[1][0].output), "other");
  EXPECT_GE(counts[1][0].output, kModel->size());
}

}  // namespace
}  // namespace sotto
