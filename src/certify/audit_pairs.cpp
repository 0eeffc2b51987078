#include "certify/audit_pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/parallel.h"
#include "core/uniform.h"

namespace sotto {
namespace {

// Up to here every word's nearest neighbour is found, above that those of a sample.
constexpr std::size_t kSmallModel = 2000;

WordPair ordered(WordId a, WordId b) {
  return a < b ? WordPair{a, b} : WordPair{b, a};
}

struct NearPair {
  WordPair pair{};
  double distance = std::numeric_limits<double>::infinity();
};

// Each word with its nearest word at a distance above 0; a word that has none is left out.
std::vector<NearPair> nearest_pairs(const Space& space, const std::vector<WordId>& words, unsigned threads) {
  std::vector<NearPair> found(words.size());
  parallel_blocks(words.size(), 4, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> distances(space.size());
    for (std::size_t i = begin; i < end; ++i) {
      space.distances_from(words[i], distances);
      for (std::size_t y = 0; y < distances.size(); ++y) {
        if (distances[y] > 0 && distances[y] < found[i].distance) {
          found[i] = {ordered(words[i], word_id(y)), distances[y]};
        }
      }
    }
  });
  std::erase_if(found,
                [](const NearPair& near) { return near.distance > std::numeric_limits<double>::max(); });
  return found;
}

class Chooser {
 public:
  Chooser(const AuditClaim& claim, const PairChoice& choice, Rng& rng)
      : claim_(claim), choice_(choice), rng_(rng), n_(claim.space->size()) {}

  std::vector<AuditPair> choose() {
    if (choice_.worst) add(*choice_.worst, AuditPair::Kind::worst);
    for (const WordPair& pair : choice_.given) add(pair, AuditPair::Kind::given);
    const std::size_t limit = chosen_.size() + choice_.pairs;
    if (n_ < 2 || choice_.pairs == 0) return chosen_;
    if (n_ - 1 <= 2 * choice_.pairs / n_) {
      for (std::size_t a = 0; a < n_; ++a) {
        for (std::size_t b = a + 1; b < n_; ++b) add({word_id(a), word_id(b)}, AuditPair::Kind::every);
      }
      return chosen_;
    }
    for (const WordPair& pair : shared_rows(*claim_.space, 1)) add(pair, AuditPair::Kind::same_row);
    const std::size_t rare_from = n_ - std::max<std::size_t>(std::min<std::size_t>(n_, 2), n_ / 10);
    add_nearest(0, choice_.pairs / 2, AuditPair::Kind::nearest, limit);
    add_nearest(rare_from, choice_.pairs / 8, AuditPair::Kind::rare, limit);
    add_random(rare_from, choice_.pairs / 4 - choice_.pairs / 8, AuditPair::Kind::rare, limit);
    add_random(0, choice_.pairs, AuditPair::Kind::random, limit);
    return chosen_;
  }

 private:
  bool add(const WordPair& pair, AuditPair::Kind kind) {
    const auto [first, second] = ordered(pair.first, pair.second);
    if (first == second || !seen_.insert({first, second}).second) return false;
    chosen_.push_back({.first = static_cast<AuditWord>(first),
                       .second = static_cast<AuditWord>(second),
                       .kind = kind,
                       .distance = claim_.distance(first, second),
                       .claimed_loss = claim_.loss(first, second)});
    return true;
  }

  // Words with an index of at least `from`, all or a sample of about `count`, in random order.
  std::vector<WordId> some_words(std::size_t from, std::size_t count) {
    std::vector<WordId> words;
    if (n_ - from <= std::max(kSmallModel, count)) {
      for (std::size_t i = from; i < n_; ++i) words.push_back(word_id(i));
    } else {
      std::set<std::size_t> drawn;
      while (drawn.size() < count) drawn.insert(from + uniform_below(rng_, n_ - from));
      for (const std::size_t i : drawn) words.push_back(word_id(i));
    }
    for (std::size_t i = words.size(); i > 1; --i) std::swap(words[i - 1], words[uniform_below(rng_, i)]);
    return words;
  }

