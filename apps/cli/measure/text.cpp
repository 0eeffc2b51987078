// The figures of `sotto measure` for a person.
#include "cli/measure/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/adversary.h"
#include "shared/console.h"

namespace sotto::cli {

namespace {

constexpr std::size_t kNameWidth = 24;

std::string value_text(const Quantity& figure) {
  if (figure.kind == QuantityKind::unavailable) return "-";
  if (figure.value) return quantity_number(*figure.value);
  return figure.bracket ? fmt::format("{}..{}", quantity_number(figure.bracket->low),
                                      quantity_number(figure.bracket->high))
                        : "-";
}

std::string interval_text(const Quantity& figure) {
  if (figure.kind == QuantityKind::unavailable) return "not available";
  if (figure.kind == QuantityKind::exact && figure.interval.low == figure.interval.high) return "exact";
  return fmt::format("{} to {}", quantity_number(figure.interval.low), quantity_number(figure.interval.high));
}

std::string header_rows(const api::MeasureAnswer& answer, std::size_t width) {
  std::string out;
  const auto row = [&](std::string_view label, std::string_view text) {
    out += fmt::format("{:<12}{}\n", label, wrapped(text, width, 12));
  };
  row("mechanism", api::setting_text(answer.built.mechanism));
  row("prior", prior_text(answer.prior));
  if (answer.labels) {
    row("labels", fmt::format("{}; {} with several labels, taken as unlabelled", labels_text(*answer.labels),
                              counted(answer.labels->conflicts, "word")));
  }
  row("method",
      answer.built.mechanism.vectors
          ? fmt::format(
                "{} released vectors, each with its exact posterior over all words; intervals are at 95%",
                grouped(answer.measurement.draws))
      : answer.measurement.closed_law
          ? "the law is known and followed for all words; intervals are at 95% where something is drawn"
          : fmt::format("{} draws, since the law is not followed; intervals are at 95%",
                        grouped(answer.measurement.draws)));
  return out;
}

std::string figure_rows(const BandMeasurement& band, std::size_t width) {
  std::size_t values = 8;
  std::size_t intervals = 14;
  for (const Quantity& figure : band.quantities) {
    values = std::max(values, value_text(figure).size());
    intervals = std::max(intervals, interval_text(figure).size());
  }
  const std::size_t indent = 2 + kNameWidth + 1 + values + 2 + intervals + 2;
  std::string out;
  for (const Quantity& figure : band.quantities) {
    out += fmt::format("  {:<{}} {:>{}}  {:<{}}  {}\n", figure.name, kNameWidth, value_text(figure), values,
                       interval_text(figure), intervals, wrapped(figure.meaning, width, indent));
  }
  return out;
}

std::string band_rows(const Measurement& measurement) {
  std::string out = fmt::format("  {:<{}}", "", kNameWidth);
  for (const BandMeasurement& band : measurement.bands) out += fmt::format(" {:>19}", band.name);
  out += fmt::format("\n  {:<{}}", "words", kNameWidth);
  for (const BandMeasurement& band : measurement.bands) out += fmt::format(" {:>19}", grouped(band.words));
  out += fmt::format("\n  {:<{}}", "prior", kNameWidth);
  for (const BandMeasurement& band : measurement.bands)
    out += fmt::format(" {:>19}", quantity_number(band.prior));
  out += '\n';
  for (const Quantity& figure : measurement.bands.back().quantities) {
    out += fmt::format("  {:<{}}", figure.name, kNameWidth);
    for (const BandMeasurement& band : measurement.bands) {
      const Quantity* own = band.find(figure.name);
      std::string text = own == nullptr ? "-" : value_text(*own);
      if (own != nullptr && own->kind == QuantityKind::sampled) {
        text += fmt::format(" +-{}", quantity_number((own->interval.high - own->interval.low) / 2));
      }
      out += fmt::format(" {:>19}", text);
    }
    out += '\n';
  }
  return out;
}

std::string rank_name(const RankShare& rank) {
  if (rank.first == 0) return "unchanged";
  return rank.first == rank.last ? grouped(rank.first)
                                 : fmt::format("{} to {}", grouped(rank.first), grouped(rank.last));
}

std::string rank_rows(const BandMeasurement& band, std::size_t width) {
  double top = 0;
  for (const RankShare& rank : band.ranks) top = std::max(top, rank.share);
  const std::size_t room = width > kNameWidth + 40 ? width - kNameWidth - 36 : 8;
  std::string out;
  for (const RankShare& rank : band.ranks) {
    std::string row = fmt::format(
        "  {:<{}} {:>8}  {:<18}  ", rank_name(rank), kNameWidth, quantity_number(rank.share),
        rank.interval.low == rank.interval.high ? "exact"
                                                : fmt::format("{} to {}", quantity_number(rank.interval.low),
                                                              quantity_number(rank.interval.high)));
    const auto cells = static_cast<std::size_t>(std::lround(rank.share / top * static_cast<double>(room)));
    for (std::size_t i = 0; i < cells; ++i) row += "█";
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + "\n";
  }
  return out;
}

}  // namespace

std::string measure_text(const api::MeasureAnswer& answer, std::size_t width) {
  const Measurement& measurement = answer.measurement;
  std::string out = header_rows(answer, width);
  out += "\n" + figure_rows(measurement.overall(), width);
  if (measurement.bands.size() > 1) {
    out += "\n" + answer.bands_text() + "\n" + band_rows(measurement);
  }
  if (!measurement.overall().ranks.empty()) {
    out +=
        "\nrank of the output among the neighbours of the input\n" + rank_rows(measurement.overall(), width);
  }
  return out;
}

}  // namespace sotto::cli
