#include "lab/vickrey/tables.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <span>

#include "sotto/parameters.h"

namespace sotto::lab::vickrey {

namespace {

// Three digits, without the 0 before the point.
std::string digits(double value) {
  if (!std::isfinite(value)) return "-";
  std::string text = fmt::format("{:.3f}", value);
  return text.starts_with("0.") ? text.substr(1) : text;
}
std::string span_text(const Bounds& bounds) {
  return fmt::format("{} to {}", digits(bounds.low), digits(bounds.high));
}
std::string reading_text(const Reading& reading) {
  return std::isnan(reading.value)
             ? "-"
             : fmt::format("{} ({})", digits(reading.value), span_text(reading.interval));
}

// A row for each series, a column for each epsilon.
std::string by_epsilon(const std::string& title, const std::vector<double>& epsilons,
                       const std::vector<std::string>& series, const Results& results,
                       const std::function<std::string(const Result&)>& cell) {
  std::string out = fmt::format("\n{}:\n\n| series |", title);
  std::string rule = "\n|---|";
  for (const double epsilon : epsilons) {
    out += fmt::format(" {} |", number_text(epsilon));
    rule += "---|";
  }
  out += rule;
  for (const std::string& name : series) {
    out += fmt::format("\n| {} |", name);
    const std::vector<Result> curve = results.curve(name);
    for (const double epsilon : epsilons) {
      std::string text;
      for (const Result& result : curve) {
        if (result.epsilon == epsilon) text = cell(result);
      }
      out += fmt::format(" {} |", text);
    }
  }
  return out + '\n';
}

// The cautious end gives the series the low end of its E_opt and laplace the high end; the hopeful end is the
// other way round.
std::string equal_error_table(const Results& results) {
  std::string rows;
  const std::vector<std::string> all = figure2_series();
  const std::vector<Result> laplace = results.curve(all.front());
  for (const std::string& name : std::span(all).subspan(1)) {
    for (const Result& result : results.curve(name)) {
      const auto cautious = at_equal_error(laplace, &Bounds::high, result.error.low);
      const auto hopeful = at_equal_error(laplace, &Bounds::low, result.error.high);
      if (!cautious || !hopeful || !(cautious->loss > 0) || !(hopeful->loss > 0)) continue;
      rows += fmt::format("| {} | {} | {} | {} | {} to {} | {:.1f} to {:.1f} | {:.0f}% to {:.0f}% |\n", name,
                          number_text(result.epsilon), digits(result.loss.value), span_text(result.error),
                          digits(cautious->loss), digits(hopeful->loss), cautious->epsilon, hopeful->epsilon,
                          100 * (1 - result.loss.value / cautious->loss),
                          100 * (1 - result.loss.value / hopeful->loss));
    }
  }
  if (rows.empty()) return "";
  return "\nAgainst laplace at equal E_opt (lines between its points):\n\n| series | epsilon | L | E_opt | L "
         "of "
         "laplace there | its epsilon | L is smaller by |\n|---|---|---|---|---|---|---|\n" +
         rows;
}

std::string retrained_table(const Settings& settings, const Results& results) {
  std::string rows;
  for (const std::string& name : figure2_series()) {
    for (const double epsilon : settings.task_epsilons) {
      const auto clean = results.task_loss(kClean, name, number_text(epsilon));
      const auto again = results.task_loss(kRedacted, name, number_text(epsilon));
      if (!clean || !again) continue;
      rows += fmt::format("| {} | {} | {} | {} |\n", name, number_text(epsilon), reading_text(*clean),
                          reading_text(*again));
    }
  }
  if (rows.empty()) return "";
  return "\nL by what the model was trained on:\n\n| series | epsilon | clear texts | redacted texts "
         "|\n|---|---|---|---|\n" +
         rows;
}

}  // namespace

std::vector<std::string> figure2_series() {
  std::vector<std::string> out;
  for (const Group& group : groups(Curves::figure2)) {
    for (const Series& series : group.series) out.push_back(series.name);
  }
  return out;
}

std::vector<std::string> figure3_series() {
  std::vector<std::string> out = {"laplace"};
  for (std::size_t rank = 2; rank <= 5; ++rank) out.push_back(series_of_rank(rank));
  return out;
}

std::string coverage_table(const Tables& tables) {
  std::string out =
      "# vickrey-2021\n\n## Coverage\n\n| data | vectors | words redacted | of these, that occur | texts to "
      "learn from | to test on | tokens with a vector | tokens redacted | median distance to the nearest "
      "word "
      "|\n|---|---|---|---|---|---|---|---|---|\n";
  for (const Points::Row& row : tables.coverage.rows()) {
    const auto cell = [&](const char* column) { return row.values[tables.coverage.value(column)]; };
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {:.2f} |\n", row.keys[0], row.keys[1],
                       cell("domain_words"), cell("words_that_occur"), cell("train_texts"),
                       cell("test_texts"), digits(cell("tokens_with_vector") / cell("tokens")),
                       digits(cell("tokens_redacted") / cell("tokens")), cell("median_nearest_distance"));
  }
  return out;
}

