// mask: the baseline of papers that let a masked language model fill in each token from its neighbours. Here
// the language model is the bigram: p(w | output before) p(output after | w).
#include <algorithm>
#include <vector>

#include "attack/attackers.h"
#include "attack/vector_kernels.h"
#include "core/parallel.h"

namespace sotto {
namespace {

class Masked {
 public:
  explicit Masked(const BigramChain& chain) : chain_(chain), lm_(chain.lm()), after_(lm_.size) {}

  void fill(std::size_t before, const WordId* after, std::vector<float>& out) {
    out.resize(lm_.size);
    const float spread = lm_.lambda[before];
    std::ranges::copy(lm_.base, out.begin());
    scale(out, spread);
    const auto row = lm_.bigrams.row(before);
    for (std::size_t e = row.first; e < row.last; ++e) {
      float& own = out[lm_.bigrams.words[e]];
      own = std::max(0.0F, own + lm_.values[e]);
    }
    double total = 0;
    if (after != nullptr) {
      chain_.probabilities_before(*after, after_);
      total = multiply(out, after_, out);
    } else {
      total = sum_of(out);
    }
    scale(out, static_cast<float>(total > 0 ? 1 / total : 0));
  }

 private:
  const BigramChain& chain_;
  const LanguageModel& lm_;
  std::vector<float> after_;
};

}  // namespace

void attack_mask(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink) {
  parallel_blocks(batch.documents(), 1, knowledge.threads, [&](std::size_t begin, std::size_t end) {
    Masked masked(*knowledge.chain);
    std::vector<float> posterior;
    for (std::size_t d = batch.first_document + begin; d < batch.first_document + end; ++d) {
      const auto outputs = batch.view.document(d);
      for (std::size_t t = 0; t < outputs.size(); ++t) {
        const std::size_t before = t == 0 ? knowledge.lm->start() : index_of(outputs[t - 1]);
        masked.fill(before, t + 1 < outputs.size() ? &outputs[t + 1] : nullptr, posterior);
        sink.believe(batch.view.first_token(d) + t, posterior);
      }
    }
  });
}

}  // namespace sotto
