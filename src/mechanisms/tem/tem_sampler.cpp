// Exact rejection sampling for tem (docs/specification.md section 4.3).
//
// The row of a word is a list of items with weights: the words of its head, each with its exact weight, and
// the clusters of the vocabulary, each with its envelope: the mass of ALL its words times the largest weight
// that one of them outside the head can have. An item is drawn. A word is the answer. From a cluster a word
// is drawn by base weight; everything starts again if it belongs to the head (its weight is counted there),
// or if it fails a coin of probability weight / envelope. Only distances of proposed words are computed.
//
// What takes time is waiting for memory, so several tokens are under way at once: what a step of one of them
// will read is asked for a round before, and the others have their turn meanwhile.
#include "mechanisms/tem/tem_sampler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/uniform.h"

namespace sotto {
namespace {

constexpr std::size_t kKeptRows =
    std::size_t{128} * 1024;  // at most 800 MB; later words' rows serve one batch
constexpr std::size_t kUnderWay = 16;

}  // namespace

// One token under way.
struct Tem::Sampler::Draw {
  std::size_t token = 0;
  const TemRow* row = nullptr;
  enum class Step { begin, pick, judge, resolve } step = Step::begin;
  enum class Verdict { open, accepted, rejected } verdict = Verdict::open;  // on the candidate
  bool asked_for_vector = false;                                            // of the token's word
  std::uint64_t leading = 0;  // of the uniform number that the next step compares
  std::size_t place = 0;      // of the candidate, in the order of the clusters
  WordId word{};              // the answer
  double nearest = 0;         // of the candidate's cluster, at most gamma
};

Tem::Sampler::Sampler(std::shared_ptr<const Space> space, const ExponentialLaw& law)
    : space_(std::move(space)),
      law_(law),
      prepared_(PreparedNeighbourhoods::open(*space_)),
      neighbourhoods_(space_, prepared_ ? prepared_->clusters() : Clusters::make(space_->model(), 0)),
      weight_beyond_gamma_(std::exp(-(law_.slope * law_.gamma))),
      rows_(space_->size()) {
  const Clusters& clusters = neighbourhoods_.clusters();
  if (!law_.base_weights.empty()) {
    for (std::size_t c = 0; c < clusters.size(); ++c) {
      double sum = 0;
      for (const WordId word : clusters.members(c))
        base_sums_.push_back(sum += law_.base_weights[index_of(word)]);
    }
  }
  by_mass_.resize(clusters.size());
  std::iota(by_mass_.begin(), by_mass_.end(), std::uint16_t{0});
  std::ranges::sort(by_mass_, {}, [&](std::uint16_t c) { return cluster_mass(c); });
}

Tem::Sampler::~Sampler() = default;  // rows need no destructor: the arena gives their memory back

// Sketches change no answer, only how soon it comes: short texts start without them.
void Tem::Sampler::count_draws(std::size_t draws) const {
  constexpr std::size_t kWorthSketches = 50'000;
  if (draws_.fetch_add(draws, std::memory_order_relaxed) + draws < kWorthSketches) return;
  std::call_once(sketches_made_, [&] {
    if (!space_->is_euclidean()) return;
    owned_sketches_.emplace(*space_, neighbourhoods_.clusters().order(), 0);
    if (owned_sketches_->is_usable()) sketches_.store(&*owned_sketches_, std::memory_order_release);
  });
}

double Tem::Sampler::base_weight(WordId word) const {
  return law_.base_weights.empty() ? 1 : law_.base_weights[index_of(word)];
}

double Tem::Sampler::cluster_mass(std::size_t cluster) const {
  const Clusters& clusters = neighbourhoods_.clusters();
  return base_sums_.empty() ? static_cast<double>(clusters.members(cluster).size())
                            : base_sums_[clusters.begins()[cluster + 1] - 1];
}

// The weight of a word of base weight 1.
double Tem::Sampler::weight_at(double distance) const {
  // At a large epsilon most words and clusters lie beyond gamma.
  return distance >= law_.gamma ? weight_beyond_gamma_ : std::exp(-(law_.slope * distance));
}

// Two threads may build the same row; both are the same, and the first one stays.
const TemRow* Tem::Sampler::make_row(WordId word, const Neighbourhood& near, Arena& temporary) const {
  std::array<TemRow::Weighted, Clusters::kMost> clusters;
  std::size_t count = 0;
  std::size_t beyond = 0;  // the first of them lie beyond gamma
  for (const std::uint16_t cluster : near.far_first) {
    const float nearest = near.nearest[cluster];
    if (nearest == std::numeric_limits<float>::infinity()) continue;
    if (nearest >= law_.gamma) ++beyond;
    clusters[count++] = {
        .weight = cluster_mass(cluster) * weight_at(nearest), .id = cluster, .nearest = nearest};
  }
  constexpr std::size_t kWorthItsPass = 64;  // fewer are sorted with the rest
  if (beyond < kWorthItsPass) beyond = 0;
  // Beyond gamma all words weigh the same, so the weights of clusters are in the order of their masses.
  if (beyond > 0) TemRow::sort_clusters(std::span(clusters).first(beyond), by_mass_);
  std::array<TemRow::Weighted, Neighbourhoods::kHead> words;
  const std::size_t head = near.words.size();
  for (std::size_t i = 0; i < head; ++i) {
    words[head - 1 - i] = {.weight = base_weight(near.words[i]) * weight_at(near.distances[i]),
                           .id = static_cast<std::uint32_t>(near.words[i]),
                           .nearest = -1};
  }
  const auto lighter = [](const TemRow::Weighted& a, const TemRow::Weighted& b) {
    return a.weight < b.weight;
  };
  // Without base weights the farthest is the lightest. With them this sort is part of the seeded stream: of
  // equal weights another algorithm may take another one first.
  if (!law_.base_weights.empty())
    std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(head), lighter);
  const auto make = [&](Arena& arena) {
    return TemRow::make({.clusters = std::span(clusters).first(count), .sorted = beyond},
                        std::span(words).first(head), near, arena);
  };
  if (kept_rows_.fetch_add(1) >= kKeptRows) {
    kept_rows_.fetch_sub(1);
    return make(temporary);
  }
  const TemRow* row = make(arena_);
  const TemRow* expected = nullptr;
  return rows_[index_of(word)].compare_exchange_strong(expected, row, std::memory_order_acq_rel) ? row
                                                                                                 : expected;
}

