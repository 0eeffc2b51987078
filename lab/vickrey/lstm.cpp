#include "lab/vickrey/lstm.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/rnn.h>
#include <torch/nn/utils/rnn.h>
#include <torch/optim/adam.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/shuffle.h"
#include "sotto/rng.h"

namespace sotto::lab::vickrey {

namespace {

// Batches are made of texts of like length, from so many batches' texts at a time: less padding.
constexpr std::size_t kSortedBatches = 16;
constexpr std::size_t kScaleWords = 10'000;

float scale_of(const Model& vectors) {
  double squares = 0;
  const std::size_t count = std::min(vectors.size(), kScaleWords);
  for (std::size_t i = 0; i < count; ++i) {
    for (const float x : vectors.vector(word_id(i))) squares += double{x} * x;
  }
  const double mean = squares / static_cast<double>(count * vectors.dim());
  return mean > 0 ? static_cast<float>(1 / std::sqrt(mean)) : 1;
}

}  // namespace

struct TextLstm::Net {
  std::shared_ptr<const Model> vectors;
  float scale;
  torch::nn::LSTM lstm;
  torch::nn::Linear last;

  Net(std::shared_ptr<const Model> from, const LstmPlan& plan)
      : vectors(std::move(from)),
        scale(scale_of(*vectors)),
        lstm(torch::nn::LSTMOptions(static_cast<std::int64_t>(vectors->dim()),
                                    static_cast<std::int64_t>(plan.hidden))
                 .batch_first(true)
                 .bidirectional(true)),
        last(2 * static_cast<std::int64_t>(plan.hidden), 1) {
    // As torch does it, but from a generator of our own: the global one is shared.
    at::Generator generator = at::detail::createCPUGenerator(plan.seed);
    const torch::NoGradGuard no_gradient;
    const double bound = 1 / std::sqrt(static_cast<double>(plan.hidden));
    for (at::Tensor& weights : lstm->parameters()) weights.uniform_(-bound, bound, generator);
    for (at::Tensor& weights : last->parameters()) weights.uniform_(-bound, bound, generator);
  }
  [[nodiscard]] std::vector<at::Tensor> parameters() const {
    std::vector<at::Tensor> out = lstm->parameters();
    for (const at::Tensor& weights : last->parameters()) out.push_back(weights);
    return out;
  }

  // An empty text counts as one unknown word.
  at::Tensor forward(const Texts& texts, std::span<const std::uint32_t> batch) {
    std::vector<std::int64_t> lengths;
    for (const std::uint32_t i : batch) {
      lengths.push_back(std::max<std::int64_t>(1, static_cast<std::int64_t>(texts.text(i).size())));
    }
    const std::int64_t longest = std::ranges::max(lengths);
    const auto count = static_cast<std::int64_t>(batch.size());
    const auto dim = static_cast<std::int64_t>(vectors->dim());
    at::Tensor words = torch::zeros({count, longest, dim});
    auto* values = words.data_ptr<float>();
    for (std::size_t b = 0; b < batch.size(); ++b) {
      float* row = values + static_cast<std::int64_t>(b) * longest * dim;
      for (const std::int32_t word : texts.text(batch[b])) {
        if (word != Texts::kUnknown) {
          const auto vector = vectors->vector(word_id(static_cast<std::size_t>(word)));
          std::ranges::transform(vector, row, [this](float x) { return x * scale; });
        }
        row += dim;
      }
    }
    const at::Tensor sizes = torch::tensor(lengths, torch::kLong);
    const auto packed = torch::nn::utils::rnn::pack_padded_sequence(words, sizes, true, false);
    const auto states = std::get<0>(lstm->forward_with_packed_input(packed));
    const at::Tensor padded = std::get<0>(torch::nn::utils::rnn::pad_packed_sequence(states, true));
    const at::Tensor mean = padded.sum(1) / sizes.to(torch::kFloat).unsqueeze(1);
    return last(mean).squeeze(1);
  }
};

TextLstm::TextLstm(std::shared_ptr<const Model> vectors, const LstmPlan& plan)
    : plan_(plan), net_(std::make_unique<Net>(std::move(vectors), plan)) {}
TextLstm::~TextLstm() = default;
TextLstm::TextLstm(TextLstm&&) noexcept = default;

void TextLstm::train(const Texts& texts) {
  at::set_num_threads(1);
  torch::optim::Adam adam(net_->parameters(), torch::optim::AdamOptions(plan_.learning_rate));
  Rng rng = Rng::seeded_not_private(plan_.seed, 1);
  std::vector<std::uint32_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t epoch = 0; epoch < plan_.epochs; ++epoch) {
    shuffle(order, rng);
    const std::size_t chunk = plan_.batch * kSortedBatches;
    for (std::size_t at = 0; at < order.size(); at += chunk) {
      const auto own = std::span(order).subspan(at, std::min(chunk, order.size() - at));
      std::ranges::stable_sort(own, {}, [&](std::uint32_t i) { return texts.text(i).size(); });
    }
    for (std::size_t at = 0; at < order.size(); at += plan_.batch) {
      const auto batch = std::span(order).subspan(at, std::min(plan_.batch, order.size() - at));
      std::vector<float> labels;
      for (const std::uint32_t i : batch) labels.push_back(texts.labels[i]);
      adam.zero_grad();
      torch::nn::functional::binary_cross_entropy_with_logits(net_->forward(texts, batch),
                                                              torch::tensor(labels))
          .backward();
      adam.step();
    }
  }
}

std::vector<float> TextLstm::scores(const Texts& texts) const {
  at::set_num_threads(1);
  const torch::NoGradGuard no_gradient;
  std::vector<float> out(texts.size());
  std::vector<std::uint32_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return texts.text(i).size(); });
  for (std::size_t at = 0; at < order.size(); at += plan_.batch) {
    const auto batch = std::span(order).subspan(at, std::min(plan_.batch, order.size() - at));
    const at::Tensor scores = net_->forward(texts, batch).contiguous();
    for (std::size_t i = 0; i < batch.size(); ++i) out[batch[i]] = scores.data_ptr<float>()[i];
  }
  return out;
}

}  // namespace sotto::lab::vickrey
