#include "certify/audit_events.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace sotto {
namespace {

// How often an output came for the two words.
struct Seen {
  AuditWord output = 0;
  double more = 0;  // for the likelier word
  double less = 0;
};

constexpr double kNone = -std::numeric_limits<double>::infinity();

// About the bound that a test at `errors` standard errors would give: both counts moved against the event, by
// the square-root transform of a Poisson count, which is close to the exact bounds also at 0.
double cautious_loss(const Seen& seen, double errors) {
  const double more = std::sqrt(seen.more) - errors / 2;
  const double less = std::sqrt(seen.less + 1) + errors / 2;
  if (seen.more == 0 || more <= 0) return kNone;
  return less <= 0 ? -kNone : 2 * std::log(more / less);
}
constexpr double kStrict = 4;    // as the later test
constexpr double kLax = 1;       // ranks single outputs
constexpr double kHopeful = -2;  // worth a test if the claim may be exceeded at all

// Counts as the test is expected to have them.
std::vector<Seen> merged(const OutputCounts& more, const OutputCounts& less, double planned) {
  std::vector<Seen> all;
  auto a = more.begin();
  auto b = less.begin();
  while (a != more.end() || b != less.end()) {
    const bool take_a = a != more.end() && (b == less.end() || a->output <= b->output);
    const bool take_b = b != less.end() && (a == more.end() || b->output <= a->output);
    Seen seen{.output = take_a ? a->output : b->output};
    if (take_a) seen.more = planned * (a++)->count;
    if (take_b) seen.less = planned * (b++)->count;
    all.push_back(seen);
  }
  return all;
}

// What the threshold of a `nearer` or `farther` event is about.
double place_of(const AuditEvent& event, AuditWord output, const OutputDistance& distance) {
  const double from_likelier = distance(output, event.likelier);
  return event.kind == AuditEvent::Kind::farther ? from_likelier
                                                 : distance(output, event.other) - from_likelier;
}

// How many of the first to take for the largest cautious loss together.
std::size_t best_prefix(const std::vector<Seen>& ranked) {
  std::size_t best = 1;
  double best_loss = kNone;
  Seen sum;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    sum.more += ranked[i].more;
    sum.less += ranked[i].less;
    const double loss = cautious_loss(sum, kStrict);
    if (loss > best_loss) {
      best_loss = loss;
      best = i + 1;
    }
  }
  return best;
}

void rank_by(std::vector<Seen>& seen, const std::function<double(const Seen&)>& key) {
  std::vector<std::pair<double, Seen>> keyed;
  keyed.reserve(seen.size());
  for (const Seen& entry : seen) keyed.emplace_back(key(entry), entry);
  std::ranges::stable_sort(keyed, std::greater<>(), &std::pair<double, Seen>::first);
  for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = keyed[i].second;
}

class Direction {
 public:
  Direction(AuditWord likelier, AuditWord other, double claimed_loss, std::vector<Seen> seen, double planned)
      : likelier_(likelier),
        other_(other),
        claimed_(claimed_loss),
        seen_(std::move(seen)),
        planned_(planned) {}

  // `more` and `less`: the draws of the selection, for the likelier and the other word.
  std::vector<AuditEvent> choose(const OutputDistance& distance, const OutputCounts& more,
                                 const OutputCounts& less) {
    if (seen_.empty()) return {};
    add_ranked();
    add_above_claim();
    if (distance) {
      add_placed(AuditEvent::Kind::nearer, distance);
      add_placed(AuditEvent::Kind::farther, distance);
    }
    std::vector<std::pair<Seen, AuditEvent>> judged;
    for (AuditEvent& event : candidates_) {
      const Seen total{.more = static_cast<double>(hits_of(event, more, distance)),
                       .less = static_cast<double>(hits_of(event, less, distance))};
      judged.emplace_back(total, std::move(event));
    }
    std::ranges::stable_sort(judged, std::greater<>(), [&](const auto& entry) {
      return cautious_loss({.more = planned_ * entry.first.more, .less = planned_ * entry.first.less},
                           kStrict);
    });
    std::vector<AuditEvent> kept;
    for (auto& [total, event] : judged) {
      const bool hopeful = cautious_loss(total, kHopeful) > claimed_;
      const bool twin = std::ranges::any_of(kept, [&event = event](const AuditEvent& other) {
        return other.outputs == event.outputs && other.kind == event.kind;
      });
      if ((kept.empty() || hopeful) && !twin) kept.push_back(std::move(event));
    }
    return kept;
  }

