#include "sotto/measure.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace sotto::api {
namespace {

Json measured_band_json(const BandMeasurement& band) {
  Json out = {{"name", band.name}, {"words", band.words}, {"prior", band.prior}, {"figures", Json::object()}};
  for (const Quantity& quantity : band.quantities) out["figures"][quantity.name] = to_json(quantity);
  out["ranks"] = Json::array();
  for (const RankShare& rank : band.ranks) {
    out["ranks"].push_back({{"first", rank.first},
                            {"last", rank.last},
                            {"share", rank.share},
                            {"interval", Json::array({rank.interval.low, rank.interval.high})}});
  }
  return out;
}

}  // namespace

void check(const MeasureRequest& request) {
  refuse_above("copies", request.copies, kMostCopies);
  refuse_above("draws", request.draws, kMostDraws);
}

MeasureAnswer measure(const MeasureRequest& request, const Work& work) {
  check(request);
  if (request.setting.info->build_vectors != nullptr) {
    const VectorInput input{
        .model = request.model, .domain = VectorInput::Domain::words, .dim = request.model->dim()};
    return measure(CertifiedMechanism{.mechanism = build_vector_mechanism(request.setting, input)}, request,
                   work);
  }
  return measure(build_mechanism(request.setting, request.model, work.at("calibrating")), request, work);
}

MeasureAnswer measure(CertifiedMechanism built, const MeasureRequest& request, const Work& work) {
  check(request);
  if (built.mechanism.vectors && !built.mechanism.space) {
    built.mechanism.space = Space::make(request.model, Metric::euclidean);
  }
  Adversary adversary = resolve(request.adversary, built.mechanism.space->shared_model());
  MeasureAnswer answer{.built = std::move(built),
                       .prior = summary_of(adversary.prior),
                       .labels = summary_of(adversary.labels),
                       .bands = request.bands,
                       .seeded = request.seed_not_private.has_value()};
  const MeasureQuestion question{
      .prior = std::move(adversary.prior),
      .labels = std::move(adversary.labels),
      .copies = request.copies,
      .draws = request.draws,
      .method = request.by_draws ? MeasureQuestion::Method::samples : MeasureQuestion::Method::best,
      .bands = request.bands,
      .seed_not_private = request.seed_not_private};
  answer.measurement = sotto::measure(answer.built.mechanism, question, work.at("measuring"));
  return answer;
}

std::vector<MeasureAnswer::Copies> MeasureAnswer::averaging() const {
  constexpr std::string_view kCopies = "e_opt_copies_";
  std::vector<Copies> out;
  for (const Quantity& quantity : measurement.overall().quantities) {
    if (!quantity.name.starts_with(kCopies) || !quantity.value) continue;
    out.push_back({.releases = std::stoul(quantity.name.substr(kCopies.size())), .error = &quantity});
  }
  return out;
}

std::string MeasureAnswer::bands_text() const {
  return bands == BandsBy::density
             ? "by local density (each band has a fifth of the words, by the distance to their 10th nearest "
               "word)"
             : "by frequency (each band has a third of the tokens under the model's rank prior)";
}

Json to_json(const MeasureAnswer& answer) {
  const Mechanism& mechanism = answer.built.mechanism;
  const auto& certificate = answer.built.certificate;
  Json out = start_answer("sotto.measure/1");
  out["mechanism"] = mechanism.info->name;
  out["parameters"] = mechanism.parameters.texts();
  out["metric"] = metric_name(mechanism.space->metric());
  out["model"] = model_json(mechanism.space->model());
  out["nominal_epsilon"] = finite_or_null(mechanism.claim.epsilon);
  out["certified_epsilon"] = certificate ? finite_or_null(certificate->realised_epsilon) : Json(nullptr);
  out["status"] = status_name(mechanism.claim.status);
  out["prior"] = to_json(answer.prior);
  if (answer.labels) out["labels"] = to_json(*answer.labels);
  out["closed_law"] = answer.measurement.closed_law;
  if (answer.measurement.draws > 0) out["draws"] = answer.measurement.draws;
  if (answer.seeded) out["seeded"] = true;
  out["bands_by"] = bands_name(answer.bands);
  out["bands"] = Json::array();
  for (const BandMeasurement& band : answer.measurement.bands)
    out["bands"].push_back(measured_band_json(band));
  return out;
}

std::string to_csv(const MeasureAnswer& answer) {
  const auto cell = [](bool there, double value) { return there ? number_text(value) : std::string(); };
  std::string out = "band,figure,kind,value,low,high,bracket_low,bracket_high\n";
  for (const BandMeasurement& band : answer.measurement.bands) {
    for (const Quantity& quantity : band.quantities) {
      const bool known = quantity.kind != QuantityKind::unavailable;
      const Bounds bracket = quantity.bracket.value_or(Bounds{});
      out += fmt::format(
          "{},{},{},{},{},{},{},{}\n", band.name, quantity.name, quantity_kind_name(quantity.kind),
          cell(quantity.value.has_value(), quantity.value.value_or(0)), cell(known, quantity.interval.low),
          cell(known, quantity.interval.high), cell(quantity.bracket.has_value(), bracket.low),
          cell(quantity.bracket.has_value(), bracket.high));
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

}  // namespace sotto::api
