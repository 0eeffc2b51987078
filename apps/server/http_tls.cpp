#include <fmt/format.h>
#include <openssl/ssl.h>

#include <boost/asio/ssl/stream.hpp>

#include "server/http_core.h"
#include "server/http_session.h"
#include "sotto/error.h"

namespace sotto::server {

namespace {

namespace ssl = boost::asio::ssl;

class TlsSession final : public Session<ssl::stream<Tcp::socket>> {
 public:
  using Session::Session;

 protected:
  void open() override {
    within(core_options().head_time, Late::close);
    socket().async_handshake(ssl::stream_base::server,
                             [self = shared_from_this(), this](const Failure& failure) {
                               if (failure) return close();
                               wait_for_request();
                             });
  }
  void say_goodbye() override {
    socket().async_shutdown([self = shared_from_this(), this](const Failure&) { close(); });
  }
};

}  // namespace

std::unique_ptr<ssl::context> make_tls_context(const HttpOptions& options) {
  auto context = std::make_unique<ssl::context>(ssl::context::tls_server);
  boost::system::error_code failure;
  // TLS 1.2 or newer; compression leaks lengths, and a renegotiation costs the server more than the client.
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  context->use_certificate_chain_file(options.tls_certificate.string(), failure);
  if (failure) {
    throw Error(ErrorCode::usage,
                fmt::format("`tls-cert`: {} holds no certificate in PEM form that can be read",
                            options.tls_certificate.string()));
  }
  context->use_private_key_file(options.tls_key.string(), ssl::context::pem, failure);
  if (failure || SSL_CTX_check_private_key(context->native_handle()) != 1) {
    throw Error(ErrorCode::usage,
                fmt::format("`tls-key`: {} does not hold the certificate's private key in PEM form",
                            options.tls_key.string()));
  }
  return context;
}

void start_tls_connection(HttpCore& core, Tcp::socket socket, ssl::context& tls) {
  std::make_shared<TlsSession>(core, ssl::stream<Tcp::socket>(std::move(socket), tls))->start();
}

}  // namespace sotto::server
