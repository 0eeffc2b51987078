// The figures of `sotto measure` for a person, for a program and for a table.
#include "cli/measure/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "shared/console.h"

namespace sotto::cli {

namespace {

constexpr std::size_t kNameWidth = 24;

// Four digits that count: adversaries near certainty have small errors.
std::string number(double value) {
  return value == 0 || std::abs(value) >= 1e-4 ? fmt::format("{:.4f}", value) : fmt::format("{:.1e}", value);
}
// Distances and counts of words.
std::string wide_number(double value) {
  return std::abs(value) >= 100 ? fmt::format("{:.1f}", value) : number(value);
}

std::string value_text(const Figure& figure) {
  if (figure.kind == FigureKind::unavailable) return "-";
  if (figure.value) return wide_number(*figure.value);
  return figure.bracket ? fmt::format("{}..{}", number(figure.bracket->low), number(figure.bracket->high))
                        : "-";
}

std::string interval_text(const Figure& figure) {
  if (figure.kind == FigureKind::unavailable) return "not available";
  if (figure.kind == FigureKind::exact && figure.interval.low == figure.interval.high) return "exact";
  return fmt::format("{} to {}", wide_number(figure.interval.low), wide_number(figure.interval.high));
}

std::string header_rows(const MeasureSubject& subject, std::size_t width) {
  std::string out;
  const auto row = [&](std::string_view label, std::string_view text) {
    out += fmt::format("{:<12}{}\n", label, wrapped(text, width, 12));
  };
  std::string parameters(subject.chosen.mechanism.info->name);
  for (const auto& [name, text] : subject.chosen.mechanism.parameters.texts()) {
    parameters += fmt::format(", {} {}", name, text);
  }
  const Prior& prior = subject.request.prior;
  row("mechanism", parameters);
  row("prior", prior.unknown == 0
                   ? prior.description
                   : fmt::format("{}; {} of {} entries are not in the model", prior.description,
                                 grouped(prior.unknown), grouped(prior.entries)));
  if (subject.request.labels) {
    const Labels& labels = *subject.request.labels;
    row("labels",
        fmt::format("{} words under {} labels; {} of {} entries are not in the model, {} words have several "
                    "labels and count as unlabelled",
                    grouped(labels.labelled), labels.names.size(), grouped(labels.unknown),
                    grouped(labels.entries), grouped(labels.conflicts)));
  }
  row("method",
      subject.measurement.closed_law
          ? "the law is known and followed for all words; intervals are at 95% where something is drawn"
          : fmt::format("{} draws, since the law is not followed; intervals are at 95%",
                        grouped(subject.measurement.draws)));
  return out;
}

std::string figure_rows(const BandMeasurement& band, std::size_t width) {
  std::size_t values = 8;
  std::size_t intervals = 14;
  for (const Figure& figure : band.figures) {
    values = std::max(values, value_text(figure).size());
    intervals = std::max(intervals, interval_text(figure).size());
  }
  const std::size_t indent = 2 + kNameWidth + 1 + values + 2 + intervals + 2;
  std::string out;
  for (const Figure& figure : band.figures) {
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
  for (const BandMeasurement& band : measurement.bands) out += fmt::format(" {:>19}", number(band.prior));
  out += "\n";
  for (const Figure& figure : measurement.bands.back().figures) {
    out += fmt::format("  {:<{}}", figure.name, kNameWidth);
    for (const BandMeasurement& band : measurement.bands) {
      const Figure* own = band.find(figure.name);
      std::string text = own == nullptr ? "-" : value_text(*own);
      if (own != nullptr && own->kind == FigureKind::sampled) {
        text += fmt::format(" +-{}", number((own->interval.high - own->interval.low) / 2));
      }
      out += fmt::format(" {:>19}", text);
    }
    out += "\n";
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
    std::string row =
        fmt::format("  {:<{}} {:>8}  {:<18}  ", rank_name(rank), kNameWidth, number(rank.share),
                    rank.interval.low == rank.interval.high
                        ? "exact"
                        : fmt::format("{} to {}", number(rank.interval.low), number(rank.interval.high)));
    const auto cells = static_cast<std::size_t>(std::lround(rank.share / top * static_cast<double>(room)));
    for (std::size_t i = 0; i < cells; ++i) row += "█";
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + "\n";
  }
  return out;
}

Json bounds_json(const Bounds& bounds) {
  return Json::array({bounds.low, bounds.high});
}

Json figure_json(const Figure& figure) {
  Json out;
  out["kind"] = figure_kind_name(figure.kind);
  if (figure.kind != FigureKind::unavailable) {
    out["value"] = figure.value ? Json(*figure.value) : Json(nullptr);
    out["interval"] = bounds_json(figure.interval);
    if (figure.bracket) out["bracket"] = bounds_json(*figure.bracket);
  }
  out["meaning"] = figure.meaning;
  return out;
}

}  // namespace

std::string measure_text(const MeasureSubject& subject, std::size_t width) {
  const Measurement& measurement = subject.measurement;
  std::string out = header_rows(subject, width);
  out += "\n" + figure_rows(measurement.overall(), width);
  if (measurement.bands.size() > 1) {
    out += "\nby frequency (each band has a third of the tokens under the model's rank prior)\n" +
           band_rows(measurement);
  }
  if (!measurement.overall().ranks.empty()) {
    out +=
        "\nrank of the output among the neighbours of the input\n" + rank_rows(measurement.overall(), width);
  }
  return out;
}

Json measure_json(const MeasureSubject& subject) {
  const Model& model = subject.chosen.mechanism.space->model();
  Json answer = start_answer("sotto.measure/1");
  answer["mechanism"] = subject.chosen.mechanism.info->name;
  answer["parameters"] = subject.chosen.mechanism.parameters.texts();
  answer["metric"] = metric_name(subject.chosen.mechanism.space->metric());
  answer["model"] = {{"name", model.origin().name}, {"identity", model.identity()}};
  answer["nominal_epsilon"] = subject.chosen.mechanism.claim.epsilon;
  const auto& certificate = subject.chosen.certificate;
  answer["certified_epsilon"] = certificate ? Json(certificate->realised_epsilon) : Json(nullptr);
  answer["status"] = status_name(subject.chosen.mechanism.claim.status);
  const Prior& prior = subject.request.prior;
  answer["prior"] = {{"description", prior.description},
                     {"words", prior.support.size()},
                     {"entries", prior.entries},
                     {"unknown", prior.unknown}};
  if (subject.request.labels) {
    const Labels& labels = *subject.request.labels;
    answer["labels"] = {{"names", labels.names},         {"words", labels.labelled},
                        {"entries", labels.entries},     {"unknown", labels.unknown},
                        {"conflicts", labels.conflicts}, {"latin1_lines", labels.latin1_lines}};
  }
  answer["closed_law"] = subject.measurement.closed_law;
  if (subject.measurement.draws > 0) answer["draws"] = subject.measurement.draws;
  if (subject.request.seed_not_private) answer["seeded"] = true;
  answer["bands"] = Json::array();
  for (const BandMeasurement& band : subject.measurement.bands) {
    Json row = {
        {"name", band.name}, {"words", band.words}, {"prior", band.prior}, {"figures", Json::object()}};
    for (const Figure& figure : band.figures) row["figures"][figure.name] = figure_json(figure);
    row["ranks"] = Json::array();
    for (const RankShare& rank : band.ranks) {
      row["ranks"].push_back({{"first", rank.first},
                              {"last", rank.last},
                              {"share", rank.share},
                              {"interval", bounds_json(rank.interval)}});
    }
    answer["bands"].push_back(std::move(row));
  }
  return answer;
}

std::string measure_csv(const Measurement& measurement) {
  std::string out = "band,figure,kind,value,low,high,bracket_low,bracket_high\n";
  for (const BandMeasurement& band : measurement.bands) {
    for (const Figure& figure : band.figures) {
      const bool known = figure.kind != FigureKind::unavailable;
      const auto cell = [&](bool there, double value) { return there ? number_text(value) : std::string(); };
      out += fmt::format("{},{},{},{},{},{},{},{}\n", band.name, figure.name, figure_kind_name(figure.kind),
                         cell(figure.value.has_value(), figure.value.value_or(0)),
                         cell(known, figure.interval.low), cell(known, figure.interval.high),
                         cell(figure.bracket.has_value(), figure.bracket.value_or(Bounds{}).low),
                         cell(figure.bracket.has_value(), figure.bracket.value_or(Bounds{}).high));
    }
    for (const RankShare& rank : band.ranks) {
      out +=
          fmt::format("{},rank_{}_{},{},{},{},{},,\n", band.name, rank.first, rank.last,
                      rank.interval.low == rank.interval.high ? "exact" : "sampled", number_text(rank.share),
                      number_text(rank.interval.low), number_text(rank.interval.high));
    }
  }
  return out;
}

}  // namespace sotto::cli
