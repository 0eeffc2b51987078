#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sotto/mechanism.h"
#include "sotto/work.h"

namespace sotto {

class AllPairs;

// P(o | word) and the distance of `word` to o, for every word o of the model.
struct LawRow {
  WordId word{};
  std::size_t index = 0;  // of the word among those streamed
  std::span<const double> law;
  std::span<const double> distances;
};

// Looks at the rows of a law as they stream by: n x n numbers are never held.
class LawVisitor {
 public:
  virtual ~LawVisitor() = default;
  // What depends on one row alone. By any thread, in any order.
  virtual void visit_row(const LawRow& /*row*/) {}
  // What is gathered over rows. Blocks come in the order of the words, one at a time; the visitor may share
  // the work out among threads as long as each sum is over rows in their order. The laws of a block lie one
  // after the other in memory.
  virtual void visit_block(std::span<const LawRow> /*rows*/, unsigned /*threads*/) {}
};

// Whether the mechanism knows its law; costs one row.
bool has_closed_law(const Mechanism& mechanism);

// "Give me row w": law and distances, each of space->size() values. The one place that knows that the rows of
// tem follow from the distances. The mechanism must have a closed law.
void fill_law_row(const Mechanism& mechanism, WordId word, std::span<double> law,
                  std::span<double> distances);

// The same where the distances of `word` are known: for many laws on one space.
void fill_law(const Mechanism& mechanism, WordId word, std::span<const double> distances,
              std::span<double> law);

// The distances of some words to all words of the model, several times quicker by tiles than row after row
// where many are asked for and each word is a row of its own.
class DistanceRows {
 public:
  DistanceRows(const std::shared_ptr<const Space>& space, std::size_t words);
  ~DistanceRows();
  // Writes a row for each word to `out`, one after the other, and calls body(i) when that of words[i] is
  // there: on several threads, in any order.
  void visit(std::span<const WordId> words, std::span<double> out, unsigned threads,
             const std::function<void(std::size_t)>& body) const;

 private:
  std::shared_ptr<const Space> space_;
  std::unique_ptr<const AllPairs> tiles_;  // null: row after row
};

// One pass over the rows of `words`. Memory: a few hundred rows.
void stream_laws(const Mechanism& mechanism, std::span<const WordId> words,
                 std::span<LawVisitor* const> visitors, const Work& work);

}  // namespace sotto
