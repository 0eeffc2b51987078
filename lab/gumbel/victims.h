#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "lab/gumbel/genetic_attack.h"
#include "lab/gumbel/text_model.h"
#include "lab/gumbel/training.h"

namespace sotto::lab::gumbel {

// A trained model, made ready to judge many texts quickly: what each word contributes is computed once, and a
// text costs one pass over its words. Gives the logits of TextModel, up to rounding.
class FrozenModel {
 public:
  explicit FrozenModel(const TextModel& model);
  // Rows of logits, one for each of the texts of `length` words. `premise`: the pool of the premise alone,
  // from premise_pool(); empty for a model without premises.
  [[nodiscard]] at::Tensor logits(std::span<const WordId> texts, std::size_t length,
                                  std::span<const float> premise) const;
  [[nodiscard]] std::vector<float> premise_pool(std::span<const WordId> premise) const;

 private:
  const TextModel& model_;
  at::Tensor contributions_;
};

// One example of a model. The premise stays as it is: only the text is attacked. A search meets many texts
// again and again, so the verdict on each different text is kept and computed once.
class ExampleVictim final : public Victim {
 public:
  ExampleVictim(const FrozenModel& model, const Examples& examples, std::size_t example);
  std::vector<Verdict> judge(std::span<const WordId> texts, std::size_t length) override;

 private:
  const FrozenModel& model_;
  std::vector<float> premise_;
  std::int64_t label_;
  std::unordered_map<std::string, Verdict> known_;  // by the bytes of the text's word ids
};

// How a model fares under attack. Only texts that are classified rightly are attacked; the others count as
// wrong.
struct Robustness {
  std::size_t examples = 0;
  std::size_t right = 0;      // before the attack
  std::size_t withstood = 0;  // and after it
  double generations = 0;     // mean over the attacked texts
};
Robustness attack_all(const TextModel& model, const Examples& examples, const WordMechanism& mechanism,
                      const AttackPlan& plan, std::uint64_t seed);

}  // namespace sotto::lab::gumbel
