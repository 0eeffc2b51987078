#include "server/accounts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "server/problem.h"

namespace sotto::server {

using api::Json;

Named named_of(const Json& body, std::string_view items) {
  Named named{.subject = body.value("subject", "")};
  if (!body.contains("documents")) return named;
  const auto refuse = [](const std::string& detail) { throw Problem{.kind = &kField, .detail = detail}; };
  if (!body.contains(items) || body["documents"].size() != body[std::string(items)].size()) {
    refuse(fmt::format("`documents` must have one id for each of `{}`", items));
  }
  for (const Json& id : body["documents"]) named.documents.push_back(id);
  const auto is_bad = [](const std::string& id) { return id.empty() || id.size() > kLongestId; };
  if (std::ranges::any_of(named.documents, is_bad)) {
    refuse(fmt::format("`documents` holds an id that is empty or longer than {} bytes", kLongestId));
  }
  return named;
}

Json spent_json(const std::vector<Charge>& charges) {
  if (charges.empty()) return nullptr;
  Json rows = Json::array();
  std::optional<AccountRole> last;
  Amount sum;
  const auto close_row = [&] {
    if (last) rows.push_back({{"account", account_role_name(*last)}, {"amount", sum.text()}});
  };
  for (const Charge& charge : charges) {
    if (last != charge.account.role) {
      close_row();
      last = charge.account.role;
      sum = {};
    }
    sum = sum.plus(charge.amount);
  }
  close_row();
  return rows;
}

}  // namespace sotto::server
