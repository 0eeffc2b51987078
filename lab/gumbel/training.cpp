#include "lab/gumbel/training.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/optim/adam.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/gumbel/thread_time.h"
#include "lab/shuffle.h"

namespace sotto::lab::gumbel {

namespace {

constexpr double kRate = 1e-3;
constexpr double kWeightDecay = 1e-4;
constexpr double kLargestGradient = 0.25;
constexpr double kKappa = 0.8;
constexpr std::size_t kJudged = 100;  // texts of a batch in evaluation

// Calls body(batch, its examples) for all examples in this order, `size` at a time.
template <class Body>
void in_batches(const Examples& examples, std::span<const std::uint32_t> order, std::size_t size,
                Body&& body) {
  for (std::size_t at = 0; at < order.size(); at += size) {
    const auto chosen = order.subspan(at, std::min(size, order.size() - at));
    body(batch_of(examples, chosen), chosen);
  }
}
std::vector<std::uint32_t> in_order(const Examples& examples) {
  std::vector<std::uint32_t> order(examples.size());
  std::iota(order.begin(), order.end(), 0U);
  return order;
}
// The same without gradients, for evaluation.
template <class Body>
void judge_batches(const Examples& examples, Body&& body) {
  const at::NoGradGuard no_gradient;
  in_batches(examples, in_order(examples), kJudged, body);
}

std::vector<at::Tensor> copies(const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> out;
  for (const at::Tensor& parameter : parameters) out.push_back(parameter.detach().clone());
  return out;
}

// Scales all gradients down together where their common norm is above the limit.
void cut_gradients(const std::vector<at::Tensor>& parameters) {
  const at::NoGradGuard no_gradient;
  double squares = 0;
  for (const at::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) squares += parameter.grad().square().sum().item<double>();
  }
  const double norm = std::sqrt(squares);
  if (!(norm > kLargestGradient)) return;
  for (const at::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) parameter.grad().mul_(kLargestGradient / norm);
  }
}

// How strong certified training is in an epoch: kappa and the share of the box.
struct RampStrength {
  double kappa = 0;
  double share = 0;
};
RampStrength strength_at(std::size_t epoch, const TrainingPlan& plan) {
  if (plan.ramp == 0) return {};
  const double grown =
      plan.ramp == 1 ? 1 : std::min(1.0, static_cast<double>(epoch) / static_cast<double>(plan.ramp - 1));
  return {.kappa = kKappa * grown, .share = grown};
}

}  // namespace

Examples examples_of(const Part& part, const ExampleLimits& limits) {
  Examples out;
  const std::size_t all = part.texts.size();
  const std::size_t wanted = std::min(all, limits.most);
  for (std::size_t i = 0; i < wanted; ++i) {
    const std::size_t at = i * all / wanted;
    const auto cut = [&](const Corpus& corpus) {
      const std::span<const WordId> words = corpus.document(at);
      const std::span<const WordId> kept = words.first(std::min(words.size(), limits.length));
      return std::vector<WordId>(kept.begin(), kept.end());
    };
    std::vector<WordId> text = cut(part.texts);
    if (text.empty()) continue;
    out.texts.push_back(std::move(text));
    if (part.premises.size() > 0) out.premises.push_back(cut(part.premises));
    out.labels.push_back(part.texts.labels[at]);
  }
  return out;
}

Batch batch_of(const Examples& examples, std::span<const std::uint32_t> chosen) {
  Batch batch{.texts = {},
              .premises = {},
              .labels = at::empty({static_cast<std::int64_t>(chosen.size())}, at::kLong)};
  auto* label = batch.labels.data_ptr<std::int64_t>();
  for (const std::uint32_t i : chosen) {
    batch.texts.add(examples.texts[i]);
    if (!examples.premises.empty()) batch.premises.add(examples.premises[i]);
    *label++ = examples.labels[i];
  }
  return batch;
}

TrainingReport train(TextModel& model, const Examples& training, const Examples& development,
                     const AllowedWords& allowed, const TrainingPlan& plan) {
  at::set_num_threads(1);
  at::Generator generator = at::detail::createCPUGenerator(plan.seed);
  Rng rng = Rng::seeded_not_private(plan.seed, 1);
  const std::vector<at::Tensor> parameters = model.parameters();
  torch::optim::Adam adam(parameters, torch::optim::AdamOptions(kRate).weight_decay(kWeightDecay));
  TrainingReport report{.epochs = 0, .development = -1};
  std::vector<at::Tensor> best = copies(parameters);
  ThreadTime watch;
  double spent = 0;
  for (std::size_t epoch = 0; epoch < plan.epochs; ++epoch) {
    const RampStrength strength = strength_at(epoch, plan);
    std::vector<std::uint32_t> order = in_order(training);
    shuffle(order, rng);
    in_batches(
        training, order, plan.batch, [&](const Batch& batch, std::span<const std::uint32_t> /*chosen*/) {
          Dropout dropout(plan.dropout, generator);
          adam.zero_grad();
          at::Tensor loss = at::cross_entropy_loss(model.logits(batch, dropout), batch.labels);
          if (strength.kappa > 0) {
            dropout.rewind();
            const at::Tensor worst =
                at::cross_entropy_loss(model.margins(batch, allowed, strength.share, dropout), batch.labels);
            loss = strength.kappa * worst + (1 - strength.kappa) * loss;
          }
          loss.backward();
          cut_gradients(parameters);
          adam.step();
        });
    ++report.epochs;
    spent += watch.seconds();
    // The weights of a certified training count from the first epoch at full strength on.
    const bool ramping = plan.ramp > 0 && epoch + 1 < plan.ramp;
    const double accuracy = plan.ramp > 0 && !ramping ? certified_accuracy(model, development, allowed)
                                                      : clean_accuracy(model, development);
    tell(fmt::format("epoch {}: development accuracy {:.4f}, {:.0f} s", epoch + 1, accuracy, spent));
    if (ramping || accuracy <= report.development) continue;
    report.development = accuracy;
    best = copies(parameters);
  }
  model.set_parameters(best);
  return report;
}

double clean_accuracy(const TextModel& model, const Examples& examples) {
  double right = 0;
  judge_batches(examples, [&](const Batch& batch, std::span<const std::uint32_t> /*chosen*/) {
    Dropout none;
    right += (model.logits(batch, none).argmax(1) == batch.labels).sum().item<double>();
  });
  return right / static_cast<double>(examples.size());
}

double certified_accuracy(const TextModel& model, const Examples& examples, const AllowedWords& allowed) {
  double certified = 0;
  judge_batches(examples, [&](const Batch& batch, std::span<const std::uint32_t> /*chosen*/) {
    Dropout none;
    at::Tensor margins = model.margins(batch, allowed, 1, none);
    margins.scatter_(1, batch.labels.unsqueeze(1), -1);
    certified += (margins.amax(1) < 0).sum().item<double>();
  });
  return certified / static_cast<double>(examples.size());
}

std::vector<float> losses(const TextModel& model, const Examples& examples) {
  std::vector<float> out(examples.size());
  judge_batches(examples, [&](const Batch& batch, std::span<const std::uint32_t> chosen) {
    Dropout none;
    const at::Tensor loss =
        -at::log_softmax(model.logits(batch, none), 1).gather(1, batch.labels.unsqueeze(1)).contiguous();
    const auto* value = loss.data_ptr<float>();
    for (const std::uint32_t i : chosen) out[i] = *value++;
  });
  return out;
}

}  // namespace sotto::lab::gumbel
