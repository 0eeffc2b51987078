#include "api/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/count_text.h"
#include "sotto/byte_stream.h"

namespace sotto::api {

std::string read_report(const std::filesystem::path& path) {
  const auto source = open_source(path);
  std::string text;
  std::string buffer(std::size_t{1} << 16, '\0');
  // A little more than is allowed: the parser then says that it is too large.
  while (text.size() <= kLargestReport) {
    const std::size_t got = source->read(buffer.data(), buffer.size());
    if (got == 0) break;
    text.append(buffer, 0, got);
  }
  return text;
}

std::string_view outcome_name(VerifyCheck::Outcome outcome) {
  switch (outcome) {
    case VerifyCheck::Outcome::ok:
      return "ok";
    case VerifyCheck::Outcome::wrong:
      return "WRONG";
    case VerifyCheck::Outcome::not_checked:
      break;
  }
  return "not checked";
}

std::string VerifyAnswer::verdict() const {
  const std::size_t wrong = result.count(VerifyCheck::Outcome::wrong);
  const auto other_files = std::ranges::count_if(result.checks, [](const VerifyCheck& check) {
    return check.name == "released" && check.outcome == VerifyCheck::Outcome::wrong;
  });
  if (wrong > 0 && std::cmp_equal(other_files, wrong)) {
    return fmt::format(
        "the report follows from the model, but is NOT about every file that was given: {} wrong", wrong);
  }
  if (wrong > 0) return fmt::format("the report does NOT follow from the model: {} wrong", wrong);
  const std::string counts = fmt::format("{} ok, {} not checked", result.count(VerifyCheck::Outcome::ok),
                                         result.count(VerifyCheck::Outcome::not_checked));
  if (result.strength.value_or(Strength::ok) == Strength::ok) {
    return fmt::format("the report follows from the model ({})", counts);
  }
  return fmt::format(
      "the claims follow from the model ({}), and the release hides {} (expected unchanged: "
      "{})",
      counts, result.strength == Strength::weak ? "little" : "next to nothing",
      percent(result.expected_unchanged));
}

VerifyAnswer verify(const VerifyRequest& request, const Work& work) {
  return {.result = verify_report(request.report, request.model, work.at("verifying"), request.released)};
}

Json to_json(const VerifyAnswer& answer) {
  const VerifyResult& result = answer.result;
  Json json = start_answer("sotto.verify/1");
  json["report_schema"] = result.schema;
  json["follows"] = answer.follows();
  json["strength"] = result.strength ? Json(strength_name(*result.strength)) : Json(nullptr);
  json["verdict"] = answer.verdict();
  json["checks"] = Json::array();
  for (const VerifyCheck& check : result.checks) {
    json["checks"].push_back(
        {{"name", check.name}, {"outcome", outcome_name(check.outcome)}, {"reason", check.reason}});
  }
  return json;
}

}  // namespace sotto::api
