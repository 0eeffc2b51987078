#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "lab/privemb/linear_model.h"
#include "lab/privemb/senteval.h"
#include "sotto/rng.h"

namespace sotto::lab {

// Rows dealt to `count` folds, each class evenly after a shuffle (scikit-learn's StratifiedKFold).
std::vector<std::vector<std::uint32_t>> stratified_folds(std::span<const int> labels,
                                                         std::span<const std::uint32_t> rows,
                                                         std::size_t count, Rng& rng);

struct ProtocolPlan {
  Protocol protocol = Protocol::nested_folds;
  std::size_t folds = 10;  // SentEval's for reported results; its default is 5
  std::uint64_t seed = 1;  // of the folds
};
// Accuracies. `dev` is what chose the cost, which SentEval reports beside the test accuracy; it is on rows
// that its classifier has not seen, `train` on those that it has.
struct ProtocolResult {
  double train = 0;
  double dev = 0;
  double test = 0;
};
// Logistic regression as SentEval runs it without PyTorch: liblinear, L2, the cost from 2^-2 to 2^3 (TREC:
// 2^-1 to 2^5), the smallest of equally good ones, accuracies compared to two decimals of a per cent.
ProtocolResult run_protocol(const FeatureRows& features, const SentenceWords& words,
                            const ProtocolPlan& plan);

}  // namespace sotto::lab
