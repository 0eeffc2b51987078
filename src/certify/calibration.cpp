#include "certify/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "certify/flat_weights.h"
#include "certify/witnesses.h"
#include "mechanisms/calibrations.h"
#include "neighbours/kept_extremes.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr double kStep = 0.99;

// No slope above epsilon passes unless all words lie further apart than gamma: the loss slope * gamma of the
// nearest pair is then divided by D0. One near pair settles the usual case.
double steepest(const AllPairs& pairs, const CalibrationRequest& request) {
  const Space& space = pairs.space();
  std::vector<double> row(space.size());
  space.distances_from(pairs.word(0), row);
  const bool near =
      std::any_of(row.begin(), row.end(), [&](double d) { return d > 0 && d <= request.gamma; });
  if (near) return request.epsilon;
  const double smallest = kept_extremes(space, 0).smallest;
  constexpr double kSteepest = 1e300;  // twice the slope stays in the range of a double
  const double top = std::min(request.epsilon * std::max(1.0, smallest / request.gamma), kSteepest);
  // A slope times the absolute error of a distance is an additive loss, and must stay small.
  constexpr double kMostRounding = 1e-7;
  const double absolute = space.distance_error().absolute;
  return absolute > 0 ? std::min(top, std::max(request.epsilon, kMostRounding / absolute)) : top;
}

class ExactScan {
 public:
  ExactScan(const AllPairs& pairs, const CalibrationRequest& request, const Work& work)
      : pairs_(pairs), request_(request), work_(work), witnesses_(pairs, request.gamma) {
    witnesses_.add(request.state.witnesses);
  }

  CalibratedLaw run() {
    const double least = request_.epsilon / 2;
    const double top = steepest(pairs_, request_);
    if (top > request_.epsilon) return search_below(top);
    double slope = request_.state.slope > 0 ? std::min(request_.state.slope, top) : top;
    double failed = 0;
    while (slope > least) {
      if (passes(slope)) return failed > 0 ? refine(slope, failed) : std::move(last_);
      failed = slope;
      slope *= kStep;
      if (request_.checkpoint) save(slope);
    }
    return proven();
  }

 private:
  [[nodiscard]] bool ruled_out(double slope) const {
    return witnesses_.realised_epsilon(slope) > request_.epsilon;
  }
  void save(double next) const {
    CalibrationState state;
    state.slope = next;
    state.witnesses = witnesses_.pairs();
    request_.checkpoint(state);
  }
  // Leaves the certificate in last_.
  bool passes(double slope) {
    if (ruled_out(slope)) return false;
    ++full_;
    last_.law = {.slope = slope, .gamma = usable_gamma(request_.gamma, slope), .base_weights = {}};
    last_.certified =
        certify_tem(pairs_, last_.law, named(work_, fmt::format("tiles, certificate {}", full_)));
    witnesses_.add(last_.certified.certificate);
    return last_.certified.certificate.realised_epsilon <= request_.epsilon;
  }

  // By the theorem the certificate of this slope is epsilon at most.
  CalibratedLaw proven() {
    if (!passes(request_.epsilon / 2)) throw Error(ErrorCode::internal, "no slope keeps to its theorem");
    return std::move(last_);
  }

  // All words lie further apart than gamma: their weights differ by the number of words of each row only, and
  // losses grow with the slope. `top` may be any number of times epsilon, so that steps of 1% would be many.
  CalibratedLaw search_below(double top) {
    const double slope = top * (1 - 1e-12);
    if (passes(slope)) return std::move(last_);
    last_ = proven();
    return refine(request_.epsilon / 2, slope);
  }

  // The largest passing slope between one that passes and one that does not, taking the certificate for
  // monotone in between (1%).
  CalibratedLaw refine(double passing, double failing) {
    constexpr std::size_t kMostCertificates = 20;
    CalibratedLaw best = std::move(last_);
    for (std::size_t i = 0; i < kMostCertificates; ++i) {
      double low = passing;
      double high = failing;
      while (high - low > 1e-13 * high) {
        const double middle = high > 4 * low ? std::sqrt(low) * std::sqrt(high) : (low + high) / 2;
        (ruled_out(middle) ? high : low) = middle;
      }
      // A hair less, since the passes and the witnesses round differently.
      const double slope = std::max(passing, low * (1 - 1e-12));
      if (slope <= passing * (1 + 1e-9)) break;
      if (passes(slope)) return std::move(last_);
      failing = slope;
    }
    return best;
  }

