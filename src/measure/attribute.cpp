#include "measure/attribute.h"

#include <algorithm>
#include <numeric>

#include "core/parallel.h"
#include "measure/law_kernels.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kWordSlice = 2048;

std::vector<double> label_masses(const Prior& prior, const Labels& labels) {
  std::vector<double> masses(labels.names.size(), 0.0);
  for (const WordId word : prior.support) {
    const std::int32_t label = labels.of[index_of(word)];
    if (label != Labels::kNone) masses[static_cast<std::size_t>(label)] += prior.weights[index_of(word)];
  }
  return masses;
}

}  // namespace

std::vector<double> label_prior(const Prior& prior, const Labels& labels) {
  std::vector<double> masses = label_masses(prior, labels);
  const double total = std::accumulate(masses.begin(), masses.end(), 0.0);
  if (!(total > 0)) {
    throw Error(
        ErrorCode::bad_data,
        "every word with a label has probability 0 under the prior: give labels of other words, or another "
        "`prior` or `words`");
  }
  for (double& mass : masses) mass /= total;
  return masses;
}

double constant_label_guess(const Prior& prior, const Labels& labels) {
  return 1 - std::ranges::max(label_prior(prior, labels));
}

LabelAdversary::LabelAdversary(const Prior& prior, const Labels& labels) : prior_(prior), labels_(labels) {
  (void)label_prior(prior, labels);  // refuses labels that the prior rules out
  const std::vector<double> masses = label_masses(prior, labels);
  labelled_ = std::accumulate(masses.begin(), masses.end(), 0.0);
  joint_.assign(labels.names.size(), std::vector<double>(prior.weights.size(), 0.0));
}

void LabelAdversary::visit_block(std::span<const LawRow> rows, unsigned threads) {
  parallel_blocks(prior_.weights.size(), kWordSlice, threads, [&](std::size_t begin, std::size_t end) {
    for (const LawRow& row : rows) {
      const std::int32_t label = labels_.of[index_of(row.word)];
      if (label == Labels::kNone) continue;
      std::vector<double>& joint = joint_[static_cast<std::size_t>(label)];
      add_scaled(row.law.subspan(begin, end - begin), prior_.weights[index_of(row.word)],
                 joint.data() + begin);
    }
  });
}

double LabelAdversary::error() const {
  double right = 0;
  for (std::size_t o = 0; o < prior_.weights.size(); ++o) {
    double largest = 0;
    for (const auto& joint : joint_) largest = std::max(largest, joint[o]);
    right += largest;
  }
  return std::max(0.0, 1 - right / labelled_);
}

}  // namespace sotto
