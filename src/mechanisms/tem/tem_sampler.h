#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/large_memory.h"
#include "mechanisms/tem/tem.h"
#include "mechanisms/tem/tem_row.h"
#include "neighbours/prepared.h"
#include "neighbours/sketches.h"

namespace sotto {

// Draws from a ExponentialLaw by exact rejection. Thread-safe.
class Tem::Sampler {
 public:
  Sampler(std::shared_ptr<const Space> space, const ExponentialLaw& law);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const;

 private:
  struct Draw;

  void find_rows(std::span<const WordId> in, std::vector<const TemRow*>& rows, Arena& temporary) const;
  const TemRow* make_row(WordId word, const Neighbourhood& near, Arena& temporary) const;
  [[nodiscard]] double weight_at(double distance) const;
  [[nodiscard]] double base_weight(WordId word) const;
  [[nodiscard]] double cluster_mass(std::size_t cluster) const;
  void begin(Draw& draw, Rng& rng) const;
  [[nodiscard]] bool pick(WordId word, Draw& draw, Rng& rng) const;
  void judge(WordId word, Draw& draw, Rng& rng) const;
  [[nodiscard]] bool resolve(WordId word, Draw& draw, Rng& rng) const;
  void ask_for_vector(WordId word) const;
  void count_draws(std::size_t draws) const;

  std::shared_ptr<const Space> space_;
  const ExponentialLaw& law_;
  std::unique_ptr<const PreparedNeighbourhoods> prepared_;  // null: none
  Neighbourhoods neighbourhoods_;
  std::vector<double>
      base_sums_;  // of c, running inside each cluster, in the clusters' order; empty if c = 1
  double weight_beyond_gamma_;
  std::vector<std::uint16_t> by_mass_;  // clusters in ascending order of their mass
  // Of a Euclidean space, once there are so many draws that they are worth making; null: none.
  mutable std::once_flag sketches_made_;
  mutable std::optional<Sketches> owned_sketches_;
  mutable std::atomic<const Sketches*> sketches_{nullptr};
  mutable std::atomic<std::size_t> draws_{0};
  mutable Arena arena_;
  mutable std::vector<std::atomic<const TemRow*>> rows_;
  mutable std::atomic<std::size_t> kept_rows_{0};
  mutable std::atomic<std::size_t> turns_{0};  // batches that missed a row
};

}  // namespace sotto
