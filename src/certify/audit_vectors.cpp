#include "certify/audit_vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "core/binomial.h"
#include "core/parallel.h"
#include "core/uniform.h"
#include "mechanisms/noise/noise.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kVectorBatch = 250;
constexpr std::size_t kLeads = 32;
constexpr std::array kExcesses = {0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0};  // upper ends but of the last
constexpr std::size_t kExcessCells = kExcesses.size() + 1;

double distance(std::span<const double> a, std::span<const double> b) {
  double squares = 0;
  for (std::size_t k = 0; k < a.size(); ++k) squares += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(squares);
}

std::vector<double> row_of(const Model& model, WordId word) {
  const auto vector = model.vector(word).first(model.dim());
  return {vector.begin(), vector.end()};
}

std::vector<double> centre_of(const VectorMechanism& vectors, std::span<const double> row) {
  std::vector<double> centre(vectors.output_dim());
  if (!vectors.centre_batch(row, centre)) {
    throw Error(ErrorCode::usage,
                "this mechanism does not tell what its noise is added to, so its releases cannot be audited");
  }
  return centre;
}

}  // namespace

VectorSubject::VectorSubject(const VectorMechanism& vectors, const Model& model,
                             std::span<const AuditPair> pairs, RandomSource random)
    : vectors_(vectors),
      model_(model),
      given_(pairs),
      random_(std::move(random)),
      first_number_(static_cast<AuditWord>(model.size())),
      first_cell_(static_cast<AuditWord>(model.size() + 2 * pairs.size())) {
  const std::optional<double> scale = vectors.noise_scale();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    Centres own{.first = centre_of(vectors, row_of(model, word_id(pairs[i].first))),
                .second = centre_of(vectors, row_of(model, word_id(pairs[i].second)))};
    own.distance = distance(own.first, own.second);
    AuditPair pair = pairs[i];
    pair.first = static_cast<AuditWord>(first_number_ + 2 * i);
    pair.second = pair.first + 1;
    if (scale) {
      pair.exact_loss = own.distance / *scale;
      // Where it is attained: at the first centre, or behind it.
      pair.exact_output = static_cast<AuditWord>(first_cell_ + kExcessCells * (kLeads - 1));
    }
    pairs_.push_back(pair);
    centres_.push_back(std::move(own));
  }
}

WordId VectorSubject::word_behind(AuditWord word) const {
  const AuditPair& pair = given_[(word - first_number_) / 2];
  return word_id((word - first_number_) % 2 == 0 ? pair.first : pair.second);
}

std::string VectorSubject::text(AuditWord word) const {
  if (word < first_cell_) return std::string(model_.word(word_behind(word)));
  const std::size_t lead = (word - first_cell_) / kExcessCells;
  const std::size_t excess = (word - first_cell_) % kExcessCells;
  const auto edge = [](std::size_t cell) { return 2.0 * static_cast<double>(cell) / kLeads - 1; };
  return fmt::format("lead {:.4g} to {:.4g}, excess {:.4g} {}", edge(lead), edge(lead + 1),
                     excess == 0 ? 0.0 : kExcesses[excess - 1],
                     excess < kExcesses.size() ? fmt::format("to {:.4g}", kExcesses[excess]) : "or more");
}

AuditWord VectorSubject::cell_of(std::span<const double> release, const Centres& centres) const {
  const double first = distance(release, centres.first);
  const double second = distance(release, centres.second);
  // Equal centres have no lead: any odds other than 1 betray something, and the distance may show it.
  const bool is_apart = centres.distance > 0;
  const double lead = is_apart ? (second - first) / centres.distance : 0;
  const double excess = is_apart ? (first + second) / centres.distance - 1 : first;
  const auto cell = static_cast<std::size_t>(std::clamp((lead + 1) / 2 * kLeads, 0.0, kLeads - 0.5));
  const auto ring = static_cast<std::size_t>(std::ranges::upper_bound(kExcesses, excess) - kExcesses.begin());
  return static_cast<AuditWord>(first_cell_ + kExcessCells * cell + ring);
}

