#include "learn/shrinkage.h"

namespace sotto {

ShrinkageMap shrinkage_map(DenseMatrix lifted, DenseMatrix clean, unsigned threads) {
  constexpr double kRidge = 1e-3;
  const std::vector<double> lifted_mean = column_means(lifted);
  const std::vector<double> clean_mean = column_means(clean);
  subtract_from_rows(lifted, lifted_mean);
  subtract_from_rows(clean, clean_mean);
  DenseMatrix gram = transposed_product(lifted, lifted, threads);
  double trace = 0;
  for (std::size_t j = 0; j < gram.rows; ++j) trace += gram.row(j)[j];
  ShrinkageMap out{.map = DenseMatrix::zeros(lifted.columns, clean.columns), .offset = clean_mean};
  if (!(trace > 0)) return out;
  for (std::size_t j = 0; j < gram.rows; ++j) {
    gram.row(j)[j] += kRidge * trace / static_cast<double>(gram.rows);
  }
  out.map = solve_positive(std::move(gram), transposed_product(lifted, clean, threads));
  for (std::size_t i = 0; i < lifted_mean.size(); ++i) {
    for (std::size_t j = 0; j < out.offset.size(); ++j) out.offset[j] -= lifted_mean[i] * out.map.row(i)[j];
  }
  return out;
}

DenseMatrix mapped(const DenseMatrix& features, const ShrinkageMap& map, unsigned threads) {
  DenseMatrix out = product(features, map.map, threads);
  for (std::size_t i = 0; i < out.rows; ++i) {
    const auto row = out.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] += map.offset[j];
  }
  return out;
}

}  // namespace sotto
