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
// really loses.
//
// Sampling is exact rejection (mechanisms.md 4.3). A row is the word's head, its K nearest words with their
// exact weights, and one more item, the tail: the mass of ALL words times the largest weight that a word
// outside the head can have. An item is drawn; if it is the tail, a word is drawn from all words by c, and
// everything starts again if it is in the head (that weight is counted there already) or if it fails a coin
// of probability weight / envelope weight. Only distances of proposed words are computed.
#include "mechanisms/tem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/uniform.h"
#include "mechanisms/rows.h"
#include "neighbours/head.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kHeadLength = 256;
constexpr std::size_t kKeptRows =
    std::size_t{64} * 1024;               // about 200 MB; a later word's row is built for each draw
constexpr double kLargestExponent = 700;  // exp(-700) is still a normal double

// The sum is kept in long double, so that only the error of each exponential counts.
double log_sum_exp(std::span<const double> logs) {
  const double largest = *std::max_element(logs.begin(), logs.end());
  long double sum = 0;
  for (const double value : logs) sum += std::exp(value - largest);
  return largest + std::log(static_cast<double>(sum));
}

}  // namespace

// Items are the head from its far end to its near end, with the tail where its weight belongs.
struct Tem::Row {
  std::vector<WordId> head;   // nearest first, by (distance, index)
  double farthest = 0;        // distance of head.back()
  double nearest_tail = 0;    // smallest distance outside the head, at most gamma
  std::vector<double> sums;   // running sums of the items' weights, smallest weight first
  std::size_t tail_item = 0;  // which item is the tail; past the end if there is none

  [[nodiscard]] WordId word_of(std::size_t item) const {
    const std::size_t from_far = item > tail_item ? item - 1 : item;
    return head[head.size() - 1 - from_far];
  }
  // Without a search: the order of a head is total, and distances are the same to the bit each time.
  [[nodiscard]] bool has_in_head(WordId word, double distance) const {
    return distance < farthest || (distance == farthest && word <= head.back());
  }
};

Tem::Tem(std::shared_ptr<const Space> space, TemLaw law)
    : space_(std::move(space)), law_(std::move(law)), rows_(space_->size()) {
  // A smaller gamma is a TEM too, with the same guarantee; words at such a distance have probability below
  // n * exp(-700), but never 0, which would be an infinite loss.
  law_.gamma = std::min(law_.gamma, kLargestExponent / law_.slope);
  if (!law_.base_weights.empty()) {
    base_sums_.resize(law_.base_weights.size());
    std::partial_sum(law_.base_weights.begin(), law_.base_weights.end(), base_sums_.begin());
  }
}

Tem::~Tem() {
  for (std::atomic<const Row*>& row : rows_) delete row.load();
}

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
// number of items times 2^-53 by summing smallest first, and a tail draw multiplies two such factors. Base
// weights are summed in word order: a small one may lose as much as their total has units in its place.
double Tem::rounding_bound() const {
  const double exponent = law_.slope * std::min(space_->diameter_bound(), law_.gamma);
  double units = static_cast<double>(kHeadLength) + 16 + 8 * exponent;
  if (!base_sums_.empty()) {
    units += base_sums_.back() / *std::min_element(law_.base_weights.begin(), law_.base_weights.end());
  }
  return std::ldexp(units, -52);
}

std::unique_ptr<const Tem::Row> Tem::build_row(WordId word) const {
  thread_local std::vector<double> scratch;
  Head head = build_head(*space_, word, kHeadLength, scratch);
  const std::size_t length = head.words.size();
  auto row = std::make_unique<Row>();
  row->farthest = head.distances.back();
  row->nearest_tail = std::min(head.beyond, law_.gamma);

  std::vector<double>& weights = row->sums;
  weights.reserve(length + 1);
  for (std::size_t i = length; i-- > 0;) {
    weights.push_back(std::exp(log_weight(head.words[i], head.distances[i])));
  }
  row->tail_item = length + 1;
  if (length < space_->size()) {
    const double mass = base_sums_.empty() ? static_cast<double>(space_->size()) : base_sums_.back();
    const double tail = mass * std::exp(-law_.slope * row->nearest_tail);
    const auto place =
        std::find_if(weights.begin(), weights.end(), [&](double weight) { return weight > tail; });
    row->tail_item = static_cast<std::size_t>(place - weights.begin());
    weights.insert(place, tail);
  }
  std::partial_sum(weights.begin(), weights.end(), weights.begin());
  row->head = std::move(head.words);
  return row;
}

const Tem::Row& Tem::row_of(WordId word, std::unique_ptr<const Row>& temporary) const {
  std::atomic<const Row*>& slot = rows_[index_of(word)];
  if (const Row* row = slot.load(std::memory_order_acquire)) return *row;
  temporary = build_row(word);
  if (kept_rows_.fetch_add(1) >= kKeptRows) {
    kept_rows_.fetch_sub(1);
    return *temporary;
  }
  // Two threads may build the same row; both are the same, and the first one stays.
  const Row* expected = nullptr;
  if (slot.compare_exchange_strong(expected, temporary.get(), std::memory_order_acq_rel)) {
    return *temporary.release();
  }
  kept_rows_.fetch_sub(1);
  return *expected;
}

