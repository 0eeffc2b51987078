#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sotto::lab {

// A classifier's scores (logit differences) on texts that it was trained on and on texts that it was not.
struct MemberScores {
  std::span<const float> in;
  std::span<const float> out;
};

struct AttackPlan {
  std::size_t epochs = 20;
  std::size_t batch = 64;
  std::uint64_t seed = 0;
};

// The attack of Shokri et al. 2017 as in section 5.3 of tem-2023: a perceptron with two hidden layers of 64
// (ReLU, Adam) learns on a shadow model what outputs of members look like. Its features are the output of the
// classifier, the two class probabilities, and nothing else: the paper says "the output". The true label,
// which an attacker may know as well, is left to loss_scores below.
class MembershipAttack {
 public:
  MembershipAttack(const MemberScores& shadow, const AttackPlan& plan);
  ~MembershipAttack();
  MembershipAttack(MembershipAttack&&) noexcept;
  MembershipAttack& operator=(MembershipAttack&&) = delete;

  // ln P(in) - ln P(out) of each text, from the target's scores.
  [[nodiscard]] std::vector<float> judge(std::span<const float> scores) const;

 private:
  struct Net;
  std::unique_ptr<Net> net_;
};

// The threshold attack of Yeom et al. 2018, which trains nothing: the lower the loss of a text with its true
// label (1: positive), the more it looks like a member. Minus the loss.
std::vector<float> loss_scores(std::span<const float> scores, std::span<const std::uint8_t> labels);

}  // namespace sotto::lab
