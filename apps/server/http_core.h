#pragma once
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "server/http.h"

// Inside of http.h: what the connections of one server share.
namespace sotto::server {

using Tcp = boost::asio::ip::tcp;

// A connection as the server that stops sees it.
class Connection {
 public:
  virtual ~Connection() = default;
  // Closes the connection if it waits for a request. Any thread may call it.
  virtual void close_if_idle() = 0;
};

class HttpCore {
 public:
  HttpCore(const HttpOptions& options, HttpHandlers handlers);
  ~HttpCore();
  HttpCore(const HttpCore&) = delete;
  HttpCore& operator=(const HttpCore&) = delete;

  void stop();
  [[nodiscard]] bool is_stopping() const noexcept { return is_stopping_; }
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

  // Called by connections: the table of those that are open.
  void add(const std::shared_ptr<Connection>& connection);
  void remove(const Connection* connection) noexcept;
  [[nodiscard]] std::size_t connections() const;

  // Gives the request to a worker, which calls `then` with the answer. False: too many wait already.
  bool work_on(Request request, std::function<void(Response)> then);

  const HttpOptions options;
  const HttpHandlers handlers;

 private:
  void listen();
  void accept();
  void start_connection(Tcp::socket socket);

  std::atomic<bool> is_stopping_ = false;
  std::atomic<std::size_t> waiting_ = 0;
  std::uint16_t port_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable all_closed_;
  std::unordered_map<const Connection*, std::weak_ptr<Connection>> open_;
  std::unique_ptr<boost::asio::ssl::context> tls_;
  // Destroyed first: what is destroyed with them uses the members above.
  boost::asio::io_context io_;
  Tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_;  // after a failed accept
  boost::asio::thread_pool workers_;
  std::vector<std::jthread> threads_;
};

// http_tls.cpp: throws Error(usage) for files that do not hold a certificate and its key.
std::unique_ptr<boost::asio::ssl::context> make_tls_context(const HttpOptions& options);
void start_tls_connection(HttpCore& core, Tcp::socket socket, boost::asio::ssl::context& tls);

}  // namespace sotto::server
