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

constexpr std::size_t kLine = 64;

void prefetch(const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  for (std::size_t offset = 0; offset < bytes; offset += kLine) __builtin_prefetch(at + offset);
}

}  // namespace

// One block of memory, in an arena: this header, then the items in ascending order of weight.
class Tem::Sampler::Row {
 public:
  struct Item {
    double sum;        // of the weights up to this one
    std::uint32_t id;  // a word, or a cluster
    float nearest;     // of a cluster, its smallest distance outside the head; negative: a word
  };
  struct Weighted {
    double weight;
    std::uint32_t id;
    float nearest;
  };

  static const Row* make(std::span<const Weighted> items, const Neighbourhood& near, Arena& arena) {
    return new (arena.allocate(sizeof(Row) + items.size() * sizeof(Item))) Row(items, near);
  }

  // Without a search: the order of a head is total, and distances are the same to the bit each time.
  [[nodiscard]] bool has_in_head(WordId word, double distance) const {
    return distance < farthest_ || (distance == farthest_ && word <= last_);
  }

  [[nodiscard]] bool may_have_in_head(double distance) const { return distance <= farthest_; }

  // choose_by_sums (core/uniform.h) in two steps, between which memory may come. The first draws 64 bits of
  // V, on [0, 2^exponent), below the total as far as they tell.
  [[nodiscard]] std::uint64_t draw(Rng& rng) const {
    for (;;) {
      const std::uint64_t leading = rng.bits();
      if (low(leading) < total_) {
        const std::size_t guide = leading >> kGuideShift;
        const std::size_t items_there = guides_[guide + 1] - guides_[guide] + std::size_t{1};
        prefetch(items() + guides_[guide], std::min<std::size_t>(items_there, 16) * sizeof(Item));
        return leading;
      }
    }
  }
  // The item of V; null: V is not below the total after all.
  [[nodiscard]] const Item* find(std::uint64_t leading, Rng& rng) const {
    const double from = low(leading);
    const double high = static_cast<double>((leading >> 11) + 1) * step_;
    const std::size_t guide = leading >> kGuideShift;
    const Item* first = items() + guides_[guide];
    for (std::size_t length = guides_[guide + 1] - guides_[guide] + 1; length > 1;) {
      const std::size_t half = length / 2;
      first += half & -static_cast<std::size_t>(first[half - 1].sum <= from);
      length -= half;
    }
    first += first->sum <= from ? 1 : 0;
    const Item* const end = items() + count_;
    if (first == end || first->sum >= high) return first == end ? nullptr : first;
    LazyUniform uniform(rng, leading);
    while (first != end && first->sum < high && !uniform.below(first->sum, {exponent_})) ++first;
    return first == end ? nullptr : first;
  }

 private:
  Row(std::span<const Weighted> weighted, const Neighbourhood& near)
      : farthest_(near.distances.back()),
        last_(near.words.back()),
        count_(static_cast<std::uint32_t>(weighted.size())) {
    Item* item = reinterpret_cast<Item*>(this + 1);
    for (const Weighted& one : weighted) {
      total_ += one.weight;
      new (item++) Item{.sum = total_, .id = one.id, .nearest = one.nearest};
    }
    if (std::frexp(total_, &exponent_) == 0.5) --exponent_;  // the total is itself a power of two
    step_ = std::ldexp(1.0, exponent_ - 53);
    std::size_t at = 0;
    for (std::size_t g = 0; g <= kGuides; ++g) {
      const double from = std::ldexp(static_cast<double>(g) / kGuides, exponent_);
      while (at + 1 < count_ && items()[at].sum <= from) ++at;
      guides_[g] = static_cast<std::uint16_t>(at);
    }
  }
  [[nodiscard]] const Item* items() const { return reinterpret_cast<const Item*>(this + 1); }
  [[nodiscard]] double low(std::uint64_t leading) const { return static_cast<double>(leading >> 11) * step_; }

  static constexpr std::size_t kGuides = 64;
  static constexpr int kGuideShift = 58;

  double total_ = 0;
  double step_ = 0;   // 2^(exponent - 53)
  double farthest_;   // distance of the head's last word
  WordId last_;       // that word
  int exponent_ = 0;  // 2^exponent is the power of two at or above the total
  std::uint32_t count_;
  // For each 1/64 of [0, 2^exponent): the first item whose sum is above its lower end, or the last item.
  std::array<std::uint16_t, kGuides + 1> guides_{};
};