std::vector<OutputCounts> VectorSubject::count(std::span<const AuditWord> words, std::uint32_t draws,
                                               const Work& work) {
  std::vector<OutputCounts> results(words.size());
  const std::size_t m = vectors_.output_dim();
  parallel_blocks(words.size(), 1, work.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Rng rng = random_.stream(streams_used_ + i);
      const Centres& centres = centres_[(words[i] - first_number_) / 2];
      const std::vector<double> row = row_of(model_, word_behind(words[i]));
      std::vector<double> in;
      for (std::size_t j = 0; j < std::min<std::size_t>(kVectorBatch, draws); ++j) {
        in.insert(in.end(), row.begin(), row.end());
      }
      std::vector<double> out(kVectorBatch * m);
      std::unordered_map<AuditWord, std::uint32_t> tally;
      for (std::size_t left = draws; left > 0;) {
        const std::size_t now = std::min(left, kVectorBatch);
        vectors_.release_batch(std::span(in).first(now * row.size()), std::span(out).first(now * m), rng);
        for (std::size_t j = 0; j < now; ++j) ++tally[cell_of(std::span(out).subspan(j * m, m), centres)];
        left -= now;
      }
      for (const auto& [output, times] : tally) results[i].push_back({output, times});
      std::ranges::sort(results[i], {}, &OutputCount::output);
    }
  });
  streams_used_ += words.size();
  if (work.progress) {
    work.progress({.done = words.size() * draws, .total = words.size() * draws, .unit = "draws"});
  }
  return results;
}

std::optional<WordPair> most_stretched_pair(const VectorMechanism& vectors, const Model& model, Rng& rng) {
  constexpr std::size_t kTried = 2000;
  std::optional<WordPair> best;
  double most = 0;
  for (std::size_t i = 0; i < kTried && model.size() > 1; ++i) {
    const WordId a = word_id(uniform_below(rng, model.size()));
    const WordId b = word_id(uniform_below(rng, model.size()));
    const std::vector<double> x = row_of(model, a);
    const std::vector<double> y = row_of(model, b);
    const double apart = distance(x, y);
    if (!(apart > 0)) continue;
    const double stretch = distance(centre_of(vectors, x), centre_of(vectors, y)) / apart;
    if (stretch <= most) continue;
    most = stretch;
    best = a < b ? WordPair{a, b} : WordPair{b, a};
  }
  return best;
}

std::optional<double> detectable_shortfall(const ShortfallQuestion& question) {
  constexpr std::size_t kDraws = 20'000;
  constexpr std::uint64_t kSeed = 20210831;  // of public numbers only
  constexpr double kMost = 64;
  // Noise of scale 1 as its part along the line of the centres and its length.
  struct Noise {
    double along;
    double squared;
  };
  std::vector<Noise> noises;
  Rng rng = Rng::seeded_not_private(kSeed);
  const NoiseShape shape = NoiseShape::sphere(question.dim);
  const std::vector<float> origin(question.dim, 0.0F);
  std::vector<double> z(question.dim);
  for (std::size_t i = 0; i < kDraws; ++i) {
    shape.add(origin, 1, z, rng);
    double squared = 0;
    for (const double value : z) squared += value * value;
    noises.push_back({.along = z[0], .squared = squared});
  }
  // Noise that is too small by the factor: the centres are `factor` times as far apart in its unit.
  const auto is_noticed = [&](double factor) {
    const double apart = question.exact_loss * factor;
    std::array<double, kLeads + 1> likelier{};  // P(lead in the cell or above)
    std::array<double, kLeads + 1> other{};
    for (const Noise& noise : noises) {
      const double from = std::sqrt(noise.squared);
      const double to = std::sqrt(std::max(0.0, noise.squared + 2 * apart * noise.along + apart * apart));
      const auto cell =
          static_cast<std::size_t>(std::clamp(((to - from) / apart + 1) / 2 * kLeads, 0.0, kLeads - 0.5));
      likelier[cell] += 1.0 / kDraws;
      other[cell] += std::exp(from - to) / kDraws;  // the odds of the two densities
    }
    for (std::size_t cell = kLeads; cell-- > 0;) {
      likelier[cell] += likelier[cell + 1];
      other[cell] += other[cell + 1];
      const double n = question.tested_draws;
      const double low =
          lower_probability({.hits = n * std::min(1.0, likelier[cell]), .draws = n}, question.error);
      const double high =
          upper_probability({.hits = n * std::min(1.0, other[cell]), .draws = n}, question.error);
      if (low > 0 && std::log(low / high) > question.claimed_loss) return true;
    }
    return false;
  };
  if (!(question.exact_loss > 0) || !is_noticed(kMost)) return std::nullopt;
  double low = 1;
  double high = kMost;
  while (high / low > 1.005) {
    const double middle = std::sqrt(low * high);
    (is_noticed(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace sotto
