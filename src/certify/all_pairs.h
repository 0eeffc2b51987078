#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "certify/pair_kernels.h"
#include "core/large_memory.h"
#include "sotto/certificate.h"
#include "sotto/space.h"
#include "sotto/work.h"

namespace sotto {

// Tiles of panel against panel are dealt to a fixed number of stripes, each done by one thread in a fixed
// order with sums of its own: so threads do not change the order of any addition.
inline constexpr std::size_t kStripes = 64;

// Everything that the certificate and the calibrations compute over all pairs of words, without keeping any
// of the n^2 distances: at 50,000 words one pass takes seconds, and memory grows with n only. Words that
// share a vector are one row. Results do not depend on the number of threads.
class AllPairs {
 public:
  explicit AllPairs(std::shared_ptr<const Space> space);

  [[nodiscard]] const Space& space() const noexcept { return *space_; }
  [[nodiscard]] std::size_t rows() const noexcept { return words_.size(); }
  [[nodiscard]] WordId word(std::size_t row) const { return words_[row]; }
  [[nodiscard]] std::size_t row(WordId word) const { return row_of_[index_of(word)]; }
  // How many words stand behind each row.
  [[nodiscard]] std::span<const double> multiplicities() const noexcept { return multiplicities_; }
  struct Kernel {
    double slope = 0;
    double gamma = 0;
  };
  // sums[w] = sum over all rows y of weights[y] * exp(-slope * min(d(w,y), gamma)). Against the exact
  // distances d the relative error is at most (rows + 8 + 2 x) 2^-53 + slope * h, x the largest slope *
  // min(d, gamma) and h the error of that min(d, gamma) by Space::distance_error().
  [[nodiscard]] std::vector<double> kernel_sums(const Kernel& kernel, std::span<const double> weights,
                                                const Work& work) const;
  // The same for several kernels, each with weights of its own. The distances are computed once for as many
  // kernels as fit into 256 MB of sums; every sum is the same as alone, to the bit.
  struct WeightedKernel {
    Kernel kernel = {};
    std::span<const double> weights = {};
  };
  [[nodiscard]] std::vector<std::vector<double>> kernel_sums(std::span<const WeightedKernel> kernels,
                                                             const Work& work) const;
  // All distances up to `reach` in 8 bits each, 1.25 GB for 50,000 words, within half a step of the true
  // ones. Larger ones count as `reach`, which is above 0.
  struct RoughDistances {
    double step = 0;
    LargeMemory memory = {};  // of steps, tile after tile, those of a panel with the panels from it on

    [[nodiscard]] bool empty() const noexcept { return memory.size() == 0; }
    [[nodiscard]] std::uint8_t* steps() const noexcept {
      return reinterpret_cast<std::uint8_t*>(memory.data());
    }
  };
  [[nodiscard]] std::size_t rough_bytes() const noexcept;
  [[nodiscard]] RoughDistances rough_distances(double reach, const Work& work) const;
  // kernel_sums from them, many times quicker, for iterations whose end is judged by exact sums.
  [[nodiscard]] std::vector<double> rough_kernel_sums(const RoughDistances& distances, const Kernel& kernel,
                                                      std::span<const double> weights,
                                                      const Work& work) const;

  // Calls body(i, the distances of row chosen[i] to all rows) for every i, on several threads.
  using RowBody = std::function<void(std::size_t i, std::span<const double> distances)>;
  void visit_rows(std::span<const std::size_t> chosen, const Work& work, const RowBody& body) const;

  // The worst pairs (docs/specification.md section 4.1), by the distances d of Space with their error h(d):
  //   loss = slope * (min(d, gamma) + h(min(d, gamma))) + |logs[w] - logs[w']| + margin
  //   epsilon = max(0, loss - allowance) / (d - h(d)), at most `most_epsilon`.
  struct LossQuestion {
    Kernel kernel = {};
    std::span<const double> logs = {};
    double margin = 0;
    double allowance = 0;
    DistanceError error = {};
    double most_epsilon = std::numeric_limits<double>::infinity();

    [[nodiscard]] double loss(double distance, double log_gap) const;
    // Empty if d <= h(d): no epsilon bounds such a loss.
    [[nodiscard]] std::optional<double> epsilon(double distance, double loss) const;
  };
  struct LossAnswer {
    // By epsilon, the largest first; at most WorstPairs::kMost, and none whose epsilon is 0.
    std::vector<PairLoss> worst;
    std::vector<PairLoss> bands;  // the worst of each band of distance that has one, nearest first
    double largest_loss = 0;
    double largest_unbounded_loss = 0;  // of the pairs without an epsilon; 0: none exceeds the allowance
    std::vector<double> nearest;        // of each row: the distance of the nearest other row
    double largest_distance = 0;        // D, as computed
  };
  [[nodiscard]] LossAnswer largest_losses(const LossQuestion& question, const Work& work) const;

 private:
  // Four rows against a panel.
  struct Strip {
    std::size_t row = 0;
    std::size_t panel = 0;
    // The panel holds the strip's own rows: each pair of it is met from both sides.
    [[nodiscard]] bool is_diagonal() const { return row / kPanel == panel; }
  };
  using Body = std::function<void(std::size_t stripe, const Strip& strip)>;
  void visit(const Work& work, const Body& body) const;
  using Adder = std::function<void(const Strip& strip, double* sums)>;
  // `add` adds to the sums of every row, `width` for each; the answer has those of the first, then of the
  // next.
  [[nodiscard]] std::vector<double> sums_over_tiles(const Work& work, const Adder& add,
                                                    std::size_t width = 1) const;
  // Entries of no pair (padding) are -1. Valid until the thread asks again.
  using StripRows = std::array<std::size_t, kStripRows>;
  [[nodiscard]] const double* distances_of(const StripRows& own, std::size_t panel) const;
  [[nodiscard]] const double* distances_of(const Strip& at) const;
  [[nodiscard]] std::size_t panels() const noexcept { return padded_ / kPanel; }
  // Where the strip's kStripRows * kPanel values begin in an array of all tiles.
  [[nodiscard]] std::size_t place_of(const Strip& strip) const noexcept;

  std::shared_ptr<const Space> space_;
  const MetricInfo& metric_;
  const SumKernels& kernels_;
  std::vector<WordId> words_;
  std::vector<std::uint32_t> row_of_;
  std::vector<double> multiplicities_;
  std::size_t padded_ = 0;      // rows, filled up to whole panels
  std::vector<double> packed_;  // [panel][dim][kPanel]
  std::vector<double> rooms_;   // Space::room of each row
};

}  // namespace sotto