 private:
  void add_set(std::vector<AuditWord> outputs) {
    if (outputs.empty()) return;
    std::ranges::sort(outputs);
    const auto kind = outputs.size() == 1 ? AuditEvent::Kind::output : AuditEvent::Kind::set;
    candidates_.push_back(
        {.kind = kind, .likelier = likelier_, .other = other_, .outputs = std::move(outputs)});
  }

  // The best single output, and the best of the sets {the k outputs that tell most}.
  void add_ranked() {
    const Seen& single = *std::ranges::max_element(seen_, {}, [](const Seen& entry) {
      return std::pair(cautious_loss(entry, kStrict), cautious_loss(entry, kLax));
    });
    add_set({single.output});
    std::vector<Seen> ranked = seen_;
    rank_by(ranked, [](const Seen& entry) { return cautious_loss(entry, kLax); });
    std::vector<AuditWord> outputs;
    for (const Seen& entry : std::span(ranked).first(best_prefix(ranked))) outputs.push_back(entry.output);
    add_set(std::move(outputs));
  }

  // All outputs that exceed the claim here: the set of largest P(S|w) - e^loss P(S|w') (Neyman and Pearson),
  // as far as counts know it. It gathers many rare outputs.
  void add_above_claim() {
    const double factor = std::exp(std::min(claimed_, 700.0));
    std::vector<AuditWord> outputs;
    for (const Seen& entry : seen_) {
      if (entry.more > factor * entry.less) outputs.push_back(entry.output);
    }
    add_set(std::move(outputs));
  }

  // Needs no output to come twice: what is left where the vocabulary is larger than the number of draws.
  void add_placed(AuditEvent::Kind kind, const OutputDistance& distance) {
    AuditEvent event{.kind = kind, .likelier = likelier_, .other = other_};
    std::vector<std::pair<double, Seen>> placed;
    for (const Seen& entry : seen_) {
      const double place = place_of(event, entry.output, distance);
      if (!std::isnan(place)) placed.emplace_back(place, entry);
    }
    if (placed.empty()) return;
    std::ranges::stable_sort(placed, std::greater<>(), &std::pair<double, Seen>::first);
    std::vector<Seen> ranked;
    ranked.reserve(placed.size());
    for (const auto& [place, entry] : placed) ranked.push_back(entry);
    event.threshold = placed[best_prefix(ranked) - 1].first;
    candidates_.push_back(std::move(event));
  }

  AuditWord likelier_;
  AuditWord other_;
  double claimed_;
  std::vector<Seen> seen_;
  double planned_;
  std::vector<AuditEvent> candidates_;
};

}  // namespace

std::uint64_t hits_of(const AuditEvent& event, const OutputCounts& counts, const OutputDistance& distance) {
  std::uint64_t hits = 0;
  for (const OutputCount& entry : counts) {
    const bool inside = event.outputs.empty()
                            // Not a number compares as outside.
                            ? place_of(event, entry.output, distance) >= event.threshold
                            : std::ranges::binary_search(event.outputs, entry.output);
    if (inside) hits += entry.count;
  }
  return hits;
}

std::vector<AuditEvent> choose_events(const ExploredPair& explored, const OutputDistance& distance) {
  const auto& [pair, planned, search, selection] = explored;
  std::vector<AuditEvent> events = Direction(pair.first, pair.second, pair.claimed_loss,
                                             merged(search.first, search.second, planned), planned)
                                       .choose(distance, selection.first, selection.second);
  std::vector<AuditEvent> others = Direction(pair.second, pair.first, pair.claimed_loss,
                                             merged(search.second, search.first, planned), planned)
                                       .choose(distance, selection.second, selection.first);
  events.insert(events.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  return events;
}

}  // namespace sotto
