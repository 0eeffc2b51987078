// sotto serve: the engine behind HTTP. Flags only; the server is apps/server.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <optional>
#include <thread>

#include "cli/commands.h"
#include "cli/ledger/flags.h"
#include "core/private_folder.h"
#include "core/stop.h"
#include "server/cross_origin.h"
#include "server/http.h"
#include "server/log_queue.h"
#include "server/probe.h"
#include "server/service.h"
#include "server/stop_signals.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr char kServeHelp[] =
    R"(Answer over HTTP: private texts, mechanisms, models.

Usage: sotto serve [options]

  sotto serve
  sotto serve --listen 127.0.0.1:7411 --ledger ledger.db --subject-budget 500
  sotto serve --config service.toml)";

constexpr char kServeNotes[] =
    R"(Requests and answers are JSON; GET /openapi.json describes them. SIGTERM ends the server after
the requests in flight have been answered. `sotto serve key create` makes keys for clients. A
request:

curl -s localhost:7411/v1/privatize -H 'Content-Type: application/json' -d '{"text": "the doctor was late", "epsilon": 2.5}'

Read next: docs/service.md)";

constexpr std::string_view kRequirements[] = {"", "document", "subject", "document,subject"};

struct ServeArguments {
  std::string listen = "127.0.0.1:7411";
  std::string model;
  std::string tls_certificate;
  std::string tls_key;
  std::string keys;
  std::string ledger;
  std::string ledger_key;
  std::string document_budget;
  std::string subject_budget;
  std::string require;
  std::string idempotency_hours = "24";
  std::string rate = "1000";
  std::string padding = "on";
  std::string allow_origin;
  bool no_log = false;
  bool insecure = false;
  bool check = false;
};

std::optional<ServeArguments> parse_serve(Words words) {
  ServeArguments out;
  CommandLine command("serve", kServeHelp);
  command.footer(kServeNotes);
  command.config_file();
  command.text("--listen", out.listen, "ADDRESS:PORT", "where to listen (default 127.0.0.1:7411)");
  command.text("--model", out.model, "FILE", kModelFileHelp);
  command.text("--tls-cert", out.tls_certificate, "FILE", "the certificate chain, PEM");
  command.text("--tls-key", out.tls_key, "FILE", "the private key of the certificate, PEM");
  command.text("--keys", out.keys, "FILE", "clients need a key of this file (`sotto serve key create`)");
  command.text("--ledger", out.ledger, "FILE|URL|none",
               "where spending is counted (default: ledger.db in the user's state folder)");
  command.text("--ledger-key", out.ledger_key, "FILE", kLedgerKeyHelp);
  command.text("--document-budget", out.document_budget, "EPSILON",
               "how much a document may spend (default: one release)");
  command.text("--subject-budget", out.subject_budget, "EPSILON",
               "how much a subject may spend (default: no limit)");
  command.text("--require", out.require, "NAMES",
               "refuse requests without these: document, subject or document,subject");
  command.choices("--require", {std::begin(kRequirements) + 1, std::end(kRequirements)});
  command.text("--idempotency-hours", out.idempotency_hours, "N",
               "how long answers are kept for retries (default 24; 0: never)");
  command.text("--rate", out.rate, "N",
               "how many requests a second each key may send (default 1000; 0: any)");
  command.text("--padding", out.padding, "on|off",
               "let answers leave at fixed steps of time, so that their time tells little (default on)");
  command.choices("--padding", {"on", "off"});
  command.text(
      "--allow-origin", out.allow_origin, "ORIGIN",
      "let pages of this origin use the service (CORS), such as https://example.org (default: none)");
  command.flag("--no-log", out.no_log, "print no line for each answer");
  command.flag("--insecure", out.insecure,
               "listen beyond this machine without keys or TLS; every answer says so");
  command.flag("--check", out.check,
               "start nothing: ask the server that listens there whether it is ready (exit code 1: no)");
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
  constexpr std::int64_t kLargestPort = 65535;
  options.port =
      static_cast<std::uint16_t>(whole_number("--listen", arguments.listen.substr(colon + 1), kLargestPort));
  if (arguments.tls_certificate.empty() != arguments.tls_key.empty()) {
    throw Error(ErrorCode::usage, "--tls-cert and --tls-key are given together");
  }
  options.tls_certificate = arguments.tls_certificate;
  options.tls_key = arguments.tls_key;
  // Workers wait for the ledger's disk; debits that wait together are committed together.
  constexpr unsigned kWithLedger = 32;
  if (arguments.ledger != "none") options.workers = kWithLedger;
  return options;
}

