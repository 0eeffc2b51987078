// tem: the Truncated Exponential Mechanism.
//
// Paper: Carvalho, Vasiloudis, Feyisetan, Wang 2021/2023 ("TEM: high utility metric differential privacy on
// text"), Algorithms 2 and 3.
// Idea: the exponential mechanism over the vocabulary with distances cut at gamma, so that all words beyond
// gamma are equally likely: P(y|w) ~ c_y exp(-slope * min(d(w,y), gamma)); published: c = 1, slope =
// epsilon/2. The paper's bottom element groups the words beyond gamma; it does not change the law, and this
// sampler has no need of it. Guarantee: epsilon * min(d, gamma) for any true metric d. By the triangle
// inequality a row's weight and its normaliser each change by at most exp(slope * min(d(w,w'), gamma)) in
// opposite directions. Caveat: the factor 2 is only an upper bound; the certificate says what the vocabulary
// really loses, and the calibrations `exact` and `flat` (certify/calibration.h) spend what it leaves.
//
// Drawing from it, in a fraction of a microsecond, is in tem_sampler.cpp.
#include "mechanisms/tem/tem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/bound_text.h"
#include "mechanisms/rows.h"
#include "mechanisms/tem/tem_sampler.h"
#include "sotto/error.h"

namespace sotto {
namespace {

// The sum is kept in long double, so that only the error of each exponential counts.
double log_sum_exp(std::span<const double> logs) {
  const double largest = *std::max_element(logs.begin(), logs.end());
  long double sum = 0;
  for (const double value : logs) sum += std::exp(value - largest);
  return largest + std::log(static_cast<double>(sum));
}

}  // namespace

double usable_gamma(double gamma, double slope) {
  constexpr double kLargestExponent = 700;  // exp(-700) is still a normal double
  return std::min(gamma, kLargestExponent / slope);
}

Tem::Tem(std::shared_ptr<const Space> space, ExponentialLaw law)
    : space_(std::move(space)), law_(std::move(law)) {
  law_.gamma = usable_gamma(law_.gamma, law_.slope);
}

Tem::~Tem() = default;

double Tem::log_weight(WordId output, double distance) const {
  const double exponent = -law_.slope * std::min(distance, law_.gamma);
  return law_.base_weights.empty() ? exponent : exponent + std::log(law_.base_weights[index_of(output)]);
}

std::vector<double> Tem::log_weights(WordId word) const {
  std::vector<double> weights(space_->size());
  space_->distances_from(word, weights);
  for (std::size_t y = 0; y < weights.size(); ++y) weights[y] = log_weight(word_id(y), weights[y]);
  return weights;
}

double Tem::log_partition(WordId word) const {
  return log_sum_exp(log_weights(word));
}

std::optional<std::vector<double>> Tem::log_law(WordId word) const {
  std::vector<double> law = log_weights(word);
  const double partition = log_sum_exp(law);
  for (double& value : law) value -= partition;
  return law;
}

// Each weight is an exponential of a rounded product (|x| 2^-53 + 1 ulp), an item's share loses at most the
// number of items times 2^-53 by summing smallest first, and a draw from a cluster multiplies two such
// factors. Base weights are summed in word order: a small one may lose as much as their total has units in
// its place. The error h of a distance changes a weight and the normaliser by exp(slope * h) each.
double Tem::rounding_bound(const Space& space, const ExponentialLaw& law) {
  if (space.has_one_row()) return 0;
  const double cut = std::min(space.diameter_bound(), usable_gamma(law.gamma, law.slope));
  double units = static_cast<double>(TemRow::kMostItems) + 16 + 8 * (law.slope * cut);
  if (!law.base_weights.empty()) {
    const auto& c = law.base_weights;
    units += std::accumulate(c.begin(), c.end(), 0.0) / *std::min_element(c.begin(), c.end());
  }
  const double distances = law.slope * (2 * std::min(space.distance_error().at(cut), cut));
  return std::ldexp(units, -52) + distances;
}

void Tem::sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const {
  std::call_once(sampler_made_, [&] { sampler_ = std::make_unique<const Sampler>(space_, law_); });
  sampler_->sample_batch(in, out, rng);
}

namespace {

double derived_gamma(double epsilon, const Parameters& parameters, std::size_t words) {
  if (parameters.has("gamma")) return parameters.number("gamma");
  const double beta = parameters.number("beta");
  const double gamma = 2 / epsilon * std::log((1 - beta) * static_cast<double>(words - 1) / beta);
  if (gamma > 0) return gamma;
  throw Error(
      ErrorCode::usage,
      fmt::format(
          "`beta` {} gives a truncation distance gamma of {} with {} words; it must be above 0: use a "
          "`beta` below {}, or give `gamma`",
          number_text(beta), number_text(gamma), words,
          number_text(static_cast<double>(words - 1) / static_cast<double>(words))));
}

}  // namespace

LawRequest read_tem(const Model& model, Metric metric, const Parameters& parameters) {
  if (model.size() < 2) throw Error(ErrorCode::bad_data, "tem needs a model of at least 2 words");
  const double epsilon = parameters.number("epsilon");
  return {.metric = metric,
          .calibration = read_calibration(parameters),
          .epsilon = epsilon,
          .gamma = derived_gamma(epsilon, parameters, model.size())};
}

Mechanism build_tem(const std::shared_ptr<const Model>& model, const LawRequest& request) {
  if (request.calibration != Calibration::paper) {
    throw Error(ErrorCode::internal, "this calibration takes a certificate: build_mechanism finds it");
  }
  return build_tem(Space::make(model, request.metric), request,
                   {.slope = request.epsilon / 2, .gamma = request.gamma, .base_weights = {}}, std::nullopt);
}

namespace {

// What is promised per word, and what it is measured by.
std::string tem_guarantee(const Space& space, const LawRequest& request, const ExponentialLaw& law,
                          const std::optional<TemCertified>& certified) {
  const std::string metric = fmt::format("{} distance", metric_name(space.metric()));
  const std::string epsilon = number_text(request.epsilon);
  if (certified) {
    return per_word_guarantee(
        epsilon + " * d",
        fmt::format("{}, certified over all pairs of the model's {} words", metric, space.size()));
  }
  // Beyond the largest distance gamma has no effect, and the sentence need not speak of it.
  const bool is_cut = law.gamma < space.diameter_bound();
  return per_word_guarantee(
      is_cut ? fmt::format("{} * min(d, {})", epsilon, rounded_up(law.gamma)) : epsilon + " * d", metric);
}

std::string tem_caveat(const Space& space, const LawRequest& request, const ExponentialLaw& law) {
  if (!(law.gamma < request.gamma) || !(law.gamma < space.diameter_bound())) return {};
  return fmt::format(
      "gamma was lowered from {} to {}, because a double cannot hold the weights of words beyond it",
      number_text(request.gamma), number_text(law.gamma));
}

}  // namespace

Mechanism build_tem(const std::shared_ptr<const Space>& space, const LawRequest& request, ExponentialLaw law,
                    const std::optional<TemCertified>& certified) {
  auto tem = std::make_shared<Tem>(space, std::move(law));
  const double rounding = 2 * Tem::rounding_bound(*space, tem->law());
  const double bound =
      sum_up(product_up(request.epsilon, std::min(space->diameter_bound(), tem->law().gamma)), rounding);
  Mechanism mechanism{
      .space = space,
      .claim = {.status = Status::proven,
                .epsilon = request.epsilon,
                .guarantee = tem_guarantee(*space, request, tem->law(), certified),
                .caveat = tem_caveat(*space, request, tem->law()),
                .arithmetic =
                    space->has_one_row()
                        ? "sampling is exact; all words have the same law"
                        : fmt::format(
                              "rounding does not weaken this noticeably: sampling is exact, and all "
                              "rounding, that of distances included, adds at most {} to the loss of a "
                              "word",
                              rounded_up(rounding, 2)),
                .largest_word_loss = certified ? certified->largest_loss : bound,
                .by_certificate = certified.has_value()},
      .words = tem};
  if (certified) mechanism.facts.emplace_back("slope", number_text(tem->law().slope));
  return mechanism;
}

constinit const Parameter kGammaParameter = {
    .name = "gamma",
    .help = "distance beyond which all words are equally likely; if not given, it is derived from `beta`",
    .min = 0,
    .allows_infinity = true};
constinit const Parameter kBetaParameter = {
    .name = "beta",
    .help = "largest probability that the output lies beyond gamma; gamma is derived from it if not given",
    .default_text = "0.001",
    .min = 0,
    .max = 1,
    .includes_max = false};
namespace {

LawRequest law_request(const Model& model, const Parameters& parameters) {
  return read_tem(model, parse_metric(parameters.text("metric")), parameters);
}

Mechanism build(const std::shared_ptr<const Model>& model, const Parameters& parameters) {
  return build_tem(model, law_request(*model, parameters));
}

constexpr std::array<Preset, 1> kWholeVocabulary = {{{.parameter = "gamma", .value = "inf"}}};
constexpr std::array<Alias, 1> kAliases = {
    {{.name = "santext",
      .note = "the exponential mechanism over the whole vocabulary, Yue et al. 2021",
      .presets = kWholeVocabulary}}};
const std::array kParameters = {
    epsilon_parameter(
        "privacy loss per unit of distance; smaller is more private. As published, the probability of a "
        "word falls by a factor of exp(-epsilon/2) per unit of distance"),
    kGammaParameter,
    kBetaParameter,
    metric_parameter("the distance between words; epsilon is per unit of it"),
    kCalibrationParameter,
};

}  // namespace

const MechanismInfo kTem = {
    .name = "tem",
    .aliases = kAliases,
    .title = "Truncated Exponential Mechanism: near words are more likely",
    .paper = "Carvalho et al. 2021/2023 (TEM), Algorithms 2 and 3",
    .guarantee = "epsilon * min(d, gamma), for any true metric",
    .slope = "epsilon / 2; with `calibration` exact or flat, the steepest that the certificate allows",
    .status = Status::proven,
    .caveat = "the vectors count as public: text that they were trained on is not protected",
    .parameters = kParameters,
    .build = build,
    .law_request = law_request,
};

}  // namespace sotto
