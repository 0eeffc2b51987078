// Load on an HTTP server with an open loop: requests are sent at times that are drawn before, whether or not
// earlier ones were answered. Latencies count from the time at which a request was due, so a server that
// stalls is not excused from the requests that it kept waiting (no "coordinated omission").
//   open_loop PORT RATE SECONDS CONNECTIONS BODIES PATH
// RATE is in requests a second, with exponential gaps (seeded). BODIES is a file with a JSON body in each
// line; they are sent in turn to POST PATH. Prints one JSON object; times are in microseconds.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Connection {
  int socket = -1;
  bool is_busy = false;
  Clock::time_point due = {};  // of the request that is under way
  std::string received = {};
};

struct Outcome {
  std::vector<double> latencies = {};  // microseconds
  std::size_t answered = 0;
  std::size_t other_status = 0;  // answered, and not with 200
  std::size_t broken = 0;        // connections that the server closed
};

int connect_to(std::uint16_t port) {
  const int out = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(out, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    fmt::print(stderr, "open_loop: cannot connect\n");
    std::exit(4);
  }
  const int one = 1;
  ::setsockopt(out, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return out;
}

// The length of the whole answer at the start of `text`; 0: it is not whole.
std::size_t answer_size(std::string_view text) {
  constexpr std::string_view kLength = "Content-Length: ";
  const std::size_t head = text.find("\r\n\r\n");
  if (head == std::string_view::npos) return 0;
  const std::size_t at = text.find(kLength);
  if (at == std::string_view::npos || at > head) return 0;
  const std::size_t size = head + 4 + std::strtoull(text.data() + at + kLength.size(), nullptr, 10);
  return text.size() < size ? 0 : size;
}

class Load {
 public:
  Load(std::uint16_t port, std::size_t connections, std::vector<std::string> requests)
      : requests_(std::move(requests)), epoll_(::epoll_create1(EPOLL_CLOEXEC)), connections_(connections) {
    for (std::size_t i = 0; i < connections; ++i) {
      connections_[i].socket = connect_to(port);
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = i;
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, connections_[i].socket, &event);
      free_.push_back(i);
    }
  }

  Outcome run(double rate, double seconds) {
    std::mt19937_64 random(1);
    std::exponential_distribution<double> gap(rate);
    const Clock::time_point start = Clock::now();
    const auto at = [&](double offset) {
      return start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(offset));
    };
    double offset = gap(random);
    const Clock::time_point give_up = at(seconds + 10);
    while (Clock::now() < give_up) {
      const Clock::time_point now = Clock::now();
      for (; offset < seconds && at(offset) <= now; offset += gap(random)) due_.push_back(at(offset));
      while (!due_.empty() && !free_.empty()) send_next();
      if (offset >= seconds && due_.empty() && free_.size() + outcome_.broken == connections_.size()) break;
      receive(offset < seconds ? std::max(at(offset) - Clock::now(), Clock::duration(0))
                               : std::chrono::milliseconds(10));
    }
    return std::move(outcome_);
  }

 private:
  void send_next() {
    Connection& connection = connections_[free_.front()];
    free_.pop_front();
    connection.is_busy = true;
    connection.due = due_.front();
    due_.pop_front();
    const std::string& request = requests_[next_++ % requests_.size()];
    if (::send(connection.socket, request.data(), request.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(request.size())) {
      ++outcome_.broken;
    }
  }

  void receive(Clock::duration wait) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait);
    const timespec timeout{.tv_sec = seconds.count(), .tv_nsec = (wait - seconds).count()};
    epoll_event events[64];
    const int count = ::epoll_pwait2(epoll_, events, 64, &timeout, nullptr);
    for (int i = 0; i < count; ++i) {
      const auto index = static_cast<std::size_t>(events[i].data.u64);
      Connection& connection = connections_[index];
      char bytes[65536];
      const ssize_t size = ::recv(connection.socket, bytes, sizeof bytes, 0);
      if (size <= 0) {
        ++outcome_.broken;
        ::epoll_ctl(epoll_, EPOLL_CTL_DEL, connection.socket, nullptr);
        continue;
      }
      connection.received.append(bytes, static_cast<std::size_t>(size));
      const std::size_t whole = answer_size(connection.received);
      if (whole == 0) continue;
      const std::chrono::duration<double, std::micro> latency = Clock::now() - connection.due;
      outcome_.latencies.push_back(latency.count());
      ++outcome_.answered;
      outcome_.other_status += connection.received.compare(0, 12, "HTTP/1.1 200") != 0 ? 1 : 0;
      connection.received.erase(0, whole);
      connection.is_busy = false;
      free_.push_back(index);
    }
  }

  const std::vector<std::string> requests_;
  const int epoll_;
  std::vector<Connection> connections_;
  std::deque<std::size_t> free_;
  std::deque<Clock::time_point> due_;  // of requests that wait for a free connection
  std::size_t next_ = 0;
  Outcome outcome_;
};

double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  return sorted[std::min(sorted.size() - 1,
                         static_cast<std::size_t>(share * static_cast<double>(sorted.size())))];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    fmt::print(stderr, "open_loop PORT RATE SECONDS CONNECTIONS BODIES PATH\n");
    return 2;
  }
  const double rate = std::strtod(argv[2], nullptr);
  const double seconds = std::strtod(argv[3], nullptr);
  std::vector<std::string> requests;
  std::ifstream file(argv[5]);
  for (std::string body; std::getline(file, body);) {
    requests.push_back(fmt::format(
        "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
        "{}\r\n\r\n{}",
        argv[6], body.size(), body));
  }
  if (requests.empty()) return 2;
  Load load(static_cast<std::uint16_t>(std::strtol(argv[1], nullptr, 10)),
            static_cast<std::size_t>(std::strtol(argv[4], nullptr, 10)), requests);
  Outcome outcome = load.run(rate, seconds);
  std::ranges::sort(outcome.latencies);
  const std::vector<double>& sorted = outcome.latencies;
  fmt::print(
      R"({{"rate": {}, "answered": {}, "other_status": {}, "broken": {}, "min": {:.1f}, "p50": {:.1f}, "p99": {:.1f}, "p999": {:.1f}, "max": {:.1f}}})"
      "\n",
      rate, outcome.answered, outcome.other_status, outcome.broken, quantile(sorted, 0),
      quantile(sorted, 0.5), quantile(sorted, 0.99), quantile(sorted, 0.999),
      sorted.empty() ? 0 : sorted.back());
  return 0;
}
