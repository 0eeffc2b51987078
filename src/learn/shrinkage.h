#pragma once
#include "learn/dense.h"

namespace sotto {

// The map from the lifted features of private documents to the features of the same documents in clear, found
// on public text that we privatise ourselves. Lifting gives each word its expected features, which lie nearer
// to the mean than the true ones; the map undoes what of this is left in documents.
struct ShrinkageMap {
  DenseMatrix map;             // row vectors are multiplied from the left
  std::vector<double> offset;  // added afterwards
};

// Ridge regression on centred data, the ridge being 1e-3 of the mean diagonal entry of the covariance. Both
// have a row for each document. The ridge is positive unless all rows of `lifted` are equal; the map is then
// 0.
ShrinkageMap shrinkage_map(DenseMatrix lifted, DenseMatrix clean, unsigned threads);
// features * map + offset
DenseMatrix mapped(const DenseMatrix& features, const ShrinkageMap& map, unsigned threads);

}  // namespace sotto
