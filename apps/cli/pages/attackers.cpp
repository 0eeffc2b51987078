#include <algorithm>

#include "cli/pages/release_parts.h"
#include "core/count_text.h"

namespace sotto::cli {

namespace {

// {"value", "low", "high", ...} of an error, as a share that is right, with its interval.
std::string right_share(const ReportJson& attacker, std::string_view name) {
  const ReportJson& error = field(attacker, name);
  const auto value = number_field(error, "value");
  if (!value) return "not measured";
  const auto right = [](double wrong) { return percent(std::clamp(1 - wrong, 0.0, 1.0)); };
  const auto low = number_field(error, "low");
  const auto high = number_field(error, "high");
  if (!low || !high) return right(*value);
  return right(*value) + " (" + right(*high) + " to " + right(*low) + ")";
}

}  // namespace

void add_attackers(html::Page& page, const ReportJson& attack) {
  html::Table table{
      .caption =
          "Share of words that each attacker named rightly, on a sample of your text, with "
          "95% intervals over documents",
      .headings = {"attacker", "assumes", "any word", "content words", "words that were changed"}};
  const ReportJson& attackers = field(attack, "attackers");
  for (std::size_t i = 0; attackers.is_array() && i < attackers.size(); ++i) {
    const ReportJson& own = attackers[i];
    table.rows.push_back({text_field(own, "name").value_or(""), text_field(own, "assumes").value_or(""),
                          right_share(own, "error"), right_share(own, "error_content"),
                          right_share(own, "error_replaced")});
  }
  page.table(table);
  page.paragraph("Each of them is a real attack that somebody can repeat. A better attacker may exist.");
}

}  // namespace sotto::cli