// One token under way.
struct Tem::Sampler::Draw {
  std::size_t token = 0;
  const Row* row = nullptr;
  enum class Step { begin, pick, judge, resolve } step = Step::begin;
  enum class Verdict { open, accepted, rejected } verdict = Verdict::open;  // on the candidate
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
      rows_(space_->size()) {
  if (law_.base_weights.empty()) return;
  const Clusters& clusters = neighbourhoods_.clusters();
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    double sum = 0;
    for (const WordId word : clusters.members(c))
      base_sums_.push_back(sum += law_.base_weights[index_of(word)]);
  }
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

// Two threads may build the same row; both are the same, and the first one stays.
const Tem::Sampler::Row* Tem::Sampler::make_row(WordId word, const Neighbourhood& near,
                                                Arena& temporary) const {
  std::array<Row::Weighted, kMostItems> items;
  std::size_t count = 0;
  for (const std::uint16_t cluster : near.far_first) {
    if (near.nearest[cluster] == std::numeric_limits<float>::infinity()) continue;
    const double exponent = law_.slope * std::min<double>(near.nearest[cluster], law_.gamma);
    items[count++] = {.weight = cluster_mass(cluster) * std::exp(-exponent),
                      .id = cluster,
                      .nearest = near.nearest[cluster]};
  }
  // Nearly in order already: a sort by insertion.
  for (std::size_t i = 1; i < count; ++i) {
    const Row::Weighted item = items[i];
    std::size_t place = i;
    for (; place > 0 && item.weight < items[place - 1].weight; --place) items[place] = items[place - 1];
    items[place] = item;
  }
  const auto middle = items.begin() + static_cast<std::ptrdiff_t>(count);
  for (std::size_t i = near.words.size(); i-- > 0;) {
    const double exponent = law_.slope * std::min(near.distances[i], law_.gamma);
    items[count++] = {.weight = base_weight(near.words[i]) * std::exp(-exponent),
                      .id = static_cast<std::uint32_t>(near.words[i]),
                      .nearest = -1};
  }
  const auto end = items.begin() + static_cast<std::ptrdiff_t>(count);
  const auto lighter = [](const Row::Weighted& a, const Row::Weighted& b) { return a.weight < b.weight; };
  if (!law_.base_weights.empty()) std::sort(middle, end, lighter);
  std::inplace_merge(items.begin(), middle, end, lighter);
  if (kept_rows_.fetch_add(1) >= kKeptRows) {
    kept_rows_.fetch_sub(1);
    return Row::make(std::span(items).first(count), near, temporary);
  }
  const Row* row = Row::make(std::span(items).first(count), near, arena_);
  const Row* expected = nullptr;
  return rows_[index_of(word)].compare_exchange_strong(expected, row, std::memory_order_acq_rel) ? row
                                                                                                 : expected;
}

void Tem::Sampler::find_rows(std::span<const WordId> in, std::vector<const Row*>& rows,
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
  std::vector<const Row*> built(missing.size());
  const NeighbourhoodLayout& layout = neighbourhoods_.layout();
  std::vector<WordId> unprepared;
  std::vector<std::size_t> places;  // of those in `missing`
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (const std::uint64_t* record = prepared_ ? prepared_->record(missing[i]) : nullptr) {
      built[i] = make_row(missing[i], layout.view(record), temporary);
    } else {
      unprepared.push_back(missing[i]);
      places.push_back(i);
    }
  }
  const std::size_t size = layout.record_size();
  std::vector<std::uint64_t> records(std::min(unprepared.size(), Neighbourhoods::kBatch) * size);
  for (std::size_t begin = 0; begin < unprepared.size(); begin += Neighbourhoods::kBatch) {
    const std::size_t count = std::min(Neighbourhoods::kBatch, unprepared.size() - begin);
    neighbourhoods_.build(std::span(unprepared).subspan(begin, count),
                          std::span(records).first(count * size));
    for (std::size_t i = 0; i < count; ++i) {
      built[places[begin + i]] =
          make_row(unprepared[begin + i], layout.view(records.data() + i * size), temporary);
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
  const Row::Item* item = draw.row->find(draw.leading, rng);
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
  __builtin_prefetch(clusters.order().data() + draw.place);
  ask_for_vector(word);
  if (const Sketches* sketches = sketches_.load(std::memory_order_acquire)) sketches->prefetch(draw.place);
  return false;
}

void Tem::Sampler::ask_for_vector(WordId word) const {
  const Model& model = space_->model();
  prefetch(model.rows() + index_of(word) * model.stride(), model.stride() * sizeof(float));
}

// The candidate is accepted if it is not in the head and U < exp(-slope * (min(d, gamma) - nearest)), for a U
// of its own. Bounds on d decide it mostly: it is d < nearest - ln(U) / slope. Where they do not, resolve()
// computes d and compares the same U exactly: the answer is always that of the exact comparison. Each step
// takes its random bits whether or not the bounds decided, so a seeded run does not depend on there being
// any.
void Tem::Sampler::judge(WordId word, Draw& draw, Rng& rng) const {
  draw.leading = rng.bits();
  draw.word = neighbourhoods_.clusters().order()[draw.place];
  draw.step = Draw::Step::resolve;
  draw.verdict = Draw::Verdict::open;
  constexpr std::uint64_t kSmall = std::uint64_t{1}
                                   << 44;  // below it the leading bits say too little of ln U
  const Sketches* const sketches = sketches_.load(std::memory_order_acquire);
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
  thread_local std::vector<const Row*> rows;
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
    prefetch(draw.row, sizeof(Row));
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