WordId Tem::draw(WordId word, const Row& row, Rng& rng) const {
  for (;;) {
    const std::size_t item = choose_by_sums(rng, row.sums);
    if (item != row.tail_item) return row.word_of(item);
    const WordId proposal =
        word_id(base_sums_.empty() ? uniform_below(rng, space_->size()) : choose_by_sums(rng, base_sums_));
    const double distance = space_->distance(word, proposal);
    if (row.has_in_head(proposal, distance)) continue;
    const double excess = std::min(distance, law_.gamma) - row.nearest_tail;
    if (bernoulli(rng, std::exp(-law_.slope * excess))) return proposal;
  }
}

void Tem::sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const {
  std::unique_ptr<const Row> temporary;
  for (std::size_t i = 0; i < in.size(); ++i) {
    out[i] = draw(in[i], row_of(in[i], temporary), rng);
  }
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
          "--beta {} gives a truncation distance gamma of {} with {} words; it must be above 0: use a "
          "--beta below {}, or give --gamma",
          number_text(beta), number_text(gamma), words,
          number_text(static_cast<double>(words - 1) / static_cast<double>(words))));
}

Mechanism build(const std::shared_ptr<const Model>& model, const Parameters& parameters) {
  if (model->size() < 2) throw Error(ErrorCode::bad_data, "tem needs a model of at least 2 words");
  const double epsilon = parameters.number("epsilon");
  std::shared_ptr<const Space> space = Space::make(model, parse_metric(parameters.text("metric")));
  const double gamma = derived_gamma(epsilon, parameters, model->size());
  auto tem = std::make_shared<Tem>(space, TemLaw{.slope = epsilon / 2, .gamma = gamma, .base_weights = {}});

  const double smallest = space->smallest_bound();
  // Beyond the largest distance gamma has no effect, and the sentence need not speak of it.
  const bool is_cut = tem->law().gamma < space->diameter_bound();
  Claim claim{
      .status = Status::proven,
      .epsilon = epsilon,
      .guarantee = per_word_guarantee(
          is_cut ? fmt::format("{} * min(d, {:.6g})", number_text(epsilon), tem->law().gamma)
                 : fmt::format("{} * d", number_text(epsilon)),
          fmt::format("{} distance", metric_name(space->metric()))),
      .caveat =
          is_cut && tem->law().gamma < gamma
              ? fmt::format(
                    "gamma was lowered from {} to {}: beyond it a weight would leave the range of a double",
                    number_text(gamma), number_text(tem->law().gamma))
              : "",
      .arithmetic = smallest > 0 ? fmt::format("exact sampling; pure with epsilon + {:.1e} for all rounding",
                                               2 * tem->rounding_bound() / smallest)
                                 : "exact sampling; all words share one row",
      .largest_word_loss = epsilon * std::min(space->diameter_bound(), tem->law().gamma)};
  return {.space = std::move(space), .claim = std::move(claim), .words = std::move(tem)};
}

constexpr std::array<std::string_view, 1> kCalibrations = {"paper"};
const std::array kParameters = {
    epsilon_parameter(
        "privacy loss per unit of distance; smaller is more private. The published choice: the law "
        "falls by exp(-epsilon/2) per unit of distance"),
    Parameter{.name = "gamma",
              .help = "distance beyond which all words are equally likely; default: derived from --beta",
              .min = 0,
              .allows_infinity = true},
    Parameter{
        .name = "beta",
        .help = "bound on the probability of a word beyond gamma, used to derive gamma when it is not given",
        .default_text = "0.001",
        .min = 0,
        .max = 1,
        .includes_max = false},
    Parameter{.name = "metric",
              .help = "the distance d between words; it gives epsilon its unit",
              .kind = Parameter::Kind::choice,
              .default_text = "euclidean",
              .choices = metric_names(),
              .refusals = metric_refusals()},
    Parameter{.name = "calibration",
              .help = "how the slope follows from epsilon; paper: epsilon / 2",
              .kind = Parameter::Kind::choice,
              .default_text = "paper",
              .choices = kCalibrations},
};

}  // namespace

const MechanismInfo kTem = {
    .name = "tem",
    .aliases = {},
    .title = "Truncated Exponential Mechanism",
    .paper = "Carvalho et al. 2021/2023 (TEM), Algorithms 2 and 3",
    .guarantee = "epsilon * min(d, gamma) for any true metric d",
    .slope = "epsilon / 2",
    .status = Status::proven,
    .caveat = "",
    .parameters = kParameters,
    .build = build,
};

}  // namespace sotto
