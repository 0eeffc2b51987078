#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace sotto {

// The inner loops over the outputs of one word, or over the posteriors of some outputs, vectorised by Highway
// and chosen at run time. Sums may differ in their last digits from one instruction set to another.

void scale(std::span<double> values, double factor);
double dot(std::span<const double> one, std::span<const double> other);

// For every output o with joint = prior * law[o]: totals += joint, squares += joint^2, and where joint is
// above largest, largest = joint and guesses = word. All have the size of `law`.
struct JointRow {
  std::span<const double> law;
  double prior = 0;
  std::uint32_t word = 0;
  double* totals = nullptr;
  double* squares = nullptr;
  double* largest = nullptr;
  std::uint32_t* guesses = nullptr;
};
void gather_joint(const JointRow& row);

// sums += factor * values.
void add_scaled(std::span<const double> values, double factor, double* sums);

// losses[g * columns + c] += sum over w of distances[g * words + w] * values[w * columns + c], added up in
// the order of w.
inline constexpr std::size_t kColumnStep = 8;
struct Products {
  std::size_t guesses = 0;  // a multiple of 4
  std::size_t words = 0;
  std::size_t columns = 0;  // a multiple of kColumnStep
  const double* distances = nullptr;
  const double* values = nullptr;
  double* losses = nullptr;
};
void add_products(const Products& products);

}  // namespace sotto
