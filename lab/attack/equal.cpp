#include "lab/attack/equal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/level_search.h"
#include "sotto/certificate.h"
#include "sotto/error.h"
#include "sotto/extremes.h"
#include "sotto/measurement.h"

namespace sotto::lab::attack {

namespace {

// An epsilon is good enough if the middle of the bracket of E_opt lies this close to the level.
constexpr double kTolerance = 0.004;

struct Measured {
  double epsilon = 0;
  double error = 0;  // the middle of the bracket
  Bounds interval = {};
  double changed = 0;
};

// The word counts of the public texts.
Prior prior_of(const Model& model, const LanguageModel& lm) {
  Prior out{.weights = {lm.unigram.begin(), lm.unigram.end()},
            .support = {},
            .description = "word counts of the public texts"};
  double total = 0;
  for (const double weight : out.weights) total += weight;
  for (std::size_t w = 0; w < model.size(); ++w) {
    out.weights[w] /= total;
    if (out.weights[w] > 0) out.support.push_back(word_id(w));
  }
  return out;
}

const Quantity& quantity(const Measurement& measurement, std::string_view name) {
  const Quantity* found = measurement.overall().find(name);
  if (found == nullptr) throw Error(ErrorCode::internal, fmt::format("`measure` has no {}", name));
  return *found;
}

// E_opt of one rival by ln(epsilon - floor).
class ErrorCurve {
 public:
  ErrorCurve(const Run& run, const Settings& settings, const Rival& rival, const Prior& prior)
      : run_(run), settings_(settings), rival_(rival), prior_(prior) {
    if (rival.floor == Rival::Floor::closest_words) {
      const auto space = Space::make(run.model(), parse_metric("euclidean"));
      const double n = static_cast<double>(run.model()->size());
      floor_ = (5 + 2 * std::log(n)) / find_extremes(*space, run.threads()).smallest;
    }
  }

  LevelSearch<Measured> search() const {
    return {[this](double x) { return measured(x); },
            {.from = std::log(rival_.from), .to = std::log(rival_.to), .tolerance = kTolerance}};
  }

 private:
  [[nodiscard]] Measured measured(double x) const {
    // Rounded, so that the epsilon in the tables is the one that was used.
    const std::string epsilon = fmt::format("{:.6g}", floor_ + std::exp(x));
    ParameterTexts texts = rival_.parameters;
    texts["epsilon"] = epsilon;
    const Work work{.threads = run_.threads()};
    const CertifiedMechanism built = build_mechanism(rival_.mechanism, run_.model(), texts, work);
    const Measurement measurement =
        measure(built.mechanism,
                {.prior = prior_,
                 .copies = 0,
                 .draws = settings_.search_draws,
                 .method = MeasureQuestion::Method::samples,
                 .extent = MeasureQuestion::Extent::headline,
                 .seed_not_private = run_.seed_of({"search", rival_.mechanism, epsilon})},
                work);
    const Quantity& error = quantity(measurement, "e_opt");
    const Bounds ends = error.bracket.value_or(error.interval);
    return {.epsilon = std::stod(epsilon),
            .error = (ends.low + ends.high) / 2,
            .interval = error.interval,
            .changed = quantity(measurement, "loss_changed").value.value_or(std::nan(""))};
  }

  const Run& run_;
  const Settings& settings_;
  const Rival& rival_;
  const Prior& prior_;
  double floor_ = 0;
};

}  // namespace

void find_epsilons(const Run& run, const Settings& settings, const Corpus& corpus, Points& levels) {
  const Prior prior = prior_of(*run.model(), corpus.lm->model());
  for (const Rival& rival : settings.rivals) {
    std::optional<ErrorCurve> curve;
    std::optional<LevelSearch<Measured>> search;
    for (const double level : settings.levels) {
      const std::vector<std::string> keys = {corpus.name, rival.mechanism, number_text(level)};
      if (levels.find(keys)) continue;
      if (!curve) {
        curve.emplace(run, settings, rival, prior);
        search.emplace(curve->search());
      }
      const std::optional<Measured> found = search->find(level);
      const Measured& own = found ? *found : search->at_start();
      levels.add({.keys = keys,
                  .values = {found ? 1.0 : 0.0, own.epsilon, own.error, own.interval.low, own.interval.high,
                             own.changed, prior.constant_guess()}});
      tell(fmt::format("{}, {}: E_opt {} {} epsilon {}, E_opt {:.3f}", corpus.name, rival.mechanism, level,
                       found ? "at" : "not reached;", own.epsilon, own.error));
    }
  }
}

}  // namespace sotto::lab::attack
