#pragma once
#include <libpq-fe.h>

namespace sotto::ledger {

// The functions of libpq that we call. It is loaded when a ledger in PostgreSQL is first used: linked in the
// ordinary way, it and the 20 libraries that it needs would be loaded at every start of every command, and
// nobody could use Sotto without them.
struct Libpq {
  decltype(&PQclear) clear = nullptr;
  decltype(&PQcmdStatus) command_status = nullptr;
  decltype(&PQconnectdbParams) connect = nullptr;
  decltype(&PQconninfoFree) free_address = nullptr;
  decltype(&PQconninfoParse) parse_address = nullptr;
  decltype(&PQexec) execute = nullptr;
  decltype(&PQexecParams) execute_with = nullptr;
  decltype(&PQfinish) finish = nullptr;
  decltype(&PQfreemem) free_memory = nullptr;
  decltype(&PQgetlength) length = nullptr;
  decltype(&PQgetvalue) value = nullptr;
  decltype(&PQntuples) rows = nullptr;
  decltype(&PQresultErrorField) error_field = nullptr;
  decltype(&PQresultStatus) result_status = nullptr;
  decltype(&PQsetNoticeProcessor) set_notice_processor = nullptr;
  decltype(&PQstatus) status = nullptr;
  decltype(&PQunescapeBytea) unescape_bytes = nullptr;
};

// Throws Error(input_output) if libpq is not installed.
const Libpq& libpq();

}  // namespace sotto::ledger
