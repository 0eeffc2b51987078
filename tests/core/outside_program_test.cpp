#include "core/outside_program.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/guarded_folder.h"
#include "core/temporary_folder.h"
#include "sotto/error.h"

namespace sotto {
namespace {

// A writer of the program's standard input must not die of SIGPIPE; the command line ignores it likewise.
struct IgnorePipe {
  IgnorePipe() { std::signal(SIGPIPE, SIG_IGN); }
} const ignore_pipe;

std::vector<std::string> ask(const std::string& command, const std::vector<std::string>& questions) {
  std::vector<std::string> answers(questions.size());
  ask_outside_program(
      {.command = command, .environment = {"PATH=/usr/local/bin:/usr/bin:/bin"}}, questions.size(),
      [&](std::size_t i) { return std::string_view(questions[i]); },
      [&](std::size_t i, std::string_view text) { answers[i] = text; });
  return answers;
}

ErrorCode program_error(const std::string& command, const std::vector<std::string>& questions,
                        std::string* message) {
  try {
    ask(command, questions);
  } catch (const Error& error) {
    *message = error.what();
    return error.code();
  }
  ADD_FAILURE() << command << " was accepted";
  return ErrorCode::internal;
}

TEST(OutsideProgram, AnswersComeInOrder) {
  EXPECT_EQ(ask("cat", {"one", "two", "three"}), (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(ask("sed s/o/0/g", {"one", "two"}), (std::vector<std::string>{"0ne", "tw0"}));
  EXPECT_EQ(ask("sed 's/$/\\r/'", {"one", ""}), (std::vector<std::string>{"one", ""}));
  EXPECT_EQ(ask("cat > /dev/null; printf 'a\\nb'", {"x", "y"}), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(ask("cat", {}).empty());
}

// Far more than the pipes hold, with programs that answer at once, only at the end, and before they read.
TEST(OutsideProgram, NeitherSideWaitsForTheOther) {
  const std::vector<std::string> many(200000, "a word of some length");
  EXPECT_EQ(ask("cat", many), many);
  EXPECT_EQ(ask("sort", many), many);
  EXPECT_EQ(ask("yes 'a word of some length' | head -n 200000; cat > /dev/null", many), many);
}

TEST(OutsideProgram, WrongNumbersOfLinesAreRefused) {
  std::string message;
  const std::vector<std::string> four(4, "x");
  EXPECT_EQ(program_error("head -n 3", four, &message), ErrorCode::bad_data);
  EXPECT_NE(message.find("given 4 lines and answered only 3"), std::string::npos) << message;
  EXPECT_EQ(program_error("cat; echo more", four, &message), ErrorCode::bad_data);
  EXPECT_NE(message.find("more than 4"), std::string::npos) << message;
  EXPECT_EQ(program_error("yes", four, &message),
            ErrorCode::bad_data);  // endless, so it must have been killed
  // It stops reading long before we stop writing.
  EXPECT_EQ(program_error("head -n 1", std::vector<std::string>(300000, "x"), &message), ErrorCode::bad_data);
}

TEST(OutsideProgram, FailuresAreInputOutputErrors) {
  std::string message;
  EXPECT_EQ(program_error("no-such-program-here 2>/dev/null", {"x"}, &message), ErrorCode::input_output);
  EXPECT_NE(message.find("does not find"), std::string::npos) << message;
  EXPECT_EQ(program_error("cat; exit 7", {"x"}, &message), ErrorCode::input_output);
  EXPECT_NE(message.find("exit status 7 after 1 of 1"), std::string::npos) << message;
  EXPECT_EQ(program_error("kill -9 $$", {"x"}, &message), ErrorCode::input_output);
  EXPECT_NE(message.find("137"), std::string::npos) << message;
}

TEST(OutsideProgram, AnEndlessLineIsRefused) {
  std::string message;
  EXPECT_EQ(program_error("head -c 100000000 /dev/zero", {"x"}, &message), ErrorCode::bad_data);
  EXPECT_NE(message.find("longer than 65536 bytes"), std::string::npos) << message;
}

// An ignored signal would stay ignored in the program, and an endless one would not notice a closed pipe.
TEST(OutsideProgram, SignalsAreAsUsual) {
  EXPECT_EQ(ask("cat > /dev/null; sh -c 'kill -PIPE $$; echo alive' 2> /dev/null; echo ok", {"x"}),
            (std::vector<std::string>{"ok"}));
}

// The shell's own children go with it when a callback throws.
TEST(OutsideProgram, NothingIsLeftRunning) {
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "pid";
  // The sleeper writes nothing, so no closed pipe ends it.
  const std::string command =
      "sleep 300 > /dev/null & echo $$ > " + file.string() + "; while :; do echo y; sleep 0.01; done";
  EXPECT_THROW(ask_outside_program(
                   {.command = command, .environment = {"PATH=/usr/bin:/bin"}}, 1000000,
                   [](std::size_t) { return std::string_view("x"); },
                   [](std::size_t i, std::string_view) {
                     if (i == 5) throw Error(ErrorCode::usage, "enough");
                   }),
               Error);
  pid_t group = 0;
  std::ifstream(file) >> group;
  ASSERT_GT(group, 0);
  // Orphans of the group may take a moment to be reaped by init.
  for (int i = 0; i < 500 && ::kill(-group, 0) == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_NE(::kill(-group, 0), 0);
}

OutsideProgram program_of(const std::string& command) {
  return {.command = command, .environment = {"PATH=/usr/local/bin:/usr/bin:/bin"}};
}

TEST(RunOutsideProgram, GivesOutputAndStatus) {
  OutsideProgram program = program_of("cat; echo \"$1-$2\"; exit 3");
  program.arguments = {"a b", "*"};
  const ProgramRun run = run_outside_program(program, {});
  EXPECT_EQ(run.end, ProgramRun::End::finished);
  EXPECT_EQ(run.output, "a b-*\n");  // the arguments are not read by the shell, and its input is empty
  EXPECT_EQ(run.status, 3);
  EXPECT_EQ(run_outside_program(program_of("kill -9 $$"), {}).status, 128 + 9);
  EXPECT_EQ(run_outside_program(program_of("no-such-program-here 2>/dev/null"), {}).status, kCommandNotFound);
}

// What it started goes with it. A program that closes its standard output and goes on is waited for.
TEST(RunOutsideProgram, EndsWhatTakesOrPrintsTooMuch) {
  pid_t group = 0;
  const auto note = [&](pid_t started) { group = started; };
  const RunLimits short_time{.patience = std::chrono::milliseconds(200)};
  EXPECT_EQ(run_outside_program(program_of("sleep 300 & sleep 300"), short_time, note).end,
            ProgramRun::End::too_slow);
  ASSERT_GT(group, 0);
  for (int i = 0; i < 500 && ::kill(-group, 0) == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_NE(::kill(-group, 0), 0);
  EXPECT_EQ(run_outside_program(program_of("exec >&-; sleep 300"), short_time).end,
            ProgramRun::End::too_slow);
  EXPECT_EQ(run_outside_program(program_of("yes"), {}).end, ProgramRun::End::too_much);
}

TEST(GuardedFolder, IsPrivateAndGoneAtTheEnd) {
  const test::TemporaryFolder parent;
  {
    const GuardedFolder folder(parent.path());
    test::put(folder.path() / "file", "text");
    EXPECT_EQ(std::filesystem::status(folder.path()).permissions(), std::filesystem::perms::owner_all);
    EXPECT_EQ(parent.entries(), 1);
  }
  EXPECT_EQ(parent.entries(), 0);
}

// Also if its process is killed, together with the program that it had started.
TEST(GuardedFolder, OutlivesNoProcess) {
  const test::TemporaryFolder parent;
  const pid_t owner = ::fork();
  if (owner == 0) {
    GuardedFolder folder(parent.path());
    test::put(folder.path() / "file", "text");
    (void)run_outside_program(program_of("echo $$ > " + (parent / "pid").string() + "; sleep 300"), {},
                              [&](pid_t group) { folder.also_end(group); });
    ::_exit(1);  // not reached
  }
  pid_t group = 0;
  for (int i = 0; i < 1000 && group == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::ifstream(parent / "pid") >> group;
  }
  ASSERT_GT(group, 0);
  EXPECT_EQ(parent.entries(), 2);
  ::kill(owner, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(owner, &status, 0), owner);
  for (int i = 0; i < 1000 && (parent.entries() > 1 || ::kill(-group, 0) == 0); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(parent.entries(), 1);
  EXPECT_NE(::kill(-group, 0), 0);
}

}  // namespace
}  // namespace sotto
