#include "lab/vickrey/privacy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/uniform.h"
#include "lab/tem/stopwatch.h"
#include "lab/vickrey/noisy_outputs.h"
#include "measure/attribute.h"
#include "measure/guess_quantities.h"
#include "measure/vector_adversary.h"
#include "sotto/parameters.h"

namespace sotto::lab::vickrey {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> keys_of(const Subject& subject, const Series& series, double epsilon) {
  return {subject.data, subject.vectors, series.name, number_text(epsilon)};
}

std::vector<WordId> drawn_words(const Prior& prior, std::size_t count, std::uint64_t seed) {
  std::vector<double> sums(prior.weights.size());
  std::partial_sum(prior.weights.begin(), prior.weights.end(), sums.begin());
  Rng rng = Rng::seeded_not_private(seed);
  std::vector<WordId> words(count);
  for (WordId& word : words) word = word_id(choose_by_sums(rng, sums));
  return words;
}

Classes word_classes(const Prior& prior) {
  return {.of = [](WordId word) { return static_cast<std::int64_t>(word); },
          .likeliest = static_cast<std::int64_t>(prior.mode()),
          .constant_error = prior.constant_guess()};
}

Quantity share_of(const JointSample& sample, const std::function<bool(WordId, WordId)>& counts) {
  std::vector<double> values(sample.words.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = counts(sample.words[i], sample.outputs[i]) ? 1 : 0;
  }
  return sampled_quantity("share", {.values = values, .range = 1}, "");
}

JointSample first_draws(const JointSample& sample, std::size_t count) {
  const auto end = static_cast<std::ptrdiff_t>(std::min(count, sample.words.size()));
  return {.words = {sample.words.begin(), sample.words.begin() + end},
          .outputs = {sample.outputs.begin(), sample.outputs.begin() + end}};
}

// L, and the best guess of the label. Six empty cells without labels.
std::vector<double> label_values(const Subject& subject, const JointSample& sample) {
  if (!subject.labels) return {kNone, kNone, kNone, kNone, kNone};
  const Labels& labels = *subject.labels;
  const Quantity loss = share_of(sample, [&](WordId word, WordId output) {
    return labels.of[index_of(word)] != labels.of[index_of(output)];
  });
  const std::vector<double> masses = label_prior(subject.prior, labels);
  const GuessBracket guess =
      guess_bracket(sample, {.of = [&](WordId word) { return std::int64_t{labels.of[index_of(word)]}; },
                             .likeliest = std::ranges::max_element(masses) - masses.begin(),
                             .constant_error = constant_label_guess(subject.prior, labels)});
  return {*loss.value, loss.interval.low, loss.interval.high, guess.low, guess.high};
}

// `vector`: null where the noisy vector's attacker bounds nothing.
Points::Row row_of(const Subject& subject, const JointSample& sample, std::size_t first,
                   const Quantity* vector) {
  const Quantity changed = share_of(sample, [](WordId word, WordId output) { return word != output; });
  const GuessBracket guess = guess_bracket(sample, word_classes(subject.prior));
  const GuessBracket fewer = guess_bracket(first_draws(sample, first), word_classes(subject.prior));
  Quantity best = bracket_quantity("e_opt", guess);
  narrow_bracket(best, changed, vector);
  const Quantity posterior = posterior_quantity(guess, best, subject.prior);
  Points::Row row{.keys = {},
                  .values = {static_cast<double>(sample.words.size()), best.interval.low, best.interval.high,
                             fewer.posterior_plug_in, guess.posterior_plug_in, posterior.interval.low,
                             posterior.interval.high, *changed.value, changed.interval.low,
                             changed.interval.high, subject.prior.constant_guess()}};
  const std::vector<double> labelled = label_values(subject, sample);
  row.values.insert(row.values.end(), labelled.begin(), labelled.end());
  return row;
}

void measure_cell(const Run& run, const Subject& subject, const Group& group, double epsilon,
                  std::size_t draws, Points& privacy) {
  const auto is_there = [&](const Series& series) {
    return privacy.find(keys_of(subject, series, epsilon)).has_value();
  };
  if (std::ranges::all_of(group.series, is_there)) return;
  Stopwatch watch;
  const std::string at = number_text(epsilon);
  const std::uint64_t seed = run.seed_of({"privacy", subject.data, subject.vectors, group.noise.name(), at});
  const NoisyOutputs outputs(subject.model, group, epsilon);
  const std::vector<WordId> words = drawn_words(subject.prior, 4 * draws, seed);
  const auto drawn = outputs.draw(words, RandomSource::seeded_not_private(seed), run.threads());
  std::optional<Quantity> vector;
  if (!group.noise.lambda) {
    vector = vector_adversary(*subject.model, subject.prior, epsilon,
                              RandomSource::seeded_not_private(seed + 1), {.threads = run.threads()});
  }
  std::vector<Points::Row> rows;
  for (std::size_t s = 0; s < group.series.size(); ++s) {
    const bool is_bounded = vector && group.series[s].rule.input == Rule::Input::candidate;
    Points::Row row =
        row_of(subject, {.words = words, .outputs = drawn[s]}, draws, is_bounded ? &*vector : nullptr);
    row.keys = keys_of(subject, group.series[s], epsilon);
    const bool is_private = group.series[s].rule.input == Rule::Input::candidate;
    row.values.insert(row.values.begin(), is_private ? outputs.certified_epsilon() : kNone);
    rows.push_back(std::move(row));
  }
  const double seconds = watch.seconds();
  for (Points::Row& row : rows) {
    row.values.push_back(seconds / static_cast<double>(rows.size()));
    if (!privacy.find(row.keys)) privacy.add(row);
  }
  const Points::Row& shown = rows.front();
  tell(fmt::format("{}, {}, {} at epsilon {}: E_opt {:.3f} to {:.3f}, {:.1f} s", subject.data,
                   subject.vectors, group.noise.name(), at, shown.values[privacy.value("e_opt_low")],
                   shown.values[privacy.value("e_opt_high")], seconds));
}

}  // namespace

void measure_privacy(const Run& run, const Subject& subject, const PrivacyPlan& plan, Points& privacy) {
  for (const double epsilon : plan.epsilons) {
    for (const Group& group : plan.groups) {
      measure_cell(run, subject, group, epsilon, plan.draws, privacy);
    }
  }
}

}  // namespace sotto::lab::vickrey