  const AllPairs& pairs_;
  const CalibrationRequest& request_;
  const Work& work_;
  Witnesses witnesses_;
  CalibratedLaw last_;
  std::size_t full_ = 0;
};

// Words that share a row are equally likely within it.
std::vector<double> word_weights(const AllPairs& pairs, const std::vector<double>& rows) {
  std::vector<double> weights(pairs.space().size());
  for (std::size_t w = 0; w < weights.size(); ++w) {
    const std::size_t row = pairs.row(word_id(w));
    weights[w] = rows[row] / pairs.multiplicities()[row];
  }
  return weights;
}

// The certificate is not monotone in the slope here either, and each slope takes many passes: steps down that
// double until one passes, then the last step by regula falsi. If the normalisers can be made equal, the
// first slope is all but the answer.
class FlatSearch {
 public:
  FlatSearch(const AllPairs& pairs, const CalibrationRequest& request, const Work& work)
      : pairs_(pairs), request_(request), work_(work), top_(steepest(pairs, request)), state_(request.state) {
    if (state_.weights.size() != pairs.rows()) state_ = {};
    state_.slope = state_.slope > 0 ? std::min(state_.slope, top_) : top_;
    if (pairs.rows() > kSmall && pairs.rough_bytes() <= kMostMemory) {
      // No slope is below epsilon / 2, so that this is the largest gamma of all laws that are tried.
      const double reach =
          std::min(pairs.space().diameter_bound(), usable_gamma(request.gamma, request.epsilon / 2));
      rough_ = pairs.rough_distances(reach, named(work, "tiles, distances"));
      floats_ = FloatPairs::make(pairs);
    }
  }

  CalibratedLaw run() {
    constexpr std::size_t kMostSlopes = 16;
    for (std::size_t i = 0; i < kMostSlopes || best_.law.slope == 0; ++i) {
      // Where every law passes by the theorem: 2 * slope bounds every certificate.
      if (i >= kMostSlopes) state_.slope = request_.epsilon / 2;
      if (i > kMostSlopes) throw Error(ErrorCode::internal, "no slope keeps to its theorem");
      const Point now{.slope = state_.slope, .excess = certify_at(state_.slope) / request_.epsilon - 1};
      if (now.excess <= 0 && now.excess >= -near_enough()) break;
      const double next = next_slope(now);
      if (best_.law.slope > 0 && next <= best_.law.slope * (1 + near_enough() / 2)) break;
      state_.slope = next;
      if (request_.checkpoint) request_.checkpoint(state_);
    }
    return std::move(best_);
  }

 private:
  static constexpr std::size_t kSmall = 4000;  // rows up to which exact passes take no time
  static constexpr std::size_t kMostMemory = std::size_t{6} << 30;  // 113,000 rows

  struct Point {
    double slope = 0;   // 0: none
    double excess = 0;  // of the certificate over epsilon, relatively
  };

  // How far below epsilon the certificate may stay, relatively.
  [[nodiscard]] double near_enough() const { return held_ == 0 ? 1e-9 : 1e-3; }
  // Digits of the weights are worth their passes once the slope is about right.
  [[nodiscard]] double tolerance() const {
    if (!is_near_) return 1e-3;
    return held_ == 0 ? 1e-11 : 2e-5;
  }

