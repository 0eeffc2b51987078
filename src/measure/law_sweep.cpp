#include "measure/law_sweep.h"

#include <algorithm>
#include <memory>

#include "core/parallel.h"
#include "measure/adversary.h"
#include "measure/attribute.h"
#include "measure/bands.h"
#include "measure/law_kernels.h"
#include "measure/measurement_parts.h"
#include "measure/utility_loss.h"

namespace sotto {
namespace {

constexpr std::size_t kSweepValues = std::size_t{1} << 22;  // 32 MB of law, and as much of distances

// Of one row, or added up over rows with their weights.
struct RowLosses {
  double unchanged = 0;
  double distance = 0;
  double labelled = 0;
  double kept = 0;
  double flipped = 0;
};

// The outputs that have a label, in their order.
std::vector<std::size_t> labelled_outputs(const Labels* labels) {
  std::vector<std::size_t> out;
  for (std::size_t o = 0; labels != nullptr && o < labels->of.size(); ++o) {
    if (labels->of[o] != Labels::kNone) out.push_back(o);
  }
  return out;
}

RowLosses losses_of(const Mechanism& mechanism, const LawRow& row, const Labels* labels,
                    std::span<const std::size_t> labelled) {
  RowLosses out;
  const std::int32_t own = labels == nullptr ? Labels::kNone : labels->of[index_of(row.word)];
  out.labelled = own == Labels::kNone ? 0 : 1;
  if (!mechanism.token.empty()) return out;  // no word is written: nothing is kept
  out.unchanged = row.law[index_of(row.word)];
  out.distance = dot(row.law, row.distances);
  if (own == Labels::kNone) return out;
  for (const std::size_t o : labelled) (labels->of[o] == own ? out.kept : out.flipped) += row.law[o];
  return out;
}

// What is gathered for one mechanism.
class Gathered {
 public:
  Gathered(const Mechanism& mechanism, const Prior& prior, const Bands& bands, const Labels* labels)
      : mechanism_(mechanism), prior_(prior), labels_(labels), adversary_(prior, bands) {
    if (labels != nullptr) label_ = std::make_unique<LabelAdversary>(prior, *labels);
  }

  void add(std::span<const LawRow> rows, std::span<const RowLosses> losses, unsigned threads) {
    adversary_.visit_block(rows, threads);
    if (label_) label_->visit_block(rows, threads);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double weight = prior_.weights[index_of(rows[i].word)];
      sums_.unchanged += weight * losses[i].unchanged;
      sums_.distance += weight * losses[i].distance;
      sums_.labelled += weight * losses[i].labelled;
      sums_.kept += weight * losses[i].kept;
      sums_.flipped += weight * losses[i].flipped;
    }
  }

  [[nodiscard]] std::vector<Quantity> quantities() const {
    std::vector<Quantity> out;
    const auto add = [&](const char* name, double value) {
      out.push_back(exact_quantity(name, std::max(0.0, value), meaning_of(name)));
    };
    const GuessErrors errors = adversary_.errors();
    add("constant_guess", prior_.constant_guess());
    add("e_opt", errors.best);
    add("e_post", errors.posterior);
    add("loss_changed", 1 - sums_.unchanged);
    if (mechanism_.token.empty()) {
      add("loss_distance", sums_.distance);
    } else {
      out.push_back(
          unavailable_quantity("loss_distance", "one text is written for every word: there is no distance"));
    }
    if (!label_) return out;
    add("loss_label", sums_.flipped / sums_.labelled);
    add("label_lost", 1 - (sums_.kept + sums_.flipped) / sums_.labelled);
    out.push_back(exact_quantity("label_not_kept", std::max(0.0, 1 - sums_.kept / sums_.labelled),
                                 loss_meaning(UtilityLoss::label)));
    add("constant_guess_label", constant_label_guess(prior_, *labels_));
    add("e_opt_label", label_->error());
    return out;
  }

 private:
  const Mechanism& mechanism_;
  const Prior& prior_;
  const Labels* labels_;
  WordAdversary adversary_;
  std::unique_ptr<LabelAdversary> label_;
  RowLosses sums_;
};

}  // namespace

std::vector<std::vector<Quantity>> sweep_laws(std::span<const Mechanism> mechanisms, const Prior& prior,
                                              const Labels* labels, const Work& work) {
  if (mechanisms.empty()) return {};
  const Space& space = *mechanisms.front().space;
  const Bands bands = frequency_bands(space.model());
  std::vector<std::unique_ptr<Gathered>> gathered;
  for (const Mechanism& mechanism : mechanisms) {
    gathered.push_back(std::make_unique<Gathered>(mechanism, prior, bands, labels));
  }
  const std::size_t n = space.size();
  const std::size_t words = prior.support.size();
  const DistanceRows distances_of(mechanisms.front().space, words);
  const std::size_t block = std::min(words, std::clamp<std::size_t>(kSweepValues / n, 64, 512));
  std::vector<double> laws(block * n);
  std::vector<double> distances(block * n);
  std::vector<LawRow> rows;
  std::vector<RowLosses> losses(block);
  const std::vector<std::size_t> labelled = labelled_outputs(labels);
  for (std::size_t begin = 0; begin < words; begin += block) {
    const std::size_t count = std::min(block, words - begin);
    rows.resize(count);
    const std::span<const WordId> own = std::span(prior.support).subspan(begin, count);
    distances_of.visit(own, distances, work.threads, [](std::size_t /*i*/) {});
    for (std::size_t i = 0; i < count; ++i) {
      rows[i] = {.word = own[i],
                 .index = begin + i,
                 .law = std::span<const double>(laws).subspan(i * n, n),
                 .distances = std::span<const double>(distances).subspan(i * n, n)};
    }
    for (std::size_t m = 0; m < mechanisms.size(); ++m) {
      parallel_blocks(count, 1, work.threads, [&](std::size_t i, std::size_t /*end*/) {
        fill_law(mechanisms[m], rows[i].word, rows[i].distances, std::span(laws.data() + i * n, n));
        losses[i] = losses_of(mechanisms[m], rows[i], labels, labelled);
      });
      gathered[m]->add(rows, std::span(losses).first(count), work.threads);
    }
    if (work.progress) work.progress({.done = begin + count, .total = words, .unit = "words"});
  }
  std::vector<std::vector<Quantity>> out;
  for (const auto& own : gathered) out.push_back(own->quantities());
  return out;
}

}  // namespace sotto
