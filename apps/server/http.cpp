#include "server/http.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/http_core.h"
#include "server/http_session.h"
#include "sotto/error.h"

namespace sotto::server {

namespace {

namespace asio = boost::asio;

class PlainSession final : public Session<Tcp::socket> {
 public:
  using Session::Session;

 protected:
  void open() override { wait_for_request(); }
  void say_goodbye() override {
    Failure ignored;
    socket().shutdown(Tcp::socket::shutdown_send, ignored);
    discard();
  }
};

// Empty: not an address.
std::optional<asio::ip::address> address_of(const std::string& host) {
  if (host == "localhost") return asio::ip::address_v4::loopback();
  boost::system::error_code failure;
  asio::ip::address address = asio::ip::make_address(host, failure);
  if (failure) return std::nullopt;
  return address;
}

}  // namespace

bool is_loopback(const std::string& host) {
  const std::optional<asio::ip::address> address = address_of(host);
  return address && address->is_loopback();
}

HttpCore::HttpCore(const HttpOptions& given, HttpHandlers functions)
    : options(given),
      handlers(std::move(functions)),
      acceptor_(asio::make_strand(io_)),
      pause_(acceptor_.get_executor()),
      workers_(std::max(1U, given.workers)) {
  if (!options.tls_certificate.empty()) tls_ = make_tls_context(options);
  listen();
  asio::post(acceptor_.get_executor(), [this] { accept(); });
  for (unsigned i = 0; i < std::max(1U, options.io_threads); ++i) {
    threads_.emplace_back([this] {
      const auto alive = asio::make_work_guard(io_);
      io_.run();
    });
  }
}

HttpCore::~HttpCore() {
  stop();
}

void HttpCore::listen() {
  const std::optional<asio::ip::address> address = address_of(options.host);
  if (!address) throw Error(ErrorCode::usage, "`listen` takes ADDRESS:PORT, such as 127.0.0.1:7411");
  const Tcp::endpoint wanted(*address, options.port);
  boost::system::error_code failure;
  acceptor_.open(wanted.protocol(), failure);
  if (!failure) acceptor_.set_option(Tcp::acceptor::reuse_address(true), failure);
  if (!failure) acceptor_.bind(wanted, failure);
  if (!failure) acceptor_.listen(asio::socket_base::max_listen_connections, failure);
  if (failure) {
    throw Error(ErrorCode::input_output, fmt::format("cannot listen on {} port {}: {}", options.host,
                                                     options.port, failure.message()));
  }
  port_ = acceptor_.local_endpoint().port();
}

void HttpCore::accept() {
  acceptor_.async_accept(asio::make_strand(io_),
                         [this](const boost::system::error_code& failure, Tcp::socket socket) {
                           if (is_stopping_ || failure == asio::error::operation_aborted) return;
                           if (!failure) {
                             start_connection(std::move(socket));
                             return accept();
                           }
                           // No descriptors or no memory left: others may finish meanwhile.
                           constexpr std::chrono::milliseconds kPause(50);
                           pause_.expires_after(kPause);
                           pause_.async_wait([this](const boost::system::error_code&) {
                             if (!is_stopping_) accept();
                           });
                         });
}

void HttpCore::start_connection(Tcp::socket socket) {
  if (connections() >= options.most_connections) return;
  boost::system::error_code ignored;
  socket.set_option(Tcp::no_delay(true), ignored);
  if (tls_) return start_tls_connection(*this, std::move(socket), *tls_);
  std::make_shared<PlainSession>(*this, std::move(socket))->start();
}

void HttpCore::add(const std::shared_ptr<Connection>& connection) {
  const std::scoped_lock lock(mutex_);
  open_.emplace(connection.get(), connection);
}

void HttpCore::remove(const Connection* connection) noexcept {
  const std::scoped_lock lock(mutex_);
  open_.erase(connection);
  if (open_.empty()) all_closed_.notify_all();
}

std::size_t HttpCore::connections() const {
  const std::scoped_lock lock(mutex_);
  return open_.size();
}

bool HttpCore::work_on(Request request, std::function<void(Response)> then) {
  if (waiting_.fetch_add(1) >= options.most_waiting) {
    --waiting_;
    return false;
  }
  asio::post(workers_, [this, request = std::move(request), then = std::move(then)] {
    --waiting_;
    then(handlers.answer(request));
  });
  return true;
}

void HttpCore::stop() {
  if (is_stopping_.exchange(true)) return;
  asio::post(acceptor_.get_executor(), [this] {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
  });
  std::vector<std::shared_ptr<Connection>> open;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, connection] : open_) open.push_back(connection.lock());
  }
  for (const std::shared_ptr<Connection>& connection : open) {
    if (connection) connection->close_if_idle();
  }
  open.clear();
  {
    std::unique_lock lock(mutex_);
    if (!all_closed_.wait_for(lock, options.grace, [&] { return open_.empty(); }) && handlers.give_up) {
      lock.unlock();
      handlers.give_up();
    }
  }
  workers_.join();
  io_.stop();
  threads_.clear();
}

HttpServer::HttpServer(const HttpOptions& options, HttpHandlers handlers)
    : core_(std::make_unique<HttpCore>(options, std::move(handlers))) {}
HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const noexcept {
  return core_->port();
}

std::size_t HttpServer::connections() const {
  return core_->connections();
}

void HttpServer::stop() {
  core_->stop();
}

}  // namespace sotto::server
