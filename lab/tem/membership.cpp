#include "lab/tem/membership.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <torch/nn/functional/activation.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/shuffle.h"

namespace sotto::lab {

namespace {

constexpr std::int64_t kHidden = 64;

// ln(1 + e^x) without overflow.
float softplus(float x) {
  return std::max(x, 0.0F) + std::log1p(std::exp(-std::abs(x)));
}

// P(negative), P(positive). Each from its own end: 1 - p would lose a small one.
at::Tensor features(std::span<const float> scores) {
  at::Tensor out = torch::empty({static_cast<std::int64_t>(scores.size()), 2});
  auto* at = out.data_ptr<float>();
  for (const float score : scores) {
    *at++ = 1 / (1 + std::exp(score));
    *at++ = 1 / (1 + std::exp(-score));
  }
  return out;
}

}  // namespace

struct MembershipAttack::Net {
  torch::nn::Linear first{2, kHidden};
  torch::nn::Linear second{kHidden, kHidden};
  torch::nn::Linear last{kHidden, 1};

  // As torch::nn::Linear does, but from a generator of our own: the global one is shared by threads.
  explicit Net(std::uint64_t seed) {
    at::Generator generator = at::detail::createCPUGenerator(seed);
    const torch::NoGradGuard no_gradient;
    for (const torch::nn::Linear& layer : {first, second, last}) {
      const double bound = 1 / std::sqrt(static_cast<double>(layer->options.in_features()));
      layer->weight.uniform_(-bound, bound, generator);
      layer->bias.uniform_(-bound, bound, generator);
    }
  }
  [[nodiscard]] std::vector<at::Tensor> parameters() const {
    return {first->weight, first->bias, second->weight, second->bias, last->weight, last->bias};
  }
  at::Tensor forward(const at::Tensor& x) {
    return last(torch::relu(second(torch::relu(first(x))))).squeeze(1);
  }
};

MembershipAttack::MembershipAttack(const MemberScores& shadow, const AttackPlan& plan)
    : net_(std::make_unique<Net>(plan.seed)) {
  at::set_num_threads(1);
  const at::Tensor inputs = torch::cat({features(shadow.in), features(shadow.out)});
  const at::Tensor members = torch::cat({torch::ones({static_cast<std::int64_t>(shadow.in.size())}),
                                         torch::zeros({static_cast<std::int64_t>(shadow.out.size())})});
  torch::optim::Adam adam(net_->parameters());
  Rng rng = Rng::seeded_not_private(plan.seed, 1);
  std::vector<std::uint32_t> order(shadow.in.size() + shadow.out.size());
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t epoch = 0; epoch < plan.epochs; ++epoch) {
    shuffle(order, rng);
    std::vector<std::int64_t> places(order.begin(), order.end());
    const at::Tensor mixed = torch::from_blob(places.data(), {static_cast<std::int64_t>(places.size())},
                                              torch::TensorOptions().dtype(torch::kLong));
    const at::Tensor x = inputs.index_select(0, mixed);
    const at::Tensor y = members.index_select(0, mixed);
    const auto count = static_cast<std::int64_t>(places.size());
    for (std::int64_t at = 0; at < count; at += static_cast<std::int64_t>(plan.batch)) {
      const std::int64_t end = std::min(count, at + static_cast<std::int64_t>(plan.batch));
      adam.zero_grad();
      torch::nn::functional::binary_cross_entropy_with_logits(net_->forward(x.slice(0, at, end)),
                                                              y.slice(0, at, end))
          .backward();
      adam.step();
    }
  }
}
MembershipAttack::~MembershipAttack() = default;
MembershipAttack::MembershipAttack(MembershipAttack&&) noexcept = default;

std::vector<float> MembershipAttack::judge(std::span<const float> scores) const {
  at::set_num_threads(1);
  const torch::NoGradGuard no_gradient;
  const at::Tensor out = net_->forward(features(scores)).contiguous();
  const auto* values = out.data_ptr<float>();
  return {values, values + scores.size()};
}

std::vector<float> loss_scores(std::span<const float> scores, std::span<const std::uint8_t> labels) {
  std::vector<float> out;
  out.reserve(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    out.push_back(-softplus(labels[i] != 0 ? -scores[i] : scores[i]));
  }
  return out;
}

}  // namespace sotto::lab
