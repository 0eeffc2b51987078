#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "server/message.h"

// HTTP/1.1 on sockets, with or without TLS: reads requests, hands them to a function, writes the answers. A
// few threads serve all connections, so a slow client costs memory and no thread. Requests are answered by a
// pool of workers. Only http.cpp, http_tls.cpp and boost_parts.cpp include Boost, which is slow to compile.
namespace sotto::server {

struct HttpOptions {
  std::string host = "127.0.0.1";              // an address, or "localhost"
  std::uint16_t port = 7411;                   // 0: a free one, told by HttpServer::port()
  std::filesystem::path tls_certificate = {};  // both PEM; empty: no TLS
  std::filesystem::path tls_key = {};
  std::size_t largest_body = std::size_t{1} << 20;
  std::uint32_t largest_head = 16 << 10;  // request line and headers
  std::size_t most_connections = 20'000;  // others are closed at once
  std::size_t most_waiting = 1'000;       // requests that wait for a worker; others get 503
  unsigned io_threads = 2;
  unsigned workers = 4;
  // Time for the whole of each part; together they bound what a slow client can hold.
  std::chrono::milliseconds head_time = std::chrono::seconds(10);  // TLS handshake, or line and headers
  std::chrono::milliseconds body_time = std::chrono::seconds(30);
  std::chrono::milliseconds idle_time = std::chrono::seconds(60);  // between requests
  std::chrono::milliseconds write_time = std::chrono::seconds(30);
  std::chrono::milliseconds grace = std::chrono::seconds(30);  // for requests in flight when stop() is called

  [[nodiscard]] std::chrono::milliseconds shortest_time() const {
    return std::min({head_time, body_time, idle_time, write_time});
  }
};

// What is asked for answers. None of these may throw.
struct HttpHandlers {
  // By an I/O thread: an answer that takes microseconds, or nothing.
  std::function<std::optional<Response>(const Request&)> at_once = {};
  // By a worker.
  std::function<Response(const Request&)> answer = {};
  // The server itself answered with this status: the request never became whole, or there was no room for it.
  std::function<void(int status)> on_refused = {};
  // The grace is over: answers that still run should be given up.
  std::function<void()> give_up = {};
};

// True for addresses that only programs of the same machine can reach.
bool is_loopback(const std::string& host);

class HttpCore;  // http_core.h

class HttpServer {
 public:
  // Listens and answers. Throws Error(usage) for an address or a certificate that cannot be used, and
  // Error(input_output) if the port is taken.
  HttpServer(const HttpOptions& options, HttpHandlers handlers);
  ~HttpServer();  // stop()
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept;
  // Connections that are open.
  [[nodiscard]] std::size_t connections() const;
  // Accepts no connection any more, closes idle ones, lets requests in flight finish, and returns when all
  // connections are closed or the grace is over. A second call does nothing.
  void stop();

 private:
  std::unique_ptr<HttpCore> core_;
};

}  // namespace sotto::server
