// sotto serve key create: keys for clients of the service.
#include "cli/serve/key.h"

#include "server/keys.h"
#include "shared/console.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr char kHelp[] =
    R"(Makes a key for a client of `sotto serve` and prints it once, on standard output. The
file holds only its SHA-256. Clients send the header Authorization: Bearer KEY.

Usage: sotto serve key create --name NAME --scope SCOPE --keys FILE

  sotto serve key create --name app1 --scope privatize --keys keys.json)";

}  // namespace

int run_serve_key(Words words) {
  if (words.empty() || words.front() != "create") {
    throw Error(ErrorCode::usage, "`sotto serve key` needs `create`: `sotto serve key create --help`");
  }
  std::string name;
  std::string file;
  std::vector<std::string> scopes;
  CommandLine command("serve key create", kHelp);
  command.text("--name", name, "NAME", "what the key is called in the file");
  command.texts("--scope", scopes, "SCOPE", "privatize, read or admin; may be given several times");
  command.text("--keys", file, "FILE", "the file of keys; it is made if it is not there");
  if (command.parse(words.subspan(1)) == CommandLine::Outcome::helped) return kDone;
  if (name.empty() || file.empty() || scopes.empty()) {
    throw Error(ErrorCode::usage, "give --name, --scope and --keys");
  }
  server::NewKey wanted{.name = name};
  for (const std::string& scope : scopes) wanted.scopes.push_back(server::parse_scope(scope));
  print(server::create_key(file, wanted) + "\n");
  return kDone;
}

}  // namespace sotto::cli
