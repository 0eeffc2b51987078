#pragma once
// A server of a small model, in this process, on a free port.
#include <memory>

#include "server/http.h"
#include "server/service.h"
#include "support/models.h"

namespace sotto::test {

inline std::shared_ptr<const Model> served_model() {
  static const auto kModel = gaussian_model({.words = 50, .dim = 3});
  return kModel;
}

inline server::ServiceOptions small_service() {
  return {.open_model = served_model};
}

class Running {
 public:
  explicit Running(server::HttpOptions http = {}, server::ServiceOptions options = small_service())
      : service(std::move(options)) {
    service.make_ready();
    http.port = 0;
    server = std::make_unique<server::HttpServer>(
        http,
        server::HttpHandlers{
            .at_once = [this](const server::Request& request) { return service.answer_quickly(request); },
            .answer = [this](const server::Request& request) { return service.answer(request); },
            .give_up = [this] { service.give_up(); }});
  }
  [[nodiscard]] std::uint16_t port() const { return server->port(); }

  server::Service service;
  std::unique_ptr<server::HttpServer> server;
};

}  // namespace sotto::test
