#include "api/illustration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "attack/channel.h"
#include "measure/sampled_adversary.h"
#include "sotto/prior.h"
#include "sotto/rng.h"

namespace sotto::api {

namespace {

using WordPair = std::pair<std::string_view, std::string_view>;
// From near to far in usual English vectors; pairs that the model does not have are left out.
constexpr std::array kExamplePairs = {WordPair{"doctor", "nurse"},     WordPair{"london", "paris"},
                                      WordPair{"good", "bad"},         WordPair{"married", "divorced"},
                                      WordPair{"cancer", "pneumonia"}, WordPair{"doctor", "pizza"}};
constexpr std::size_t kFewestPairs = 3;

// Invented for this page. Together they have names, numbers, health, money and opinions.
constexpr std::array<std::string_view, 10> kLines = {
    "The doctor was kind, but the waiting room was cold.",
    "My sister moved to London in March and lost her job.",
    "I paid 40 dollars for a room without a window.",
    "Please call me back about the letter from the bank.",
    "The soup was excellent and the waiter was rude.",
    "After the operation my father could not sleep.",
    "We will never book this hotel again!",
    "The teacher said that my son is often late.",
    "Thank you for the quick answer to my question.",
    "Maria works at night and takes medicine for her heart."};

constexpr std::size_t kLargestCompared = 60'000;  // words; O(n^2) distances
constexpr std::size_t kLargestByRows = 3'000;     // a closed law without a formula for its columns
constexpr std::size_t kTrials = 1'200;
constexpr std::size_t kLargeModel = 1'000;  // words; below, most words are among the frequent ones
constexpr std::size_t kColumnsAtOnce = 64;
// Streams of one source: the trials, their second release, the example lines. draw_joint() counts its blocks
// from the first.
constexpr std::uint64_t kTrialStream = 0;
constexpr std::uint64_t kSecondStream = 1'000'000;
constexpr std::uint64_t kLineStream = 2'000'000;

// Without enough pairs of kExamplePairs (a model of another language): words of the model with their nearest
// and their typical word.
std::vector<ExampleOdds> odds_of_the_model(const IllustrationRequest& request) {
  const Mechanism& mechanism = request.privatizer.mechanism();
  std::vector<ExampleOdds> out;
  for (const std::size_t place : {std::size_t{0}, mechanism.space->size() / 2}) {
    const WordId word = word_id(place);
    const auto odds = odds_of(mechanism, word, request.certificate);
    if (!odds) continue;
    for (const OddsTo& other : {odds->nearest, odds->typical}) {
      out.push_back({.first = word, .to = {.basis = odds->basis, .other = other}});
    }
    if (mechanism.space->size() < 4) break;
  }
  return out;
}

std::vector<ExampleOdds> example_odds(const IllustrationRequest& request) {
  const Mechanism& mechanism = request.privatizer.mechanism();
  const Model& model = mechanism.space->model();
  std::vector<ExampleOdds> out;
  for (const auto& [first, second] : kExamplePairs) {
    const auto one = model.find(first);
    const auto other = model.find(second);
    if (!one || !other) continue;
    out.push_back({.first = *one, .to = odds_between(mechanism, *one, *other, request.certificate)});
  }
  if (out.size() < kFewestPairs) out = odds_of_the_model(request);
  std::ranges::stable_sort(out, {}, [](const ExampleOdds& odds) { return odds.to.other.distance; });
  return out;
}

bool is_affordable(const Mechanism& mechanism) {
  if (!mechanism.token.empty()) return false;
  const std::size_t words = mechanism.space->size();
  const bool needs_rows =
      mechanism.words->exponential_law() == nullptr && mechanism.words->log_law(word_id(0)).has_value();
  return words <= (needs_rows ? kLargestByRows : kLargestCompared);
}

// Mean and 95% half width of shares; at least 3/count wide (rule of three).
struct Mean {
  double value = 0;
  double margin = 0;
};
Mean mean_of(const std::vector<double>& values) {
  const double count = static_cast<double>(values.size());
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  const double mean = sum / count;
  const double variance = std::max(0.0, squares / count - mean * mean);
  return {.value = mean, .margin = std::max(1.96 * std::sqrt(variance / count), 3 / count)};
}

// One guess of the likeliest word.
struct Guess {
  double posterior = 0;  // how likely the attacker holds it
  bool is_right = false;
};
Guess guess(std::span<const double> scores, WordId truth) {
  const auto best = std::ranges::max_element(scores);
  double sum = 0;
  for (const double score : scores) sum += score;
  return {.posterior = sum > 0 ? *best / sum : 0,
          .is_right = best - scores.begin() == static_cast<std::ptrdiff_t>(index_of(truth))};
}

// The guesses of all trials, after one release or after two.
class Trials {
 public:
  explicit Trials(bool has_exact_posterior) : is_exact_(has_exact_posterior) {}
  void add(const Guess& guess, bool is_content) {
    // The mean of exact posteriors varies less than the share of hits. An estimated posterior may be too sure
    // of itself, and among the trials of some words the posterior says something else: there, hits count.
    all_.push_back(is_exact_ ? guess.posterior : hit(guess));
    if (is_content) content_.push_back(hit(guess));
  }
  [[nodiscard]] Mean all() const { return mean_of(all_); }
  [[nodiscard]] Mean content() const { return mean_of(content_); }
  [[nodiscard]] bool has_content() const { return !content_.empty(); }

