#include "api/attack_result.h"

#include <algorithm>

#include "api/answer_part.h"
#include "attack/attackers.h"
#include "sotto/error.h"

namespace sotto::api {
namespace {

constexpr PartKind kResult = {"attack-result", kAttackPart.schema, kAttackPart.writer};

[[noreturn]] void refuse_entry() {
  throw Error(
      ErrorCode::bad_data,
      "`attack-result` has an entry that `sotto attack` does not write: run `sotto attack --json` again");
}

// {"value", "low", "high", "tokens"}, or null where there was nothing to count.
std::optional<MeasuredError> error_of(const ReportJson& attacker, std::string_view name) {
  if (is_null(attacker, name)) return std::nullopt;
  const ReportJson& own = field(attacker, name);
  const auto value = number_field(own, "value");
  const auto low = number_field(own, "low");
  const auto high = number_field(own, "high");
  const auto tokens = count_field(own, "tokens");
  const bool is_sound =
      value && low && high && tokens && 0 <= *low && *low <= *value && *value <= *high && *high <= 1;
  if (!is_sound) refuse_entry();
  return MeasuredError{.value = *value, .low = *low, .high = *high, .tokens = *tokens};
}

}  // namespace

MeasuredAttack read_attack_result(const std::string& text, const Mechanism& mechanism) {
  const ReportJson json = parse_part(kResult, text);
  check_same(kResult, json, subject_of(mechanism), "this release");
  const auto documents = count_field(json, "documents");
  const auto tokens = count_field(json, "tokens");
  const ReportJson& all = field(json, "attackers");
  if (!documents || !tokens || !all.is_array() || all.empty()) refuse_entry();
  MeasuredAttack out{.documents = *documents, .tokens = *tokens};
  for (const ReportJson& own : all) {
    const auto name = text_field(own, "name");
    const auto known = std::ranges::find(attackers(), name.value_or(""), &AttackerInfo::name);
    if (known == attackers().end()) refuse_entry();
    out.attackers.push_back({.name = std::string(known->name),
                             .assumes = std::string(known->assumes),
                             .error = error_of(own, "error"),
                             .error_content = error_of(own, "error_content"),
                             .error_replaced = error_of(own, "error_replaced"),
                             .error_unknown = error_of(own, "error_unknown")});
  }
  return out;
}

}  // namespace sotto::api
