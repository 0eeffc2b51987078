#include "shared/answer.h"

#include "shared/console.h"

namespace sotto::cli {

Json start_answer(std::string_view schema) {
  Json answer;
  answer["schema"] = schema;
  answer["sotto_version"] = SOTTO_VERSION;
  return answer;
}

void print_answer(const Json& answer) {
  print(answer.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace sotto::cli