void Tem::Sampler::find_rows(std::span<const WordId> in, std::vector<const TemRow*>& rows,
                             Arena& temporary) const {
  rows.resize(in.size());
  std::vector<WordId> missing;
  for (std::size_t i = 0; i < in.size(); ++i) {
    rows[i] = rows_[index_of(in[i])].load(std::memory_order_acquire);
    if (rows[i] == nullptr) missing.push_back(in[i]);
  }
  if (missing.empty()) return;
  std::sort(missing.begin(), missing.end());
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  std::vector<const TemRow*> built(missing.size());
  const NeighbourhoodLayout& layout = neighbourhoods_.layout();
  std::vector<std::size_t> unprepared;  // places in `missing`
  // Threads that begin together miss the same words. Each starts at another place, and asks before it builds
  // a row whether another thread has built it.
  const std::size_t start = turns_.fetch_add(1, std::memory_order_relaxed) % 2 * (missing.size() / 2);
  for (std::size_t j = 0; j < missing.size(); ++j) {
    const std::size_t i = (start + j) % missing.size();
    built[i] = rows_[index_of(missing[i])].load(std::memory_order_acquire);
    if (built[i] != nullptr) continue;
    if (const std::uint64_t* record = prepared_ ? prepared_->record(missing[i]) : nullptr) {
      built[i] = make_row(missing[i], layout.view(record), temporary);
    } else {
      unprepared.push_back(i);
    }
  }
  const std::size_t size = layout.record_size();
  std::vector<WordId> batch;
  std::vector<std::uint64_t> records(std::min(unprepared.size(), Neighbourhoods::kBatch) * size);
  for (auto place = unprepared.begin(); place != unprepared.end();) {
    const auto first = place;
    batch.clear();
    for (; place != unprepared.end() && batch.size() < Neighbourhoods::kBatch; ++place) {
      built[*place] = rows_[index_of(missing[*place])].load(std::memory_order_acquire);
      if (built[*place] == nullptr) batch.push_back(missing[*place]);
    }
    if (!batch.empty()) neighbourhoods_.build(batch, std::span(records).first(batch.size() * size));
    const std::uint64_t* record = records.data();
    for (auto one = first; one != place; ++one) {
      if (built[*one] != nullptr) continue;
      built[*one] = make_row(missing[*one], layout.view(record), temporary);
      record += size;
    }
  }
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (rows[i] != nullptr) continue;
    rows[i] = built[static_cast<std::size_t>(std::ranges::lower_bound(missing, in[i]) - missing.begin())];
  }
}

void Tem::Sampler::begin(Draw& draw, Rng& rng) const {
  draw.leading = draw.row->draw(rng);
  draw.step = Draw::Step::pick;
}

