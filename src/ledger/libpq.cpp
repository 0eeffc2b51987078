#include "ledger/libpq.h"

#include <dlfcn.h>

#include "sotto/error.h"

namespace sotto::ledger {

namespace {

template <class Function>
void find(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(dlsym(library, name));
  if (out == nullptr) {
    throw Error(
        ErrorCode::input_output,
        "the PostgreSQL client library on this machine is too old; install libpq5, version 9.6 or newer");
  }
}

Libpq load() {
  void* library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);  // it stays for the life of the process
  if (library == nullptr) {
    throw Error(
        ErrorCode::input_output,
        "a ledger in PostgreSQL needs its client library; install it (Debian: apt-get install libpq5)");
  }
  Libpq out;
  find(library, "PQclear", out.clear);
  find(library, "PQcmdStatus", out.command_status);
  find(library, "PQconnectdbParams", out.connect);
  find(library, "PQconninfoFree", out.free_address);
  find(library, "PQconninfoParse", out.parse_address);
  find(library, "PQexec", out.execute);
  find(library, "PQexecParams", out.execute_with);
  find(library, "PQfinish", out.finish);
  find(library, "PQfreemem", out.free_memory);
  find(library, "PQgetlength", out.length);
  find(library, "PQgetvalue", out.value);
  find(library, "PQntuples", out.rows);
  find(library, "PQresultErrorField", out.error_field);
  find(library, "PQresultStatus", out.result_status);
  find(library, "PQsetNoticeProcessor", out.set_notice_processor);
  find(library, "PQstatus", out.status);
  find(library, "PQunescapeBytea", out.unescape_bytes);
  return out;
}

}  // namespace

const Libpq& libpq() {
  static const Libpq functions = load();
  return functions;
}

}  // namespace sotto::ledger
