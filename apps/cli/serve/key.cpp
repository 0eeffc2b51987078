// sotto serve key create: keys for clients of the service.
#include "cli/commands.h"
#include "server/keys.h"
#include "shared/console.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr char kServeKeyHelp[] =
    R"(Make a key for a client of the service, and print it once.

Usage: sotto serve key create --name NAME --scope SCOPE --keys FILE

  sotto serve key create --name app1 --scope privatize --keys keys.json
  sotto serve key create --name reader --scope read --keys keys.json
  sotto serve key create --name ops --scope admin --keys keys.json)";

constexpr char kServeKeyNotes[] =
    R"(The file holds only the SHA-256 of the key. Clients send the header Authorization: Bearer KEY.

Read next: docs/service.md)";

}  // namespace

int run_serve_key_create(Words words) {
  std::string name;
  std::string file;
  std::vector<std::string> scopes;
  CommandLine command("serve key create", kServeKeyHelp);
  command.footer(kServeKeyNotes);
  command.text("--name", name, "NAME", "what the key is called in the file");
  command.texts("--scope", scopes, "SCOPE", "privatize, read or admin; may be given several times");
  command.choices("--scope", {"privatize", "read", "admin"});
  command.text("--keys", file, "FILE", "the file of keys; it is made if it is not there");
  if (command.parse(words) == CommandLine::Outcome::helped) return kDone;
  if (name.empty() || file.empty() || scopes.empty()) {
    throw Error(ErrorCode::usage, "give --name, --scope and --keys");
  }
  server::NewKey wanted{.name = name};
  for (const std::string& scope : scopes) wanted.scopes.push_back(server::parse_scope(scope));
  print(server::create_key(file, wanted) + "\n");
  return kDone;
}

}  // namespace sotto::cli
