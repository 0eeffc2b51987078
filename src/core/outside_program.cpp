#include "core/outside_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "core/descriptor.h"
#include "core/stop.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kChunk = 65536;

[[noreturn]] void cannot_start(int error_number) {
  throw Error(ErrorCode::input_output,
              fmt::format("cannot run the outside program: {}", system_message(error_number)));
}

struct Pipe {
  Descriptor reading;
  Descriptor writing;
};
Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) cannot_start(errno);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// Lines out of chunks of bytes.
class Answers {
 public:
  Answers(std::size_t expected, const std::function<void(std::size_t, std::string_view)>& answer)
      : expected_(expected), answer_(answer) {}

  void take(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      const std::string_view piece = bytes.substr(0, end);
      if (partial_.size() + piece.size() > kLongestAnswer) {
        throw Error(ErrorCode::bad_data,
                    fmt::format("line {} of the outside program is longer than {} bytes; it must answer each "
                                "word with one word on a line of its own",
                                count_ + 1, kLongestAnswer));
      }
      partial_ += piece;
      if (end == std::string_view::npos) return;
      finish_line();
      bytes.remove_prefix(end + 1);
    }
  }
  // A last line may lack its line feed.
  void end() {
    if (!partial_.empty()) finish_line();
  }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

 private:
  void finish_line() {
    if (count_ == expected_) {
      throw Error(
          ErrorCode::bad_data,
          fmt::format("the outside program was given {0} lines and gives more than {0}; it must answer "
                      "each with exactly one line, and print nothing else to standard output",
                      expected_));
    }
    if (partial_.ends_with('\r')) partial_.pop_back();
    answer_(count_++, partial_);
    partial_.clear();
  }

  std::size_t expected_;
  const std::function<void(std::size_t, std::string_view)>& answer_;
  std::size_t count_ = 0;
  std::string partial_;
};

// What is still to be written.
class Questions {
 public:
  Questions(std::size_t lines, const std::function<std::string_view(std::size_t)>& question)
      : lines_(lines), question_(question) {}

  // Writes what the pipe takes without waiting; closes it after the last line, or if nobody reads it.
  void write_some(Descriptor& pipe) {
    if (sent_ == buffer_.size()) fill();
    const ssize_t written = ::write(pipe.get(), buffer_.data() + sent_, buffer_.size() - sent_);
    if (written < 0 && errno != EAGAIN && errno != EINTR) {
      if (errno != EPIPE) cannot_start(errno);
      pipe.close();  // it has stopped reading; its answers and exit status will tell why
      return;
    }
    if (written > 0) sent_ += static_cast<std::size_t>(written);
    if (sent_ == buffer_.size() && next_ == lines_) pipe.close();
  }

 private:
  void fill() {
    buffer_.clear();
    sent_ = 0;
    while (next_ < lines_ && buffer_.size() < kChunk) {
      buffer_ += question_(next_++);
      buffer_ += '\n';
    }
  }

  std::size_t lines_;
  const std::function<std::string_view(std::size_t)>& question_;
  std::size_t next_ = 0;
  std::string buffer_;
  std::size_t sent_ = 0;
};

void converse(Descriptor& to_program, Descriptor& from_program, Questions& questions, Answers& answers) {
  std::vector<char> chunk(kChunk);
  while (true) {
    std::array<pollfd, 2> ends = {pollfd{.fd = from_program.get(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = to_program.get(), .events = POLLOUT, .revents = 0}};
    // poll() passes over a descriptor of -1, a closed one.
    if (::poll(ends.data(), ends.size(), -1) < 0) {
      if (errno != EINTR) cannot_start(errno);
      continue;
    }
    if (ends[1].revents != 0) questions.write_some(to_program);
    if (ends[0].revents == 0) continue;
    const std::size_t got = read_some(from_program.get(), chunk.data(), chunk.size(), "the outside program");
    if (got == 0) break;
    answers.take({chunk.data(), got});
  }
  answers.end();
}

}  // namespace

void ask_outside_program(const OutsideProgram& program, std::size_t lines,
                         const std::function<std::string_view(std::size_t)>& question,
                         const std::function<void(std::size_t, std::string_view)>& answer) {
  Pipe input = make_pipe();
  Pipe output = make_pipe();
  ChildProcess child(program, {.input = input.reading.get(), .output = output.writing.get()});
  input.reading.close();
  output.writing.close();
  if (::fcntl(input.writing.get(), F_SETFL, O_NONBLOCK) != 0) cannot_start(errno);

  Answers answers(lines, answer);
  Questions questions(lines, question);
  if (lines == 0) input.writing.close();
  converse(input.writing, output.reading, questions, answers);
  input.writing.close();
  const int status = child.wait();
  if (status == kCommandNotFound) {
    throw Error(ErrorCode::input_output,
                "the shell does not find the outside program (exit status 127); check the command's spelling "
                "and the path");
  }
  if (status != 0) {
    throw Error(
        ErrorCode::input_output,
        fmt::format("the outside program failed with exit status {} after {} of {} lines; what it said "
                    "is on standard error",
                    status, answers.count(), lines));
  }
  if (answers.count() < lines) {
    throw Error(
        ErrorCode::bad_data,
        fmt::format("the outside program was given {} lines and answered only {}; it must answer each "
                    "with exactly one line",
                    lines, answers.count()));
  }
}

ProgramRun run_outside_program(const OutsideProgram& program, const RunLimits& limits,
                               const std::function<void(pid_t)>& on_start) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kLook{100};  // how soon it notices that the call is to stop
  const Clock::time_point deadline = Clock::now() + limits.patience;
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing.is_open()) cannot_start(errno);
  Pipe output = make_pipe();
  ChildProcess child(program, {.input = nothing.get(), .output = output.writing.get()});
  if (on_start) on_start(child.id());
  output.writing.close();
  ProgramRun run;
  std::vector<char> chunk(kChunk);
  for (;;) {
    throw_if_stopped();
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return {.end = ProgramRun::End::too_slow};
    pollfd end{.fd = output.reading.get(), .events = POLLIN, .revents = 0};
    const int ready = ::poll(&end, 1, static_cast<int>(std::min(left, kLook).count()) + 1);
    if (ready < 0 && errno != EINTR) cannot_start(errno);
    if (ready <= 0) continue;
    const std::size_t got =
        read_some(output.reading.get(), chunk.data(), chunk.size(), "the outside program");
    if (got == 0) break;
    if (run.output.size() + got > limits.most_bytes) return {.end = ProgramRun::End::too_much};
    run.output.append(chunk.data(), got);
  }
  const std::optional<int> status = child.wait_until(deadline);
  if (!status) return {.end = ProgramRun::End::too_slow};
  run.status = *status;
  return run;
}

}  // namespace sotto
