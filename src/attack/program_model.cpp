#include "attack/program_model.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kLongestAnswer = std::size_t{1} << 20;

[[noreturn]] void program_failed(std::string_view what) {
  throw Error(ErrorCode::input_output, fmt::format("the program of `prior` {}", what));
}

using Clock = std::chrono::steady_clock;

// Waits until the descriptor can be read or written.
void wait_for(int descriptor, short events, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) program_failed("took too long to answer; it has 60 seconds for a line");
    pollfd waiting{.fd = descriptor, .events = events, .revents = 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(left.count()) + 1);
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) program_failed("cannot be waited for: " + system_message(errno));
  }
}

// Our ends of both streams do not block and are not inherited. A socket, because a write to a program that
// has ended must not raise SIGPIPE (MSG_NOSIGNAL).
struct Ends {
  Descriptor ours;
  Descriptor its;
};
Ends connected() {
  std::array<int, 2> both = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both.data()) != 0) {
    program_failed("cannot be started: " + system_message(errno));
  }
  Ends out{.ours = Descriptor(both[0]), .its = Descriptor(both[1])};
  ::fcntl(both[0], F_SETFL, O_NONBLOCK);
  return out;
}

// The numbers of an answer, if it is one.
std::optional<std::vector<double>> parsed(const std::string& line, std::size_t size) {
  const auto answer = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object() || !answer.contains("logp") || !answer["logp"].is_array()) return std::nullopt;
  if (answer["logp"].size() != size) return std::nullopt;
  std::vector<double> out;
  for (const auto& value : answer["logp"]) {
    if (!value.is_number()) return std::nullopt;  // JSON has no NaN: it is null, or no JSON at all
    const double own = value.get<double>();
    if (std::isnan(own) || own == std::numeric_limits<double>::infinity()) return std::nullopt;
    out.push_back(std::max(own, std::numeric_limits<double>::lowest()));
  }
  return out;
}

}  // namespace

ProgramModel::ProgramModel(const std::string& command, std::chrono::milliseconds patience)
    : patience_(patience) {
  if (command.empty()) {
    throw Error(ErrorCode::usage,
                "`prior` command: needs a program behind the colon, such as command:./my-model");
  }
  Ends input = connected();
  Ends output = connected();
  OutsideProgram program{.command = command, .environment = {}};
  for (char** entry = environ; *entry != nullptr; ++entry) program.environment.emplace_back(*entry);
  child_.emplace(program, ChildProcess::Streams{.input = input.its.get(), .output = output.its.get()});
  to_ = std::move(input.ours);
  from_ = std::move(output.ours);
}

ProgramModel::~ProgramModel() {
  to_.close();
  child_->end();
}

void ProgramModel::write(std::string_view line) {
  const auto deadline = Clock::now() + patience_;
  while (!line.empty()) {
    const ssize_t written = ::send(to_.get(), line.data(), line.size(), MSG_NOSIGNAL);
    if (written >= 0) {
      line.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      wait_for(to_.get(), POLLOUT, deadline);
    } else if (errno != EINTR) {
      program_failed("ended before all tokens were asked for");
    }
  }
}

std::string ProgramModel::read_line() {
  const auto deadline = Clock::now() + patience_;
  for (;;) {
    if (const std::size_t end = buffer_.find('\n'); end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    if (buffer_.size() > kLongestAnswer) program_failed("answered with a line of over 1 MB");
    std::array<char, 4096> piece{};
    const ssize_t size = ::read(from_.get(), piece.data(), piece.size());
    if (size > 0) {
      buffer_.append(piece.data(), static_cast<std::size_t>(size));
    } else if (size < 0 && errno == EAGAIN) {
      wait_for(from_.get(), POLLIN, deadline);
    } else if (size == 0 || errno != EINTR) {
      program_failed("ended before all tokens were asked for");
    }
  }
}

std::vector<double> ProgramModel::logp(std::span<const std::string_view> tokens, std::size_t mask,
                                       std::span<const std::string_view> candidates) {
  const nlohmann::json question = {{"tokens", tokens}, {"mask", mask}, {"candidates", candidates}};
  const std::scoped_lock lock(mutex_);
  write(question.dump() + "\n");
  auto answer = parsed(read_line(), candidates.size());
  if (!answer) {
    program_failed(
        fmt::format("gave an answer that is not {{\"logp\": [..]}} with {} numbers, one for each candidate",
                    candidates.size()));
  }
  return std::move(*answer);
}

}  // namespace sotto
