#include "neighbours/approximate.h"

// The graph computes distances by our kernels, so none of the library's own are wanted, nor the global
// functions that come with them.
#define NO_MANUAL_VECTORIZATION
#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "model/distance_kernels.h"
#include "sotto/error.h"

namespace sotto {
namespace {

// Links of a word and width of the walk that finds them: usual values for 100 to 300 dimensions. More of
// either finds more, but takes longer.
constexpr std::size_t kLinks = 16;
constexpr std::size_t kBuildWidth = 100;
constexpr std::size_t kSeed = 100;  // of the words' levels in the graph; public, no part of any noise

// What the graph keeps of a word, in place of a copy of its vector; a query has `noisy` instead of `row`.
struct Point {
  const float* row = nullptr;
  const double* noisy = nullptr;
};

// Exact squared distances, the same bits as NearestWords has. `b` is always a word.
double distance(const void* a, const void* b, const void* stride) {
  Point from;
  Point to;
  std::size_t values = 0;
  std::memcpy(&from, a, sizeof from);  // the graph does not align them
  std::memcpy(&to, b, sizeof to);
  std::memcpy(&values, stride, sizeof values);
  if (from.noisy == nullptr) return squared_distance(from.row, to.row, values);
  double squared = 0;
  squared_distances(from.noisy, to.row, 1, values, &squared);
  return squared;
}

class PointSpace final : public hnswlib::SpaceInterface<double> {
 public:
  explicit PointSpace(std::size_t stride) : stride_(stride) {}
  std::size_t get_data_size() override { return sizeof(Point); }
  hnswlib::DISTFUNC<double> get_dist_func() override { return distance; }
  void* get_dist_func_param() override { return &stride_; }

 private:
  std::size_t stride_;
};

[[noreturn]] void fail() {
  throw Error(ErrorCode::internal, "The graph of approximate search failed; use --search exact");
}

}  // namespace

struct ApproximateNearest::Graph {
  explicit Graph(const Model& model)
      : space(model.stride()), words(&space, model.size(), kLinks, kBuildWidth, kSeed) {
    for (std::size_t w = 0; w < model.size(); ++w) {
      const Point point{.row = model.rows() + w * model.stride()};
      words.addPoint(&point, w);
    }
  }

  PointSpace space;
  hnswlib::HierarchicalNSW<double> words;
};

ApproximateNearest::ApproximateNearest(const Model& model) : model_(model) {}
ApproximateNearest::~ApproximateNearest() = default;

const ApproximateNearest::Graph& ApproximateNearest::graph() const {
  std::call_once(built_, [this] { graph_ = std::make_unique<const Graph>(model_); });
  return *graph_;
}

void ApproximateNearest::find(const NoisyVectors& noisy, std::size_t k, std::span<Neighbour> out) const try {
  const Graph& graph = this->graph();
  const std::size_t stride = noisy.stride();
  const std::size_t width = std::min(model_.size(), std::max(kWidth, k));
  std::vector<Neighbour> found;
  for (std::size_t q = 0; q < out.size() / k; ++q) {
    const std::span<const double> vector = noisy.values().subspan(q * stride, stride);
    const Point query{.noisy = vector.data()};
    // All words in view, not k: among equal distances the graph does not go by index.
    found.clear();
    for (auto queue = graph.words.searchKnn(&query, width); !queue.empty(); queue.pop()) {
      found.push_back({.word = word_id(queue.top().second), .squared = queue.top().first});
    }
    // A graph can fall apart (clusters far from each other), and a walk then ends early; distances that are
    // not finite have no order.
    const bool whole = found.size() == width && std::all_of(found.begin(), found.end(), [](const auto& each) {
                         return std::isfinite(each.squared);
                       });
    const std::span<Neighbour> nearest = out.subspan(q * k, k);
    if (!whole) {
      scan_nearest(model_, vector, k, nearest);
      continue;
    }
    std::partial_sort_copy(found.begin(), found.end(), nearest.begin(), nearest.end(),
                           [](const Neighbour& a, const Neighbour& b) {
                             return std::tuple(a.squared, index_of(a.word)) <
                                    std::tuple(b.squared, index_of(b.word));
                           });
  }
} catch (const std::runtime_error&) {
  fail();
}

}  // namespace sotto
