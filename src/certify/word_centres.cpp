#include "certify/word_centres.h"

#include <atomic>

#include "core/parallel.h"

namespace sotto {

std::vector<double> word_centres(const VectorMechanism& vectors, const Model& model, unsigned threads) {
  constexpr std::size_t kBlock = 256;
  const std::size_t m = vectors.output_dim();
  std::vector<double> centres(model.size() * m);
  std::atomic<bool> known = true;
  parallel_blocks(model.size(), kBlock, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> rows;
    rows.reserve((end - begin) * model.dim());
    for (std::size_t w = begin; w < end; ++w) {
      const auto vector = model.vector(word_id(w)).first(model.dim());
      rows.insert(rows.end(), vector.begin(), vector.end());
    }
    if (!vectors.centre_batch(rows, std::span(centres).subspan(begin * m, (end - begin) * m))) known = false;
  });
  return known ? centres : std::vector<double>();
}

}  // namespace sotto