std::string result_tables(const Settings& settings, const Results& results) {
  const bool is_products = results.data() == "products";
  const std::vector<double>& epsilons = is_products ? settings.product_epsilons : settings.task_epsilons;
  const std::vector<std::string> series = figure2_series();
  if (results.curve(series.front()).empty()) return "";
  const auto error = [](const Result& result) { return span_text(result.error); };
  const auto loss = [](const Result& result) { return reading_text(result.loss); };
  std::string out = fmt::format("\n## {}, {}\n", results.data(), results.vectors());
  if (const auto clear = results.task_loss(kClean, kNoRedaction, "none")) {
    out += fmt::format("\nL without redaction: {}.\n", reading_text(*clear));
  }
  out += by_epsilon("E_opt", epsilons, series, results, error);
  out += by_epsilon("L (95% interval)", epsilons, series, results, loss);
  out +=
      by_epsilon("E_M of eq. 4: plug-in from N / 4N draws (interval of the true value)", epsilons, series,
                 results, [](const Result& result) {
                   return fmt::format("{} / {} ({})", digits(result.posterior_first),
                                      digits(result.posterior.value), span_text(result.posterior.interval));
                 });
  out += by_epsilon("Certified loss per unit of Euclidean distance", epsilons, series, results,
                    [](const Result& result) { return fmt::format("{:.4g}", result.certified_epsilon); });
  if (is_products) {
    std::vector<std::string> printed;
    for (const std::string& name : series) {
      if (!results.curve(as_printed(name)).empty()) printed.push_back(as_printed(name));
    }
    out += by_epsilon("E_opt, the input never comes out (not private)", epsilons, printed, results, error);
    out += by_epsilon("L, the input never comes out (not private)", epsilons, printed, results, loss);
    out += by_epsilon("Figure 3, E_opt", epsilons, figure3_series(), results, error);
    out += by_epsilon("Figure 3, L", epsilons, figure3_series(), results, loss);
  }
  return out + equal_error_table(results) + retrained_table(settings, results);
}

std::string choices_table(const Tables& tables) {
  std::string rows;
  for (const Points::Row& row : tables.choices.rows()) {
    const auto cell = [&](const char* column) { return row.values[tables.choices.value(column)]; };
    rows += fmt::format("| {} | {} | {} | {:.4g} | {:.4g} | {} | {} | {} |\n", row.keys[0], row.keys[1],
                        row.keys[2], cell("epsilon"), cell("t"), digits(cell("loss")),
                        digits(cell("e_m_plug_in")),
                        span_text({.low = cell("e_opt_low"), .high = cell("e_opt_high")}));
  }
  if (rows.empty()) return "";
  return "\n## Algorithm 2 as printed\n\n| vectors | first epsilon | budget | epsilon | t | L | E_M "
         "(plug-in) | "
         "E_opt |\n|---|---|---|---|---|---|---|---|\n" +
         rows;
}

}  // namespace sotto::lab::vickrey