// $XDG_STATE_HOME/sotto/ledger.db or ~/.local/state/sotto/ledger.db
std::string usual_ledger() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  const char* const home = std::getenv("HOME");
  std::filesystem::path folder;
  if (state != nullptr && *state == '/') {
    folder = state;
  } else if (home != nullptr && *home != '\0') {
    folder = std::filesystem::path(home) / ".local" / "state";
  } else {
    throw Error(ErrorCode::usage, "--ledger: neither HOME nor XDG_STATE_HOME is set; give FILE, URL or none");
  }
  std::filesystem::create_directories(folder);
  make_private_folder(folder / "sotto");
  return folder / "sotto" / "ledger.db";
}

server::SpendingOptions spending_options(const ServeArguments& arguments) {
  const bool is_counted = arguments.ledger != "none";
  server::SpendingOptions out{.document_budget = budget("--document-budget", arguments.document_budget),
                              .subject_budget = budget("--subject-budget", arguments.subject_budget),
                              .requires_document = arguments.require.starts_with("document"),
                              .requires_subject = arguments.require.ends_with("subject")};
  if (std::ranges::find(kRequirements, arguments.require) == std::end(kRequirements)) {
    throw Error(ErrorCode::usage, "--require takes document, subject or document,subject");
  }
  if (!is_counted && (out.document_budget || out.subject_budget || !arguments.require.empty())) {
    throw Error(ErrorCode::usage, "--document-budget, --subject-budget and --require need a --ledger");
  }
  if (!is_counted) return out;
  LedgerOptions options =
      ledger_options(arguments.ledger.empty() ? usual_ledger() : arguments.ledger, arguments.ledger_key);
  constexpr std::int64_t kYear = 24L * 366;
  options.keep_answers =
      std::chrono::hours(whole_number("--idempotency-hours", arguments.idempotency_hours, kYear));
  out.ledger = std::make_shared<Ledger>(std::move(options));
  say(fmt::format("spending is counted in {}", out.ledger->name()));
  return out;
}

// Systems usually allow a process 1,024 descriptors at first, and more if it asks.
void allow_many_descriptors(std::size_t connections) {
  constexpr std::size_t kOthers = 1'000;  // files, the ledger
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min<rlim_t>(limit.rlim_max, connections + kOthers);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

// For the health check of a container or a supervisor.
int check_server(const server::HttpOptions& http) {
  const bool is_ready = server::is_ready(http);
  say(is_ready ? "ready" : "not ready");
  return is_ready ? kDone : kAnswerIsNo;
}

// Serves until a signal comes.
void serve(server::Service& service, const server::HttpOptions& http) {
  const server::StopSignals signals;
  server::HttpServer http_server(
      http, {.at_once = [&](const server::Request& request) { return service.answer_quickly(request); },
             .answer = [&](const server::Request& request) { return service.answer(request); },
             .on_refused = [&](int status) { service.note_refused(status); },
             .give_up = [&] { service.give_up(); }});
  const bool has_colons = http.host.find(':') != std::string::npos;
  say(fmt::format("listening on {}://{}:{}", http.tls_certificate.empty() ? "http" : "https",
                  has_colons ? "[" + http.host + "]" : http.host, http_server.port()));
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
}

}  // namespace

int run_serve(Words words) {
  if (!words.empty() && words.front() == "key") {
    throw Error(ErrorCode::usage, "`sotto serve key` needs `create`: `sotto serve key create --help`");
  }
  const std::optional<ServeArguments> arguments = parse_serve(words);
  if (!arguments) return kDone;
  const server::HttpOptions http = http_options(*arguments);
  if (arguments->check) return check_server(http);
  const bool is_local = server::is_loopback(http.host);
  const bool is_guarded = !arguments->keys.empty() && !arguments->tls_key.empty();
  if (!is_local && !is_guarded && !arguments->insecure) {
    throw Error(ErrorCode::usage,
                "--listen: beyond this machine the server needs --keys, --tls-cert and --tls-key; --insecure "
                "allows it without");
  }
  if (arguments->padding != "on" && arguments->padding != "off") {
    throw Error(ErrorCode::usage, "--padding takes on or off");
  }
  (void)model_path(arguments->model);  // a missing model is told before anything listens
  server::ServiceOptions options{
      .open_model = [&] { return open_model(arguments->model); },
      .spending = spending_options(*arguments),
      .only_local_names = is_local && arguments->keys.empty(),
      .requests_per_second = static_cast<double>(whole_number("--rate", arguments->rate)),
      .pads_answers = arguments->padding == "on",
      .allow_origin = server::checked_origin(arguments->allow_origin),
      .is_insecure = !is_local && !is_guarded};
  if (!arguments->keys.empty()) options.keys = server::Keys::read(arguments->keys);
  server::LogQueue log([](std::string_view text) { return server::write_in_time(STDOUT_FILENO, text); });
  if (!arguments->no_log) options.log = [&](const std::string& line) { log.add(line); };
  allow_many_descriptors(http.most_connections);
  server::Service service(std::move(options));
  serve(service, http);
  return kDone;
}

}  // namespace sotto::cli