  double certify_at(double slope) {
    const AllPairs::Kernel kernel{.slope = slope, .gamma = usable_gamma(request_.gamma, slope)};
    FlatRequest flat{.kernel = kernel, .start = state_.weights, .tolerance = tolerance()};
    flat.checkpoint = [&](const std::vector<double>& weights) {
      state_.weights = weights;
      if (request_.checkpoint) request_.checkpoint(state_);
    };
    // Rough passes find what is to be held and about which slope fits; equal normalisers take exact ones.
    const bool is_exact = rough_.empty() || (is_near_ && held_ == 0);
    if (!is_exact) flat.rough = &rough_;
    if (is_near_ && floats_) flat.floats = &*floats_;
    was_fine_ = is_near_;
    FlatWeights found = flat_weights(pairs_, flat, work_);
    state_.weights = found.weights;
    held_ = found.held;
    CalibratedLaw law;
    law.law = {.slope = slope, .gamma = kernel.gamma, .base_weights = word_weights(pairs_, found.weights)};
    law.certified =
        certify_tem(pairs_, law.law, named(work_, "tiles, certificate"), std::move(found.float_sums));
    const double realised = law.certified.certificate.realised_epsilon;
    if (realised <= request_.epsilon && slope > best_.law.slope) best_ = std::move(law);
    return realised;
  }

  double next_slope(const Point& now) {
    (now.excess <= 0 ? passing_ : failing_) = now;
    if (held_ == 0 && now.excess > 0 && now.excess < 0.05) {
      // Flat but for the digits of the weights: the same again with more of them, then a hair less.
      is_near_ = true;
      return was_fine_ ? now.slope / (1 + now.excess) * (1 - 1e-12) : now.slope;
    }
    if (passing_.slope == 0) {
      step_ = std::max(step_, 1.5 * now.excess);
      const double down = now.slope * (1 - step_);
      step_ = std::min(1.5 * step_, 0.2);
      return std::max(down, request_.epsilon / 2);
    }
    is_near_ = true;
    if (failing_.slope == 0) return std::min(top_, now.slope / std::max(1 + now.excess, 1e-3));
    // A little below the zero of the line, and never at its ends.
    const double width = failing_.slope - passing_.slope;
    const double share = (-near_enough() / 4 - passing_.excess) / (failing_.excess - passing_.excess);
    return passing_.slope + std::clamp(share, 0.05, 0.9) * width;
  }

  const AllPairs& pairs_;
  const CalibrationRequest& request_;
  const Work& work_;
  double top_;  // no slope above it passes
  CalibrationState state_;
  AllPairs::RoughDistances rough_;
  std::optional<FloatPairs> floats_;
  std::size_t held_ = 0;  // rows at the floor: then the normalisers cannot be made equal
  bool is_near_ = false;
  bool was_fine_ = false;
  double step_ = 0.05;
  Point passing_;
  Point failing_;
  CalibratedLaw best_;
};

// One search for each row of kCalibrations (mechanisms/calibrations.h); null: the theorem's law, no search.
using SearchFunction = CalibratedLaw (*)(const AllPairs& pairs, const CalibrationRequest& request,
                                         const Work& work);
template <typename T>
CalibratedLaw search(const AllPairs& pairs, const CalibrationRequest& request, const Work& work) {
  return T(pairs, request, work).run();
}
constexpr auto kSearches = std::to_array<SearchFunction>({
    nullptr,
    search<ExactScan>,
    search<FlatSearch>,
});
static_assert(kSearches.size() == kCalibrations.size());

}  // namespace

bool is_searched(Calibration calibration) {
  return kSearches.at(static_cast<std::size_t>(calibration)) != nullptr;
}

CalibratedLaw calibrate(const AllPairs& pairs, const CalibrationRequest& request, const Work& work) {
  // Beyond, products with distances leave the range of a double, and a step of 1% may change nothing.
  if (!(request.epsilon >= 1e-100 && request.epsilon <= 1e100)) {
    throw Error(ErrorCode::usage, "`calibration` exact and flat take an `epsilon` from 1e-100 to 1e100");
  }
  if (pairs.rows() < 2) {  // any slope is right, as no distance is above 0
    CalibratedLaw law;
    law.law = {
        .slope = request.epsilon, .gamma = usable_gamma(request.gamma, request.epsilon), .base_weights = {}};
    const bool has_weights = kCalibrations.at(static_cast<std::size_t>(request.calibration)).has_weights;
    if (has_weights) law.law.base_weights.assign(pairs.space().size(), 1.0);
    law.certified = certify_tem(pairs, law.law, work);
    return law;
  }
  return kSearches.at(static_cast<std::size_t>(request.calibration))(pairs, request, work);
}

}  // namespace sotto
