// sotto serve: the engine behind HTTP. Flags only; the server is apps/server.
#include <fmt/format.h>

#include <exception>
#include <optional>
#include <thread>

#include "cli/commands.h"
#include "core/stop.h"
#include "server/http.h"
#include "server/service.h"
#include "server/stop_signals.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr char kHelp[] =
    R"(Answers over HTTP what the program answers on the command line: private texts,
mechanisms, models. Requests and answers are JSON; GET /openapi.json describes them.
SIGTERM ends the server after the requests in flight have been answered.

Usage: sotto serve [options]

  sotto serve
  curl -s localhost:7411/v1/privatize -H 'Content-Type: application/json' \
    -d '{"text": "the doctor was late", "epsilon": 5}')";

struct ServeArguments {
  std::string listen = "127.0.0.1:7411";
  std::string model;
  std::string tls_certificate;
  std::string tls_key;
  bool insecure = false;
};

std::optional<ServeArguments> parse(Words words) {
  ServeArguments out;
  CommandLine command("serve", kHelp);
  command.config_file();
  command.text("--listen", out.listen, "ADDRESS:PORT", "where to listen (default 127.0.0.1:7411)");
  command.text("--model", out.model, "FILE", kModelFileHelp);
  command.text("--tls-cert", out.tls_certificate, "FILE", "the certificate chain, PEM");
  command.text("--tls-key", out.tls_key, "FILE", "the private key of the certificate, PEM");
  command.flag("--insecure", out.insecure,
               "listen beyond this machine without keys or TLS; every answer says so");
  if (command.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
  return out;
}

server::HttpOptions http_options(const ServeArguments& arguments) {
  server::HttpOptions options;
  const std::size_t colon = arguments.listen.rfind(':');
  if (colon == std::string::npos) {
    throw Error(ErrorCode::usage, "--listen takes ADDRESS:PORT, such as 127.0.0.1:7411 or [::1]:7411");
  }
  options.host = arguments.listen.substr(0, colon);
  if (options.host.starts_with('[') && options.host.ends_with(']')) {
    options.host = options.host.substr(1, options.host.size() - 2);
  }
  options.port =
      static_cast<std::uint16_t>(whole_number("--listen", arguments.listen.substr(colon + 1), 65535));
  if (arguments.tls_certificate.empty() != arguments.tls_key.empty()) {
    throw Error(ErrorCode::usage, "--tls-cert and --tls-key are given together");
  }
  options.tls_certificate = arguments.tls_certificate;
  options.tls_key = arguments.tls_key;
  return options;
}

}  // namespace

int run_serve(Words words) {
  const std::optional<ServeArguments> arguments = parse(words);
  if (!arguments) return kDone;
  const server::HttpOptions http = http_options(*arguments);
  const bool is_local = server::is_loopback(http.host);
  if (!is_local && !arguments->insecure) {
    throw Error(ErrorCode::usage,
                "--listen: beyond this machine the server needs keys and TLS; --insecure allows it without");
  }
  (void)model_path(arguments->model);  // a missing model is told before anything listens
  const server::StopSignals signals;
  server::Service service({.open_model = [&] { return open_model(arguments->model); },
                           .only_local_names = is_local,
                           .is_insecure = !is_local});
  server::HttpServer http_server(
      http, {.at_once = [&](const server::Request& request) { return service.answer_quickly(request); },
             .answer = [&](const server::Request& request) { return service.answer(request); },
             .give_up = [&] { service.give_up(); }});
  say(fmt::format("listening on {}://{}:{}", http.tls_certificate.empty() ? "http" : "https",
                  arguments->listen.substr(0, arguments->listen.rfind(':')), http_server.port()));
  std::exception_ptr failure;
  {
    const std::jthread preparing([&] {
      try {
        service.make_ready();
        say("ready");
      } catch (const Stopped&) {
        // A signal came before the model was ready.
      } catch (...) {
        failure = std::current_exception();
        signals.wake();
      }
    });
    signals.wait();
    service.retire();
    http_server.stop();
    service.give_up();
  }
  if (failure) std::rethrow_exception(failure);
  return kDone;
}

}  // namespace sotto::cli
