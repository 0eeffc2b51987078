#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "attack/program_model.h"
#include "attack/scene.h"
#include "core/temporary_folder.h"
#include "sotto/error.h"
#include "support/models.h"

namespace sotto {
namespace {

using std::chrono::milliseconds;
using test::AttackScene;
using test::outcome;

// A Python program that has the question as `q` and must set `logp`.
class Script {
 public:
  explicit Script(const std::string& body) {
    std::ofstream(folder_.path() / "model.py")
        << "import json, math, sys\n"
           "for line in sys.stdin:\n"
           "    q = json.loads(line)\n"
        << body << "\n    print(json.dumps({'logp': logp}), flush=True)\n";
  }
  [[nodiscard]] std::string command() const {
    return "exec python3 '" + (folder_.path() / "model.py").string() + "'";
  }

 private:
  test::TemporaryFolder folder_;
};

const std::vector<std::string_view> kTokens = {"the", "soup", "was", "cold"};
const std::vector<std::string_view> kCandidates = {"cold", "hot"};

std::string message_of(ProgramModel& program) {
  try {
    program.logp(kTokens, 3, kCandidates);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::input_output);
    return error.what();
  }
  return "no error";
}

TEST(ProgramModel, AsksAndReads) {
  const Script script("    logp = [len(q['tokens']) + q['mask'] / 10, -len(q['candidates'][1])]");
  ProgramModel program(script.command());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(program.logp(kTokens, 3, kCandidates), (std::vector<double>{4.3, -3}));
  }
}

TEST(ProgramModel, RefusesOtherAnswers) {
  for (const char* body : {"    logp = [0]", "    logp = [0, 0, 0]", "    logp = [0, math.nan]",
                           "    logp = 'a'", "    logp = [0, None]", "    logp = [0, '1']",
                           "    logp = [0, math.inf]", "    print('hello', flush=True); logp = [0, 0]"}) {
    const Script script(body);
    ProgramModel program(script.command());
    EXPECT_NE(message_of(program).find("gave an answer that is not"), std::string::npos) << body;
  }
}

TEST(ProgramModel, ReportsAnEndAndASilence) {
  ProgramModel ended("exit 3");
  EXPECT_NE(message_of(ended).find("ended before"), std::string::npos);
  ProgramModel missing("/no/such/program 2>/dev/null");
  EXPECT_NE(message_of(missing).find("ended before"), std::string::npos);
  ProgramModel silent("exec sleep 1000", milliseconds(100));
  EXPECT_NE(message_of(silent).find("too long"), std::string::npos);
  EXPECT_THROW(ProgramModel(""), Error);
}

TEST(ProgramModel, ALongQuestionDoesNotBlock) {
  // Longer than the buffers of both streams: a program that answers before it has read all would block us.
  const Script script("    logp = [float(len(q['tokens']))] * 2");
  ProgramModel program(script.command());
  const std::vector<std::string_view> many(300'000, "soup");
  EXPECT_EQ(program.logp(many, 7, kCandidates).front(), 300'000);
}

// The text follows 2 w + 1 seven times in ten. A program that knows it errs less often than an attacker that
// does not. Seeded; over 1,000 tokens the gap is .04, four standard errors of the difference.
TEST(ProgramAttacker, UsesWhatTheProgramKnows) {
  constexpr std::size_t kWords = 24;  // every word is a candidate
  const auto model = test::gaussian_model({.words = kWords, .dim = 5});
  const TokenText text = test::chained_text({.words = kWords, .documents = 100, .length = 10, .seed = 5});
  AttackScene scene(build_mechanism("tem", model, {{"epsilon", "3.5"}, {"gamma", "inf"}}).mechanism,
                    test::trained(text, kWords, 1, model->identity()), text);
  std::string words = "    W = [";
  for (std::size_t w = 0; w < kWords; ++w) words += "'" + std::string(model->word(word_id(w))) + "',";
  words += "]\n";
  const Script knows(words +
                     "    m = q['mask']\n"
                     "    wanted = W[(2 * W.index(q['tokens'][m - 1]) + 1) % len(W)] if m else None\n"
                     "    logp = [math.log(.7 if c == wanted else .3 / len(W)) for c in q['candidates']]");
  ProgramModel program(knows.command());
  scene.knowledge.program = &program;
  const auto all = scene.attack();
  for (const AttackOutcome& own : all) EXPECT_FALSE(own.attacker->reads_text) << own.attacker->name;
  const double alone = outcome(all, "context-free").score.error->value;
  EXPECT_LT(*outcome(all, "program").score.log_loss, *outcome(all, "context-free").score.log_loss);
  EXPECT_LT(outcome(all, "program").score.error->value, alone);
}

}  // namespace
}  // namespace sotto
