#include "cli/explain/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/pages/status_words.h"
#include "core/bound_text.h"
#include "shared/console.h"

namespace sotto::cli {

namespace {

using api::ExplainAnswer;
using api::ExplainedOutput;

std::string output_table(const ExplainAnswer& answer, std::size_t width) {
  const Mechanism& mechanism = answer.mechanism;
  std::size_t longest = 4;
  for (const ExplainedOutput& output : answer.outputs) {
    longest = std::max(longest, mechanism.text_of(output.word).size());
  }
  longest = std::min<std::size_t>(longest, 30);
  const std::size_t interval = answer.is_estimated() ? 22 : answer.theorem_slope ? 12 : 0;
  const std::size_t room = width > longest + interval + 24 ? width - longest - interval - 18 : 6;
  const double top = answer.outputs.empty() ? 1 : answer.outputs.front().p;
  std::string out;
  if (answer.theorem_slope) {
    out = fmt::format("  {:<{}}  {:<10}  {:<10}  {}\n", "", longest, mechanism.parameters.text("calibration"),
                      "paper", "probability of each output under the two laws");
  }
  for (const ExplainedOutput& output : answer.outputs) {
    const auto cells = static_cast<std::size_t>(std::lround(output.p / top * static_cast<double>(room)));
    std::string bar;
    for (std::size_t i = 0; i < cells; ++i) bar += "█";
    std::string row = fmt::format("  {:<{}}  {:<10.4g}", mechanism.text_of(output.word), longest, output.p);
    if (answer.is_estimated()) {
      row += fmt::format("  {:<20}", fmt::format("{:.3g} to {:.3g}", output.low, output.high));
    }
    if (output.by_theorem) row += fmt::format("  {:<10.4g}", *output.by_theorem);
    row += "  " + bar;
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + "\n";
  }
  return out;
}

}  // namespace

std::string explain_text(const ExplainAnswer& answer, std::size_t width) {
  const Mechanism& mechanism = answer.mechanism;
  const auto& certificate = answer.certificate;
  const std::string word(answer.model().word(answer.word));
  std::string out;
  const auto row = [&](std::string_view label, std::string_view text) {
    out += fmt::format("{:<12}{}\n", label, wrapped(text, width, 12));
  };
  row("word", answer.is_unknown
                  ? fmt::format("\"{}\" is not in the model: it is replaced by the anchor \"{}\", as every "
                                "unknown word is, and then drawn as that word",
                                answer.asked, word)
                  : word);
  row("mechanism", api::setting_text(mechanism));
  row("guarantee", mechanism.claim.guarantee);
  const std::string rounding = certificate ? fmt::format("all rounding adds at most {} to the loss of a word",
                                                         rounded_up(certificate->additive_loss, 2))
                                           : "";
  if (certificate && answer.theorem_slope) {
    row("nominal",
        fmt::format("epsilon {}, which the certificate must keep", number_text(mechanism.claim.epsilon)));
    row("certified", fmt::format("epsilon {}, on this model, over all pairs of words; {}",
                                 rounded_up(certificate->realised_epsilon), rounding));
    row("slope",
        fmt::format("{:.6g} (calibration paper: {:.6g})", answer.slope().value_or(0), *answer.theorem_slope));
  } else if (certificate) {
    row("certified", fmt::format("on this model, over all pairs of words, epsilon is {} (nominal {}); {}",
                                 rounded_up(certificate->realised_epsilon),
                                 number_text(mechanism.claim.epsilon), rounding));
  }
  row("status", fmt::format("{}{}{}", status_words(mechanism.claim.status),
                            mechanism.claim.caveat.empty() ? "" : "; ", mechanism.claim.caveat));
  row("that is", odds_text(answer));
  if (answer.is_estimated()) {
    row("estimated", fmt::format("from {} draws, with 95% intervals: this mechanism has no closed form",
                                 grouped(answer.draws)));
  }
  out += "\n" + output_table(answer, width);
  if (answer.others() > 0) {
    out += fmt::format("  and {}, {} together (--top 0 lists all)\n", counted(answer.others(), "other word"),
                       percent(answer.share_of_others()));
  }
  return out;
}

}  // namespace sotto::cli