// True: draw.word is the answer.
bool Tem::Sampler::pick(WordId word, Draw& draw, Rng& rng) const {
  const TemRow::Item* item = draw.row->find(draw.leading, rng);
  if (item == nullptr) {
    begin(draw, rng);
    return false;
  }
  if (item->nearest < 0) {
    draw.word = static_cast<WordId>(item->id);
    return true;
  }
  const Clusters& clusters = neighbourhoods_.clusters();
  const std::size_t first = clusters.begins()[item->id];
  const std::size_t size = clusters.begins()[item->id + 1] - first;
  draw.place = first + (base_sums_.empty() ? uniform_below(rng, size)
                                           : choose_by_sums(rng, std::span(base_sums_).subspan(first, size)));
  draw.nearest = std::min<double>(item->nearest, law_.gamma);
  draw.step = Draw::Step::judge;
  if (!draw.asked_for_vector) ask_for_vector(word);
  draw.asked_for_vector = true;
  if (const Sketches* sketches = sketches_.load(std::memory_order_acquire)) {
    sketches->prefetch(draw.place);
  } else {
    __builtin_prefetch(clusters.order().data() + draw.place);
  }
  return false;
}

void Tem::Sampler::ask_for_vector(WordId word) const {
  const Model& model = space_->model();
  prefetch_bytes(model.rows() + index_of(word) * model.stride(), model.stride() * sizeof(float));
}

// The candidate is accepted if it is not in the head and U < exp(-slope * (min(d, gamma) - nearest)), for a U
// of its own. Bounds on d decide it mostly: it is d < nearest - ln(U) / slope. Where they do not, resolve()
// computes d and compares the same U exactly: the answer is always that of the exact comparison. Each step
// takes its random bits whether or not the bounds decided, so a seeded run does not depend on there being
// any.
void Tem::Sampler::judge(WordId word, Draw& draw, Rng& rng) const {
  draw.leading = rng.bits();
  draw.step = Draw::Step::resolve;
  draw.verdict = Draw::Verdict::open;
  constexpr std::uint64_t kSmall = std::uint64_t{1}
                                   << 44;  // below it the leading bits say too little of ln U
  const Sketches* const sketches = sketches_.load(std::memory_order_acquire);
  draw.word =
      sketches != nullptr ? sketches->word(draw.place) : neighbourhoods_.clusters().order()[draw.place];
  if (sketches != nullptr && draw.leading >= kSmall) {
    constexpr double kSlack = 1e-9;  // covers the bits of U that are not drawn, and all rounding here
    const Sketches::Bounds bounds = sketches->distance(word, draw.place);
    const double uniform = static_cast<double>(draw.leading) * 0x1p-64;
    const double limit = draw.nearest - std::log(uniform) / law_.slope;
    const double slack = kSlack * (1 / law_.slope + limit);
    if (std::min(bounds.low, law_.gamma) > limit + slack) {
      draw.verdict = Draw::Verdict::rejected;
    } else if (!draw.row->may_have_in_head(bounds.low) && std::min(bounds.high, law_.gamma) < limit - slack) {
      draw.verdict = Draw::Verdict::accepted;
    }
  }
  if (draw.verdict == Draw::Verdict::open) ask_for_vector(draw.word);
}

// True: the candidate is the answer. Else everything starts again.
bool Tem::Sampler::resolve(WordId word, Draw& draw, Rng& rng) const {
  bool is_accepted = draw.verdict == Draw::Verdict::accepted;
  if (draw.verdict == Draw::Verdict::open) {
    const double distance = space_->distance(word, draw.word);
    const double excess = std::min(distance, law_.gamma) - draw.nearest;
    is_accepted = !draw.row->has_in_head(draw.word, distance) &&
                  LazyUniform(rng, draw.leading).below(std::exp(-law_.slope * excess));
  }
  if (!is_accepted) begin(draw, rng);
  return is_accepted;
}

void Tem::Sampler::sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const {
  count_draws(in.size());
  thread_local std::vector<const TemRow*> rows;
  Arena temporary;
  find_rows(in, rows, temporary);
  std::array<Draw, kUnderWay> draws;
  std::size_t active = 0;
  std::size_t next = 0;
  // Takes the next token into a draw; false if there is none.
  const auto take = [&](Draw& draw) {
    if (next == in.size()) return false;
    draw.token = next;
    draw.row = rows[next++];
    draw.step = Draw::Step::begin;
    draw.asked_for_vector = false;
    prefetch_bytes(draw.row, sizeof(TemRow));
    return true;
  };
  while (active < kUnderWay && take(draws[active])) ++active;
  while (active > 0) {
    for (std::size_t i = 0; i < active;) {
      Draw& draw = draws[i];
      const WordId word = in[draw.token];
      bool is_done = false;
      switch (draw.step) {
        case Draw::Step::begin:
          begin(draw, rng);
          break;
        case Draw::Step::pick:
          is_done = pick(word, draw, rng);
          break;
        case Draw::Step::judge:
          judge(word, draw, rng);
          break;
        case Draw::Step::resolve:
          is_done = resolve(word, draw, rng);
          break;
      }
      if (is_done) {
        out[draw.token] = draw.word;
        if (!take(draw)) {
          draw = draws[--active];
          continue;
        }
      }
      ++i;
    }
  }
}

}  // namespace sotto
