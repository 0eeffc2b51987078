#include "mechanisms/gumbel/gumbel_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/bound_text.h"
#include "core/uniform.h"
#include "neighbours/kept_extremes.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kHeadLength = 128;  // at n = 50,000 a K < n is beyond it once in 10^90 draws
constexpr std::size_t kKeptHeads =
    std::size_t{64} * 1024;                   // about 100 MB; a later word's is built for each draw
constexpr double kLeastProbability = 1e-300;  // still a normal double
constexpr std::size_t kNamedDuplicates = 5;

}  // namespace

CandidateCount::CandidateCount(std::size_t words, double mean) {
  std::vector<double> few;
  double p = std::exp(-mean);  // P(Poisson = 0)
  double all = p;
  for (std::size_t k = 1;; ++k) {
    p *= mean / static_cast<double>(k);
    const bool past_mode = static_cast<double>(k) > mean;
    if (k < words && !(past_mode && p < kLeastProbability)) {
      few.push_back(p);
    } else {
      all += p;
      if (past_mode && p <= all * 1e-20) break;
    }
  }
  log_few_.reserve(few.size());
  std::vector<std::pair<double, std::size_t>> weights = {{all, words}};
  for (std::size_t i = 0; i < few.size(); ++i) {
    log_few_.push_back(std::log(few[i]));
    weights.emplace_back(few[i], i + 1);
  }
  log_all_ = std::log(all);

  std::sort(weights.begin(), weights.end());
  double sum = 0;
  for (const auto& [weight, count] : weights) {
    sums_.push_back(sum += weight);
    counts_.push_back(count);
  }
}

std::size_t CandidateCount::draw(Rng& rng) const {
  return counts_[choose_by_sums(rng, sums_)];
}

Candidates::Candidates(std::shared_ptr<const Space> space)
    : space_(std::move(space)), heads_(space_->size()) {
  if (space_->merged_words() > 0) {
    throw Error(ErrorCode::internal, "candidates were asked in a space where words share rows");
  }
}

Candidates::~Candidates() {
  for (std::atomic<const Head*>& head : heads_) delete head.load();
}

const Head& Candidates::first(WordId word, std::size_t count, Scratch& scratch) const {
  if (count > kHeadLength) {
    scratch.head = build_head(*space_, word, count, scratch.row);
    return scratch.head;
  }
  std::atomic<const Head*>& slot = heads_[index_of(word)];
  if (const Head* head = slot.load(std::memory_order_acquire)) return *head;
  scratch.head = build_head(*space_, word, kHeadLength, scratch.row);
  if (kept_heads_.fetch_add(1) >= kKeptHeads) {
    kept_heads_.fetch_sub(1);
    return scratch.head;
  }
  auto kept = std::make_unique<const Head>(scratch.head);
  // Two threads may build the same head; both are the same, and the first one stays.
  const Head* expected = nullptr;
  if (slot.compare_exchange_strong(expected, kept.get(), std::memory_order_acq_rel)) return *kept.release();
  kept_heads_.fetch_sub(1);
  return *expected;
}

Head Candidates::all(WordId word) const {
  std::vector<double> row;
  return build_head(*space_, word, space_->size(), row);
}

Extremes extremes_of_distinct_words(const Space& space, std::string_view mechanism) {
  if (space.size() < 2) {
    throw Error(ErrorCode::bad_data, fmt::format("{} needs a model of at least 2 words", mechanism));
  }
  if (space.merged_words() > 0) {
    std::vector<std::string> names;
    for (const auto& [first, second] : shared_rows(space, kNamedDuplicates)) {
      names.push_back(
          fmt::format("\"{}\" (that of \"{}\")", space.model().word(second), space.model().word(first)));
    }
    const bool more = space.merged_words() > names.size();
    throw Error(
        ErrorCode::bad_data,
        fmt::format("{} needs words with different vectors, but {} of the model's {} words have the vector "
                    "of another{}: {}{}; import the model with a `vocabulary` that leaves "
                    "them out",
                    mechanism, space.merged_words(), space.size(),
                    space.is_directional() ? ", or its direction" : "", fmt::join(names, ", "),
                    more ? ", ..." : ""));
  }
  const Extremes extremes = kept_extremes(space, 0);
  // A tenth is left of the digits of D0, or its inverse means nothing.
  if (extremes.smallest > 10 * space.distance_error().at(extremes.smallest)) return extremes;
  const Model& model = space.model();
  throw Error(
      ErrorCode::bad_data,
      fmt::format(
          "{} divides by the smallest distance, and that of \"{}\" and \"{}\" is too small to be computed "
          "exactly; import the model with a `vocabulary` that leaves one of them out, or use "
          "tem, which has no such limit",
          mechanism, model.word(extremes.nearest.first), model.word(extremes.nearest.second)));
}

void require_usable_epsilon(const EpsilonRule& rule, double epsilon, const Space& space,
                            const Extremes& extremes) {
  if (rule.usable(epsilon)) return;
  // Upwards in units of the sixth digit, so that the number typed is the number that was tried.
  const double unit = std::pow(10, std::floor(std::log10(rule.bound)) - 5);
  std::string smallest;
  double steps = std::floor(rule.bound / unit);
  do {
    smallest = fmt::format("{:.6g}", steps * unit);
    steps += 1;
  } while (!rule.usable(parse_number("epsilon", smallest, Infinity::refused)));
  const Model& model = space.model();
  throw Error(
      ErrorCode::usage,
      fmt::format(
          "`epsilon` {} is too small for {} on this model: it must be above {} = {}, with n = {} "
          "words and the smallest distance D0 = {:.6g}, that of \"{}\" and \"{}\"; use `epsilon` {} or "
          "more, or a model without words so close, or tem, which takes every epsilon",
          number_text(epsilon), rule.mechanism, rule.formula, rounded_up(rule.bound, 9), space.size(),
          extremes.smallest, model.word(extremes.nearest.first), model.word(extremes.nearest.second),
          smallest));
}

}  // namespace sotto
