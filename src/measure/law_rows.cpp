#include "measure/law_rows.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "certify/all_pairs.h"
#include "certify/exponential_row.h"
#include "core/parallel.h"
#include "measure/law_kernels.h"
#include "mechanisms/tem/tem.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kBlockValues = std::size_t{1} << 23;  // 64 MB of law, and as much of distances

// The same law as Tem::log_law, with one distance and one exponential for each output.
void tem_law(const ExponentialLaw& tem, std::span<const double> distances, std::span<double> law) {
  // No exponent exceeds 700 (tem.h), so that nothing underflows.
  const double total = exponential_weights(
      {.distances = distances, .base = tem.base_weights, .slope = tem.slope, .gamma = tem.gamma}, law);
  scale(law, 1 / total);
}

}  // namespace

bool has_closed_law(const Mechanism& mechanism) {
  return mechanism.words->log_law(word_id(0)).has_value();
}

void fill_law_row(const Mechanism& mechanism, WordId word, std::span<double> law,
                  std::span<double> distances) {
  mechanism.space->distances_from(word, distances);
  fill_law(mechanism, word, distances, law);
}

void fill_law(const Mechanism& mechanism, WordId word, std::span<const double> distances,
              std::span<double> law) {
  if (const ExponentialLaw* known = mechanism.words->exponential_law()) {
    tem_law(*known, distances, law);
    return;
  }
  const auto logs = mechanism.words->log_law(word);
  if (!logs) throw Error(ErrorCode::internal, "a row was asked of a mechanism that does not know its law");
  std::ranges::transform(*logs, law.begin(), [](double value) { return std::exp(value); });
}

// Few words are not worth the packing of all vectors.
DistanceRows::DistanceRows(const std::shared_ptr<const Space>& space, std::size_t words) : space_(space) {
  constexpr std::size_t kFewWords = 64;
  if (space->merged_words() == 0 && words >= kFewWords) tiles_ = std::make_unique<const AllPairs>(space);
}
DistanceRows::~DistanceRows() = default;

void DistanceRows::visit(std::span<const WordId> words, std::span<double> out, unsigned threads,
                         const std::function<void(std::size_t)>& body) const {
  const std::size_t n = space_->size();
  if (tiles_ == nullptr) {
    parallel_blocks(words.size(), 1, threads, [&](std::size_t i, std::size_t /*end*/) {
      space_->distances_from(words[i], out.subspan(i * n, n));
      body(i);
    });
    return;
  }
  std::vector<std::size_t> chosen;
  for (const WordId word : words) chosen.push_back(tiles_->row(word));
  tiles_->visit_rows(chosen, {.threads = threads}, [&](std::size_t i, std::span<const double> away) {
    std::copy(away.begin(), away.end(), out.begin() + static_cast<std::ptrdiff_t>(i * n));
    body(i);
  });
}

void stream_laws(const Mechanism& mechanism, std::span<const WordId> words,
                 std::span<LawVisitor* const> visitors, const Work& work) {
  const std::size_t n = mechanism.space->size();
  const std::size_t block = std::clamp<std::size_t>(kBlockValues / n, 16, 512);
  const DistanceRows distances_of(mechanism.space, words.size());
  std::vector<double> laws(std::min(block, words.size()) * n);
  std::vector<double> distances(laws.size());
  std::vector<LawRow> rows;
  for (std::size_t begin = 0; begin < words.size(); begin += block) {
    const std::span<const WordId> own = words.subspan(begin, std::min(block, words.size() - begin));
    rows.resize(own.size());
    distances_of.visit(own, distances, work.threads, [&](std::size_t i) {
      const std::span<double> law(laws.data() + i * n, n);
      const std::span<const double> away(distances.data() + i * n, n);
      fill_law(mechanism, own[i], away, law);
      rows[i] = {.word = own[i], .index = begin + i, .law = law, .distances = away};
      for (LawVisitor* visitor : visitors) visitor->visit_row(rows[i]);
    });
    for (LawVisitor* visitor : visitors) visitor->visit_block(rows, work.threads);
    if (work.progress) work.progress({.done = begin + own.size(), .total = words.size(), .unit = "words"});
  }
}

}  // namespace sotto
