// Compiled once per SIMD target by Highway and chosen at run time.
#include "measure/law_kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "measure/law_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h, by Highway's rule.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sotto {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;

// The last outputs, fewer than fill a register, are done one by one.
HWY_INLINE std::size_t whole_registers(std::size_t n) {
  return n - n % hn::Lanes(D());
}

void scale_target(std::span<double> values, double factor) {
  const D d;
  const std::size_t whole = whole_registers(values.size());
  for (std::size_t at = 0; at < whole; at += hn::Lanes(d)) {
    double* place = values.data() + at;
    hn::StoreU(hn::Mul(hn::LoadU(d, place), hn::Set(d, factor)), d, place);
  }
  for (std::size_t at = whole; at < values.size(); ++at) values[at] *= factor;
}

double dot_target(std::span<const double> one, const double* other) {
  const D d;
  const std::size_t whole = whole_registers(one.size());
  V sums = hn::Zero(d);
  for (std::size_t at = 0; at < whole; at += hn::Lanes(d)) {
    sums = hn::MulAdd(hn::LoadU(d, one.data() + at), hn::LoadU(d, other + at), sums);
  }
  double sum = hn::GetLane(hn::SumOfLanes(d, sums));
  for (std::size_t at = whole; at < one.size(); ++at) sum += one[at] * other[at];
  return sum;
}

void gather_joint_target(const JointRow& row) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t n = row.law.size();
  const std::size_t whole = whole_registers(n);
  const V prior = hn::Set(d, row.prior);
  const auto compare = [&row](std::size_t o, double joint) {
    if (!(joint > row.largest[o])) return;
    row.largest[o] = joint;
    row.guesses[o] = row.word;
  };
  for (std::size_t at = 0; at < whole; at += lanes) {
    const V joint = hn::Mul(prior, hn::LoadU(d, row.law.data() + at));
    hn::StoreU(hn::Add(hn::LoadU(d, row.totals + at), joint), d, row.totals + at);
    hn::StoreU(hn::MulAdd(joint, joint, hn::LoadU(d, row.squares + at)), d, row.squares + at);
    if (HWY_LIKELY(hn::AllFalse(d, hn::Gt(joint, hn::LoadU(d, row.largest + at))))) continue;
    HWY_ALIGN double values[8];
    hn::Store(joint, d, values);
    for (std::size_t lane = 0; lane < lanes; ++lane) compare(at + lane, values[lane]);
  }
  for (std::size_t o = whole; o < n; ++o) {
    const double joint = row.prior * row.law[o];
    row.totals[o] += joint;
    row.squares[o] += joint * joint;
    compare(o, joint);
  }
}

void add_scaled_target(std::span<const double> values, double factor, double* sums) {
  const D d;
  const std::size_t whole = whole_registers(values.size());
  for (std::size_t at = 0; at < whole; at += hn::Lanes(d)) {
    const V value = hn::LoadU(d, values.data() + at);
    hn::StoreU(hn::MulAdd(hn::Set(d, factor), value, hn::LoadU(d, sums + at)), d, sums + at);
  }
  for (std::size_t at = whole; at < values.size(); ++at) sums[at] += factor * values[at];
}

// Four guesses against some registers of columns.
constexpr std::size_t kGuesses = 4;
template <std::size_t kRegisters>
HWY_INLINE void add_block(const Products& products, std::size_t guess, std::size_t column, std::size_t first,
                          std::size_t last) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  double* const losses = products.losses + guess * products.columns + column;
  V sums[kGuesses][kRegisters];
  for (std::size_t g = 0; g < kGuesses; ++g) {
    for (std::size_t k = 0; k < kRegisters; ++k) {
      sums[g][k] = hn::LoadU(d, losses + g * products.columns + k * lanes);
    }
  }
  const double* const distances = products.distances + guess * products.words;
  for (std::size_t w = first; w < last; ++w) {
    const double* const place = products.values + w * products.columns + column;
    V values[kRegisters];
    for (std::size_t k = 0; k < kRegisters; ++k) values[k] = hn::LoadU(d, place + k * lanes);
    for (std::size_t g = 0; g < kGuesses; ++g) {
      const V distance = hn::Set(d, distances[g * products.words + w]);
      for (std::size_t k = 0; k < kRegisters; ++k) sums[g][k] = hn::MulAdd(distance, values[k], sums[g][k]);
    }
  }
  for (std::size_t g = 0; g < kGuesses; ++g) {
    for (std::size_t k = 0; k < kRegisters; ++k) {
      hn::StoreU(sums[g][k], d, losses + g * products.columns + k * lanes);
    }
  }
}

void add_products_target(const Products& products) {
  const std::size_t lanes = hn::Lanes(D());
  constexpr std::size_t kWords = 256;  // whose values stay in the second-level cache
  constexpr std::size_t kMany = hn::MaxLanes(D()) >= 8 ? 4 : 2;
  for (std::size_t first = 0; first < products.words; first += kWords) {
    const std::size_t last = std::min(first + kWords, products.words);
    for (std::size_t guess = 0; guess < products.guesses; guess += kGuesses) {
      std::size_t column = 0;
      for (; column + kMany * lanes <= products.columns; column += kMany * lanes) {
        add_block<kMany>(products, guess, column, first, last);
      }
      for (; column < products.columns; column += lanes) add_block<1>(products, guess, column, first, last);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace sotto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sotto {

HWY_EXPORT(scale_target);
HWY_EXPORT(dot_target);
HWY_EXPORT(gather_joint_target);
HWY_EXPORT(add_scaled_target);
HWY_EXPORT(add_products_target);

void scale(std::span<double> values, double factor) {
  HWY_DYNAMIC_DISPATCH(scale_target)(values, factor);
}
double dot(std::span<const double> one, std::span<const double> other) {
  return HWY_DYNAMIC_DISPATCH(dot_target)(one, other.data());
}
void gather_joint(const JointRow& row) {
  HWY_DYNAMIC_DISPATCH(gather_joint_target)(row);
}
void add_scaled(std::span<const double> values, double factor, double* sums) {
  HWY_DYNAMIC_DISPATCH(add_scaled_target)(values, factor, sums);
}
void add_products(const Products& products) {
  HWY_DYNAMIC_DISPATCH(add_products_target)(products);
}

}  // namespace sotto
#endif
