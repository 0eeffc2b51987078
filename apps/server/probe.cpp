// With OpenSSL's own streams and not with Boost: one request needs no event loop, and Boost is slow to
// compile.
#include "server/probe.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <memory>
#include <string>
#include <string_view>

namespace sotto::server {

namespace {

struct Free {
  void operator()(BIO* stream) const { BIO_free_all(stream); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using Stream = std::unique_ptr<BIO, Free>;
using Context = std::unique_ptr<SSL_CTX, Free>;

// "127.0.0.1:7411", with an address that can be asked where the server listens on every address.
std::string probed_address(const HttpOptions& options) {
  std::string host = options.host;
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  return fmt::format("{}:{}", host.find(':') == std::string::npos ? host : "[" + host + "]", options.port);
}

Stream connected(const HttpOptions& options) {
  Stream stream(BIO_new_connect(probed_address(options).c_str()));
  if (stream == nullptr || BIO_do_connect(stream.get()) != 1) return nullptr;
  int socket = -1;
  BIO_get_fd(stream.get(), &socket);
  constexpr timeval kPatience{.tv_sec = 5, .tv_usec = 0};
  (void)setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  (void)setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  return stream;
}

}  // namespace

bool is_ready(const HttpOptions& options) {
  Stream stream = connected(options);
  const Context context(options.tls_certificate.empty() ? nullptr : SSL_CTX_new(TLS_client_method()));
  if (stream != nullptr && context != nullptr) {
    stream.reset(BIO_push(BIO_new_ssl(context.get(), 1), stream.release()));
    if (BIO_do_handshake(stream.get()) != 1) stream.reset();
  }
  std::string answer;
  if (stream != nullptr) {
    constexpr std::string_view kRequest =
        "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    const int sent = BIO_write(stream.get(), kRequest.data(), static_cast<int>(kRequest.size()));
    char part[512];
    // The status is in the first bytes; the rest of the answer is not read.
    constexpr std::size_t kEnough = 16;
    while (sent == static_cast<int>(kRequest.size()) && answer.size() < kEnough) {
      const int got = BIO_read(stream.get(), part, sizeof part);
      if (got <= 0) break;
      answer.append(part, static_cast<std::size_t>(got));
    }
  }
  ERR_clear_error();  // whatever failed: the answer is no, and nothing stays behind on this thread
  return answer.starts_with("HTTP/1.1 200 ");
}

}  // namespace sotto::server