 private:
  static double hit(const Guess& guess) { return guess.is_right ? 1 : 0; }
  bool is_exact_;
  std::vector<double> all_;
  std::vector<double> content_;
};

GuessShares shares(double blind, const Mean& once, const Mean& twice) {
  return {.blind = blind,
          .once = once.value,
          .once_margin = once.margin,
          .twice = twice.value,
          .twice_margin = twice.margin};
}

// The share of the likeliest content word among all content words.
double blind_content(const Prior& prior) {
  double sum = 0;
  double largest = 0;
  for (std::size_t w = kFrequentWords; w < prior.weights.size(); ++w) {
    sum += prior.weights[w];
    largest = std::max(largest, prior.weights[w]);
  }
  return largest / sum;
}

Guesses attacked(const IllustrationRequest& request, const Prior& prior, const RandomSource& random,
                 const Work& work) {
  const Mechanism& mechanism = request.privatizer.mechanism();
  const std::size_t n = mechanism.space->size();
  const std::vector<float> weights(prior.weights.begin(), prior.weights.end());
  const auto channel = Channel::make(
      mechanism, {.prior = weights, .seed_not_private = request.seed_not_private}, work.at("attacking"));
  const JointSample first = draw_joint(mechanism, prior, {.count = kTrials, .first_stream = kTrialStream},
                                       random, {.threads = work.threads});
  std::vector<WordId> second(kTrials);
  Rng rng = random.stream(kSecondStream);
  mechanism.words->sample_batch(first.words, second, rng);

  std::vector<float> one(kColumnsAtOnce * n);
  std::vector<float> two(kColumnsAtOnce * n);
  std::vector<double> scores(n);
  Trials once(channel->draws() == 0);
  Trials twice(channel->draws() == 0);
  for (std::size_t begin = 0; begin < kTrials; begin += kColumnsAtOnce) {
    const std::size_t count = std::min(kColumnsAtOnce, kTrials - begin);
    channel->columns(std::span(first.outputs).subspan(begin, count), std::span(one).first(count * n), work);
    channel->columns(std::span(second).subspan(begin, count), std::span(two).first(count * n), work);
    for (std::size_t i = 0; i < count; ++i) {
      const WordId truth = first.words[begin + i];
      const bool is_content = n >= kLargeModel && index_of(truth) >= kFrequentWords;
      for (std::size_t w = 0; w < n; ++w) scores[w] = prior.weights[w] * double{one[i * n + w]};
      once.add(guess(scores, truth), is_content);
      for (std::size_t w = 0; w < n; ++w) scores[w] *= double{two[i * n + w]};
      twice.add(guess(scores, truth), is_content);
    }
  }
  Guesses out{.basis = Guesses::Basis::posterior,
              .all = shares(1 - prior.constant_guess(), once.all(), twice.all())};
  if (once.has_content()) out.content = shares(blind_content(prior), once.content(), twice.content());
  return out;
}

Guesses guesses_of(const IllustrationRequest& request, const RandomSource& random, const Work& work) {
  const Mechanism& mechanism = request.privatizer.mechanism();
  const Prior prior = frequency_rank_prior(mechanism.space->model());
  const double blind = 1 - prior.constant_guess();
  if (mechanism.claim.status == Status::proven && mechanism.claim.largest_word_loss == 0) {
    return {.basis = Guesses::Basis::nothing, .all = {.blind = blind, .once = blind, .twice = blind}};
  }
  if (is_affordable(mechanism)) return attacked(request, prior, random, work);
  return {.basis = Guesses::Basis::unchanged,
          .all = {.blind = blind,
                  .once = request.expected.unchanged,
                  .once_margin = request.expected.unchanged_margin}};
}

std::vector<ExampleLine> example_lines(const Privatizer& privatizer, const RandomSource& random) {
  Rng rng = random.stream(kLineStream);
  std::vector<std::string> after;
  TextCounts counts;
  privatizer.privatize(kLines, rng, after, counts);
  std::vector<ExampleLine> lines;
  for (std::size_t i = 0; i < kLines.size(); ++i) {
    lines.push_back({.before = std::string(kLines[i]), .after = after[i]});
  }
  return lines;
}

}  // namespace

Illustration illustrate(const IllustrationRequest& request, const Work& work) {
  // Never the source of the release: whoever reads the page must learn nothing of its noise.
  const RandomSource random = RandomSource::fresh_or_seeded_not_private(request.seed_not_private);
  return {.odds = example_odds(request),
          .guesses = guesses_of(request, random, work),
          .lines = example_lines(request.privatizer, random)};
}

}  // namespace sotto::api
