#pragma once
#include <algorithm>
#include <array>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <string>
#include <utility>

#include "server/http_core.h"
#include "server/http_text.h"
#include "server/padding.h"
#include "server/problem.h"

// Inside of http.h: one connection.
namespace sotto::server {

// Reads requests one after the other and answers each before the next is read, so pipelined requests are
// answered in their order. All functions run on the strand of the socket. What happens to a connection:
//   1. wait for a first byte, for at most idle_time;
//   2. read the head, then the body, each for at most its time: 408 if it takes longer;
//   3. ask for the answer, write it, go back to 1, or close.
// `Socket` is a TCP socket or a TLS stream over one; the derived class knows the difference.
template <class Socket>
class Session : public Connection, public std::enable_shared_from_this<Session<Socket>> {
 public:
  Session(HttpCore& core, Socket socket)
      : core_(core),
        socket_(std::move(socket)),
        timer_(socket_.get_executor()),
        padding_(socket_.get_executor()) {}
  ~Session() override { core_.remove(this); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start() {
    core_.add(this->shared_from_this());
    boost::asio::dispatch(socket_.get_executor(), [self = this->shared_from_this()] { self->open(); });
  }
  void close_if_idle() override {
    boost::asio::post(socket_.get_executor(), [self = this->shared_from_this()] {
      if (self->is_idle_) self->close();
    });
  }

 protected:
  using Failure = boost::system::error_code;

  virtual void open() = 0;         // before the first request
  virtual void say_goodbye() = 0;  // after the last answer; ends in discard() or close()
  [[nodiscard]] Socket& socket() { return socket_; }
  [[nodiscard]] const HttpOptions& core_options() const { return core_.options; }

  enum class Late { close, answer };
  // Whatever happens next must happen within `time`. Called several times for each request, so it hardly ever
  // touches the timer: a wait that is under way goes on, and looks at the limit that holds when it ends.
  void within(std::chrono::milliseconds time, Late late) {
    is_late_ = false;
    has_limit_ = true;
    late_ = late;
    limit_ = Clock::now() + time;
    if (!is_watching_ || limit_ < wakes_) watch();
  }
  void without_limit() { has_limit_ = false; }

  void wait_for_request() {
    if (core_.is_stopping() && buffer_.size() == 0) return end();
    if (buffer_.size() > 0) return read_head();
    is_idle_ = true;
    within(core_.options.idle_time, Late::close);
    constexpr std::size_t kFirst = 512;  // little memory for connections that only wait
    socket_.async_read_some(buffer_.prepare(kFirst),
                            [self = this->shared_from_this()](const Failure& failure, std::size_t size) {
                              self->is_idle_ = false;
                              // Closed after these bytes came and before this ran: the request they begin
                              // could not be answered, so it is not handed on.
                              if (failure || self->is_closed_) return self->close();
                              self->buffer_.commit(size);
                              self->read_head();
                            });
  }

  // Reads and drops what still comes, so that the answer is not lost: a socket that is closed with unread
  // bytes resets the connection, and the client may never see what was written.
  void discard() {
    socket_.async_read_some(boost::asio::buffer(dropped_),
                            [self = this->shared_from_this()](const Failure& failure, std::size_t) {
                              if (failure) return self->close();
                              self->discard();
                            });
  }
  void close() {
    without_limit();
    is_watching_ = false;
    ++watch_;
    timer_.cancel();
    is_idle_ = false;
    is_closed_ = true;
    Failure ignored;
    socket_.lowest_layer().close(ignored);
  }

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  // Waits until the limit, or for the shortest of all limits: so a later limit never ends before this wait.
  void watch() {
    wakes_ = std::min(limit_, Clock::now() + core_.options.shortest_time());
    is_watching_ = true;
    timer_.expires_at(wakes_);
    timer_.async_wait([self = this->shared_from_this(), mine = ++watch_](const Failure&) {
      if (mine != self->watch_) return;
      self->is_watching_ = false;
      if (!self->has_limit_) return;
      if (Clock::now() < self->limit_) return self->watch();
      self->is_late_ = true;
      Failure ignored;
      if (self->late_ == Late::answer) {
        self->socket_.lowest_layer().cancel(ignored);
      } else {
        self->close();
      }
    });
  }

  void read_head() {
    parser_.emplace();
    parser_->body_limit(core_.options.largest_body);
    parser_->header_limit(core_.options.largest_head);
    within(core_.options.head_time, Late::answer);
    boost::beast::http::async_read_header(
        socket_, buffer_, *parser_, [self = this->shared_from_this()](const Failure& failure, std::size_t) {
          if (failure) return self->refuse(failure);
          self->read_body();
        });
  }

  void read_body() {
    within(core_.options.body_time, Late::answer);
    if (parser_->is_done()) return ask();
    if (!boost::beast::iequals(parser_->get()[boost::beast::http::field::expect], "100-continue")) {
      return read_rest();
    }
    out_ = "HTTP/1.1 100 Continue\r\n\r\n";
    boost::asio::async_write(socket_, boost::asio::buffer(out_),
                             [self = this->shared_from_this()](const Failure& failure, std::size_t) {
                               if (failure) return self->close();
                               self->read_rest();
                             });
  }

  void read_rest() {
    boost::beast::http::async_read(socket_, buffer_, *parser_,
                                   [self = this->shared_from_this()](const Failure& failure, std::size_t) {
                                     if (failure) return self->refuse(failure);
                                     self->ask();
                                   });
  }

  void ask() {
    without_limit();
    received_ = Clock::now();
    auto message = parser_->release();
    parser_.reset();
    keeps_open_ = message.keep_alive();
    is_head_ = message.method() == boost::beast::http::verb::head;
    Request request{.method = is_head_ ? "GET" : std::string(message.method_string()),
                    .target = std::string(message.target()),
                    .body = std::move(message.body()),
                    .received = received_};
    for (const auto& field : message) request.headers.emplace_back(field.name_string(), field.value());
    if (std::optional<Response> quick = core_.handlers.at_once(request)) return answer(std::move(*quick));
    const auto then = [self = this->shared_from_this()](Response response) {
      boost::asio::post(self->socket_.get_executor(), [self, response = std::move(response)]() mutable {
        self->answer(std::move(response));
      });
    };
    if (core_.work_on(std::move(request), then)) return;
    answer(refusal({.kind = &kUnavailable, .detail = "too many requests wait; try again later"}));
  }

  // What is written is composed before the wait, so that after it nothing is left to do that depends on the
  // text.
  void answer(Response response) {
    compose(response);
    if (!response.quantum) return write();
    padding_.expires_at(leaving_time(received_, *response.quantum, Clock::now()));
    padding_.async_wait([self = this->shared_from_this(), response = std::move(response)](const Failure&) {
      if (self->is_closed_) return;
      if (self->keeps_open_ && self->core_.is_stopping()) self->compose(response);
      self->write();
    });
  }

  void compose(const Response& response) {
    if (core_.is_stopping()) keeps_open_ = false;
    out_ = http_text(response, {.is_head = is_head_, .keeps_open = keeps_open_});
  }

  void write() {
    within(core_.options.write_time, Late::close);
    boost::asio::async_write(socket_, boost::asio::buffer(out_),
                             [self = this->shared_from_this()](const Failure& failure, std::size_t) {
                               self->out_ = {};
                               if (failure) return self->close();
                               if (!self->keeps_open_) return self->end();
                               self->wait_for_request();
                             });
  }

  void end() {
    constexpr std::chrono::seconds kFarewell(2);
    within(kFarewell, Late::close);
    say_goodbye();
  }

  // A request that did not become whole. Nothing after it can be understood, so the connection ends.
  void refuse(const Failure& failure) {
    namespace http = boost::beast::http;
    keeps_open_ = false;
    is_head_ = false;
    if (is_late_) {
      return answer(refusal({.kind = &kTimeout, .detail = "the request did not arrive in time"}));
    }
    if (failure == http::error::body_limit) {
      return answer(refusal({.kind = &kTooLarge, .detail = "the body is larger than the server allows"}));
    }
    if (failure == http::error::header_limit || failure == http::error::buffer_overflow) {
      return answer(refusal({.kind = &kHeaders, .detail = "the headers are larger than the server allows"}));
    }
    if (failure == http::error::end_of_stream ||
        failure.category() != http::make_error_code(http::error::end_of_stream).category()) {
      return close();  // the client is gone
    }
    answer(refusal({.kind = &kMalformed, .detail = "the request is not valid HTTP/1.1"}));
  }

  Response refusal(const Problem& problem) {
    if (core_.handlers.on_refused) core_.handlers.on_refused(problem.kind->status);
    return problem_response(problem);
  }

  HttpCore& core_;
  Socket socket_;
  boost::asio::steady_timer timer_;    // of the limits
  boost::asio::steady_timer padding_;  // of an answer that waits for its time to leave
  unsigned watch_ = 0;  // number of the wait that counts; earlier ones came too late to be cancelled
  bool is_watching_ = false;
  bool has_limit_ = false;
  Late late_ = Late::close;
  Clock::time_point limit_ = {};
  Clock::time_point wakes_ = {};     // when the wait under way ends
  Clock::time_point received_ = {};  // the last byte of the request that is being answered
  bool is_late_ = false;
  bool is_idle_ = false;
  bool is_closed_ = false;
  bool keeps_open_ = false;
  bool is_head_ = false;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::string out_;
  std::array<char, 256> dropped_;
};

}  // namespace sotto::server
