#include "measure/deniability.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <set>

#include "core/parallel.h"
#include "core/uniform.h"

namespace sotto {
namespace {

constexpr std::size_t kTenths = 10;
constexpr std::uint64_t kChoiceSeed = 20210607;  // any fixed number

DeniabilitySummary summary_of(std::vector<double> values) {
  DeniabilitySummary summary;
  if (values.empty()) return summary;
  std::ranges::sort(values);
  for (const double value : values) summary.mean += value / static_cast<double>(values.size());
  for (std::size_t i = 0; i < summary.quantiles.size(); ++i) {
    // Between the two nearest order statistics, as R and NumPy do by default.
    const double place = kDeniabilityQuantiles[i] * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t next = std::min(below + 1, values.size() - 1);
    summary.quantiles[i] = std::lerp(values[below], values[next], place - static_cast<double>(below));
  }
  return summary;
}

DeniabilityBand band_of(const std::vector<WordDeniability>& words, std::size_t from) {
  std::vector<double> unchanged;
  std::vector<double> distinct;
  for (const WordDeniability& word : words) {
    if (index_of(word.word) < from) continue;
    unchanged.push_back(word.unchanged);
    distinct.push_back(word.distinct);
  }
  return {.words = unchanged.size(),
          .unchanged = summary_of(std::move(unchanged)),
          .distinct = summary_of(std::move(distinct))};
}

void summarise(Deniability& result, std::size_t model_words) {
  result.overall = band_of(result.words, 0);
  result.rare = band_of(result.words, model_words - (model_words + kTenths - 1) / kTenths);
}

// Output y comes at least once with probability 1 - (1 - p)^draws.
WordDeniability from_law(WordId word, const std::vector<double>& log_law) {
  WordDeniability result{.word = word, .unchanged = std::exp(log_law[index_of(word)])};
  for (const double log_p : log_law) {
    const double p = std::min(1.0, std::exp(log_p));
    result.distinct += -std::expm1(double{kDeniabilityDraws} * std::log1p(-p));
  }
  return result;
}

}  // namespace

std::size_t usual_deniability_words(const Mechanism& mechanism) {
  constexpr double kMost = 200;
  constexpr double kLeast = 50;
  constexpr double kCheapSearch = 5e4;
  if (mechanism.words->log_law(word_id(0))) return static_cast<std::size_t>(kMost);
  const Space& space = *mechanism.space;
  const double search = static_cast<double>(space.size()) * static_cast<double>(space.model().dim());
  return static_cast<std::size_t>(std::clamp(kMost * kCheapSearch / search, kLeast, kMost));
}

std::vector<WordId> deniability_words(const Model& model, std::size_t count) {
  const std::size_t n = model.size();
  std::vector<WordId> words;
  if (count >= n) {
    for (std::size_t i = 0; i < n; ++i) words.push_back(word_id(i));
    return words;
  }
  Rng rng = Rng::seeded_not_private(kChoiceSeed);
  for (std::size_t tenth = 0; tenth < kTenths; ++tenth) {
    const std::size_t begin = tenth * n / kTenths;
    const std::size_t end = (tenth + 1) * n / kTenths;
    const std::size_t wanted = std::min(end - begin, (tenth + 1) * count / kTenths - tenth * count / kTenths);
    std::set<std::size_t> drawn;
    while (drawn.size() < wanted) drawn.insert(begin + uniform_below(rng, end - begin));
    for (const std::size_t i : drawn) words.push_back(word_id(i));
  }
  return words;
}

Deniability measure_deniability(AuditSubject& subject, const Model& model, std::size_t words,
                                const Work& work) {
  Deniability result;
  const std::vector<WordId> chosen = deniability_words(model, words);
  const std::size_t at_once = subject.words_per_call();
  for (std::size_t begin = 0; begin < chosen.size(); begin += at_once) {
    std::vector<AuditWord> asked;
    for (std::size_t i = begin; i < std::min(chosen.size(), begin + at_once); ++i) {
      asked.push_back(static_cast<AuditWord>(chosen[i]));
    }
    Work part{.threads = work.threads};
    if (work.progress) {
      part.progress = [&](const Steps& steps) {
        work.progress({.done = begin * kDeniabilityDraws + steps.done,
                       .total = chosen.size() * kDeniabilityDraws,
                       .unit = steps.unit});
      };
    }
    const std::vector<OutputCounts> counts = subject.count(asked, kDeniabilityDraws, part);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const auto own = std::ranges::lower_bound(counts[i], asked[i], {}, &OutputCount::output);
      const bool stayed = own != counts[i].end() && own->output == asked[i];
      result.words.push_back({.word = word_id(asked[i]),
                              .unchanged = stayed ? static_cast<double>(own->count) / kDeniabilityDraws : 0,
                              .distinct = static_cast<double>(counts[i].size())});
    }
  }
  summarise(result, model.size());
  return result;
}

Deniability measure_deniability(const Mechanism& mechanism, std::size_t words, RandomSource random,
                                const Work& work) {
  const Model& model = mechanism.space->model();
  const std::vector<WordId> chosen = deniability_words(model, words);
  Deniability result{.exact = true, .words = std::vector<WordDeniability>(chosen.size())};
  if (!mechanism.token.empty()) {
    // One text for all words, which is none of them.
    for (std::size_t i = 0; i < chosen.size(); ++i) result.words[i] = {.word = chosen[i], .distinct = 1};
    summarise(result, model.size());
    return result;
  }
  if (chosen.empty() || !mechanism.words->log_law(chosen.front())) {
    MechanismSubject subject(*mechanism.words, model, std::move(random));
    return measure_deniability(subject, model, words, work);
  }
  std::mutex mutex;
  std::size_t done = 0;
  parallel_blocks(chosen.size(), 1, work.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      result.words[i] = from_law(chosen[i], mechanism.words->log_law(chosen[i]).value());
      if (!work.progress) continue;
      const std::lock_guard lock(mutex);
      work.progress({.done = ++done, .total = chosen.size(), .unit = "words"});
    }
  });
  summarise(result, model.size());
  return result;
}

}  // namespace sotto
