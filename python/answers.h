#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "measure/measurement.h"
#include "sotto/certificate.h"
#include "sotto/mechanism.h"
#include "texts.h"
#include "tune/tune.h"

// What the engine answers, as dicts with the keys of the program's --json answers; sotto/_answers.py gives
// them names.
namespace sotto::python {

namespace nb = nanobind;

inline nb::object or_none(const std::optional<double>& value) {
  return value ? nb::object(nb::float_(*value)) : nb::none();
}

// JSON has no infinity: None.
inline nb::object finite(double value) {
  return std::isfinite(value) ? nb::object(nb::float_(value)) : nb::none();
}

// `model`: may be null, for a mechanism of free vectors.
inline nb::dict dict_of(const PairLoss& pair, const Model* model) {
  const auto word = [&](WordId id) {
    return model != nullptr && index_of(id) < model->size() ? str_of(model->word(id)) : str_of("");
  };
  nb::dict out;
  out["first"] = word(pair.first);
  out["second"] = word(pair.second);
  out["distance"] = pair.distance;
  out["loss"] = finite(pair.loss);
  out["epsilon"] = finite(pair.epsilon);
  return out;
}

inline nb::dict dict_of(const Certificate& certificate, const Model* model) {
  const auto rows = [&](const std::vector<PairLoss>& pairs) {
    nb::list out;
    for (const PairLoss& pair : pairs) out.append(dict_of(pair, model));
    return out;
  };
  nb::dict out;
  out["certified_epsilon"] = finite(certificate.realised_epsilon);
  out["additive_loss"] = certificate.additive_loss;
  out["largest_word_loss"] = finite(certificate.largest_loss);
  out["worst_pair"] = certificate.worst_pairs.empty()
                          ? nb::none()
                          : nb::object(dict_of(certificate.worst_pairs.front(), model));
  out["worst_pairs"] = rows(certificate.worst_pairs);
  out["distance_bands"] = rows(certificate.bands);
  out["smallest_distance"] = certificate.smallest_distance;
  out["largest_distance"] = certificate.largest_distance;
  out["median_nearest_distance"] = certificate.median_nearest;
  out["mean_unchanged"] = or_none(certificate.mean_unchanged);
  return out;
}

inline nb::tuple pair_of(const Bounds& bounds) {
  return nb::make_tuple(bounds.low, bounds.high);
}

inline nb::dict dict_of(const Figure& figure) {
  const bool known = figure.kind != FigureKind::unavailable;
  nb::dict out;
  out["kind"] = str_of(figure_kind_name(figure.kind));
  out["value"] = or_none(figure.value);
  out["interval"] = known ? nb::object(pair_of(figure.interval)) : nb::none();
  out["bracket"] = figure.bracket ? nb::object(pair_of(*figure.bracket)) : nb::none();
  out["meaning"] = str_of(figure.meaning);
  return out;
}

inline nb::dict dict_of(const std::vector<Figure>& figures) {
  nb::dict out;
  for (const Figure& figure : figures) out[str_of(figure.name)] = dict_of(figure);
  return out;
}

inline nb::dict dict_of(const Prior& prior) {
  nb::dict out;
  out["description"] = str_of(prior.description);
  out["words"] = prior.support.size();
  out["entries"] = prior.entries;
  out["unknown"] = prior.unknown;
  out["constant_guess"] = prior.constant_guess();
  return out;
}

inline nb::dict dict_of(const Measurement& measurement, const Prior& prior) {
  nb::list bands;
  for (const BandMeasurement& band : measurement.bands) {
    nb::list ranks;
    for (const RankShare& rank : band.ranks) {
      nb::dict row;
      row["first"] = rank.first;
      row["last"] = rank.last;
      row["share"] = rank.share;
      row["interval"] = pair_of(rank.interval);
      ranks.append(row);
    }
    nb::dict row;
    row["name"] = str_of(band.name);
    row["words"] = band.words;
    row["prior"] = band.prior;
    row["figures"] = dict_of(band.figures);
    row["ranks"] = ranks;
    bands.append(row);
  }
  nb::dict out;
  out["closed_law"] = measurement.closed_law;
  out["draws"] = measurement.draws;
  out["prior"] = dict_of(prior);
  out["bands"] = bands;
  return out;
}

inline nb::dict dict_of(const TunePoint& point) {
  nb::dict out;
  out["mechanism"] = str_of(point.candidate.mechanism);
  out["parameters"] = dict_of(point.candidate.parameters);
  out["family"] = str_of(point.candidate.family());
  out["status"] = str_of(status_name(point.status));
  out["strength"] = str_of(strength_name(point.strength()));
  out["nominal_epsilon"] = point.nominal_epsilon;
  out["certified_epsilon"] = or_none(point.certified_epsilon);
  out["certified_by"] = str_of(point.certified_by);
  out["metric"] = str_of(point.metric);
  out["draws"] = point.draws;
  out["stopped_early"] = point.stopped_early;
  out["figures"] = dict_of(point.figures);
  return out;
}

inline nb::dict dict_of(const TuneResult& answer, const TuneQuestion& question,
                        const Constraints& constraints) {
  nb::list points;
  for (std::size_t i = 0; i < answer.points.size(); ++i) {
    nb::dict point = dict_of(answer.points[i]);
    point["on_frontier"] = std::ranges::find(answer.frontier, i) != answer.frontier.end();
    points.append(point);
  }
  const auto chosen = [&](const std::optional<std::size_t>& index) {
    return index ? nb::object(points[*index]) : nb::none();
  };
  nb::list better;
  if (const auto best = answer.choice.recommended) {
    for (const std::size_t index : undecided(answer.points, *best, question.loss, constraints)) {
      better.append(points[index]);
    }
  }
  nb::list skipped;
  for (const SkippedCandidate& one : answer.skipped) {
    nb::dict row;
    row["mechanism"] = str_of(one.candidate.mechanism);
    row["parameters"] = dict_of(one.candidate.parameters);
    row["reason"] = str_of(one.reason);
    skipped.append(row);
  }
  nb::dict loss;
  loss["name"] = str_of(loss_name(question.loss));
  loss["meaning"] = str_of(loss_meaning(question.loss));
  nb::dict out;
  out["prior"] = dict_of(question.prior);
  out["loss"] = loss;
  out["recommended"] = chosen(answer.choice.recommended);
  out["nearest"] = chosen(answer.choice.nearest);
  out["may_be_better"] = better;
  out["skipped"] = skipped;
  out["points"] = points;
  return out;
}

}  // namespace sotto::python
