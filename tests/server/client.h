#pragma once
// A client that sends bytes as they are, so that tests can send what no HTTP library would.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sotto/answer.h"

namespace sotto::test {

struct Answer {
  int status = 0;    // 0: the connection ended before a whole answer
  std::string head;  // status line and headers
  std::string body;
  [[nodiscard]] api::Json json() const { return api::Json::parse(body); }
};

class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  [[nodiscard]] bool is_connected() const { return is_connected_; }
  // False: the server closed the connection.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void end_sending() { ::shutdown(socket_, SHUT_WR); }

  // The next answer; what follows it stays for the next call.
  Answer receive() {
    Answer answer;
    std::size_t end = 0;
    while ((end = pending_.find("\r\n\r\n")) == std::string::npos) {
      if (!fill()) return answer;
    }
    answer.head = pending_.substr(0, end + 4);
    pending_.erase(0, end + 4);
    const std::size_t length_at = answer.head.find("Content-Length: ");
    const std::size_t length =
        length_at == std::string::npos ? 0 : std::strtoul(answer.head.c_str() + length_at + 16, nullptr, 10);
    while (pending_.size() < length) {
      if (!fill()) return answer;
    }
    answer.body = pending_.substr(0, length);
    pending_.erase(0, length);
    answer.status = static_cast<int>(std::strtol(answer.head.c_str() + 9, nullptr, 10));
    return answer;
  }
  // True if nothing more comes and the server has closed the connection.
  bool is_closed() { return pending_.empty() && !fill(); }

 private:
  bool fill() {
    char bytes[4096];
    const ssize_t size = ::recv(socket_, bytes, sizeof bytes, 0);
    if (size <= 0) return false;
    pending_.append(bytes, static_cast<std::size_t>(size));
    return true;
  }

  int socket_;
  bool is_connected_ = false;
  std::string pending_;
};

inline std::string post(std::string_view path, std::string_view body, std::string_view headers = "") {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n" + std::string(headers) + "\r\n" + std::string(body);
}
inline std::string get(std::string_view path) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

}  // namespace sotto::test