  // Half of them the nearest pairs that were found, half those of random words.
  void add_nearest(std::size_t from, std::size_t count, AuditPair::Kind kind, std::size_t limit) {
    if (count == 0) return;
    const std::vector<NearPair> in_random_order =
        nearest_pairs(*claim_.space, some_words(from, 6 * count), choice_.threads);
    std::vector<NearPair> in_order = in_random_order;
    std::ranges::stable_sort(in_order, {}, &NearPair::distance);
    std::size_t added = 0;
    const auto take = [&](const std::vector<NearPair>& list, std::size_t share) {
      for (const NearPair& near : list) {
        if (added >= share || chosen_.size() >= limit) return;
        if (add(near.pair, kind)) ++added;
      }
    };
    take(in_order, (count + 1) / 2);
    take(in_random_order, count);
  }

  void add_random(std::size_t from, std::size_t count, AuditPair::Kind kind, std::size_t limit) {
    // Few pairs may be left in a small model, so a miss counts as a try.
    for (std::size_t tries = 0, added = 0; added < count && tries < 20 * count && chosen_.size() < limit;
         ++tries) {
      const WordId a = word_id(from + uniform_below(rng_, n_ - from));
      const WordId b = word_id(from + uniform_below(rng_, n_ - from));
      if (add({a, b}, kind)) ++added;
    }
  }

  const AuditClaim& claim_;
  const PairChoice& choice_;
  Rng& rng_;
  std::size_t n_;
  std::set<WordPair> seen_;
  std::vector<AuditPair> chosen_;
};

}  // namespace

double AuditClaim::loss(WordId first, WordId second) const {
  const double by_distance = epsilon * distance(first, second);
  if (std::isinf(epsilon)) return epsilon;  // also at distance 0
  return largest_loss ? std::min(by_distance, *largest_loss) : by_distance;
}

AuditClaim audit_claim(std::shared_ptr<const Space> space, double epsilon) {
  AuditClaim claim{.space = space, .epsilon = epsilon};
  claim.distance = [space = std::move(space)](WordId a, WordId b) { return space->distance(a, b); };
  return claim;
}

AuditClaim audit_claim(const Mechanism& mechanism) {
  AuditClaim claim = audit_claim(mechanism.space, mechanism.claim.epsilon);
  claim.largest_loss = mechanism.claim.largest_word_loss;
  if (mechanism.claim.distance) claim.distance = mechanism.claim.distance;
  return claim;
}

std::string_view kind_name(AuditPair::Kind kind) {
  switch (kind) {
    case AuditPair::Kind::every:
      return "every";
    case AuditPair::Kind::nearest:
      return "nearest";
    case AuditPair::Kind::random:
      return "random";
    case AuditPair::Kind::rare:
      return "rare";
    case AuditPair::Kind::same_row:
      return "same-row";
    case AuditPair::Kind::worst:
      return "worst";
    case AuditPair::Kind::given:
      return "given";
    case AuditPair::Kind::unknown:
      return "unknown";
  }
  return "random";
}

std::vector<AuditPair> choose_audit_pairs(const AuditClaim& claim, const PairChoice& choice, Rng& rng) {
  return Chooser(claim, choice, rng).choose();
}

void add_exact_losses(std::vector<AuditPair>& pairs, const WordMechanism& mechanism, const Work& work) {
  parallel_blocks(pairs.size(), 1, work.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto first = mechanism.log_law(word_id(pairs[i].first));
      const auto second = mechanism.log_law(word_id(pairs[i].second));
      if (!first || !second) continue;
      double largest = 0;
      for (std::size_t y = 0; y < first->size(); ++y) {
        // Two impossible outputs are equal; inf - inf would be NaN.
        const double loss = (*first)[y] == (*second)[y] ? 0 : std::abs((*first)[y] - (*second)[y]);
        if (loss <= largest) continue;
        largest = loss;
        pairs[i].exact_output = static_cast<AuditWord>(y);
      }
      pairs[i].exact_loss = largest;
    }
  });
}

}  // namespace sotto
