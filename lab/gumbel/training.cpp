#include "lab/gumbel/training.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/optim/adam.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/shuffle.h"
#include "lab/tem/stopwatch.h"

namespace sotto::lab::gumbel {

namespace {

constexpr double kRate = 1e-3;
constexpr double kWeightDecay = 1e-4;
constexpr double kLargestGradient = 0.25;
constexpr double kKappa = 0.8;
constexpr std::size_t kJudged = 100;         // texts of a batch in evaluation
constexpr std::size_t kSortedTogether = 30;  // batches

struct Padded {
  at::Tensor words;
  at::Tensor mask;
};
// Padding repeats word 0; the mask is 0 there.
Padded padded(const std::vector<std::vector<WordId>>& texts, std::span<const std::uint32_t> chosen) {
  std::size_t length = 1;
  for (const std::uint32_t i : chosen) length = std::max(length, texts[i].size());
  const auto rows = static_cast<std::int64_t>(chosen.size());
  const auto columns = static_cast<std::int64_t>(length);
  Padded out{.words = at::zeros({rows, columns}, at::kLong), .mask = at::zeros({rows, columns})};
  auto* word = out.words.data_ptr<std::int64_t>();
  auto* mask = out.mask.data_ptr<float>();
  for (std::size_t r = 0; r < chosen.size(); ++r) {
    const std::vector<WordId>& text = texts[chosen[r]];
    for (std::size_t i = 0; i < text.size(); ++i) {
      word[r * length + i] = static_cast<std::int64_t>(index_of(text[i]));
      mask[r * length + i] = 1;
    }
  }
  return out;
}

// Random batches of texts of about the same length, which leaves little padding.
std::vector<std::vector<std::uint32_t>> random_batches(const Examples& examples, std::size_t size, Rng& rng) {
  std::vector<std::uint32_t> order(examples.size());
  std::iota(order.begin(), order.end(), 0U);
  shuffle(order, rng);
  const std::size_t together = size * kSortedTogether;
  for (std::size_t at = 0; at < order.size(); at += together) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), at + together));
    std::stable_sort(begin, end, [&](std::uint32_t a, std::uint32_t b) {
      return examples.texts[a].size() < examples.texts[b].size();
    });
  }
  std::vector<std::uint32_t> sequence((order.size() + size - 1) / size);
  std::iota(sequence.begin(), sequence.end(), 0U);
  shuffle(sequence, rng);
  std::vector<std::vector<std::uint32_t>> batches;
  for (const std::uint32_t i : sequence) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(i * size);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), (i + 1) * size));
    batches.emplace_back(begin, end);
  }
  return batches;
}

// Calls body(batch, its examples) for all examples, the shortest texts first, without gradients.
template <class Body>
void in_batches(const Examples& examples, Body&& body) {
  const at::NoGradGuard no_gradient;
  std::vector<std::uint32_t> order(examples.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return examples.texts[i].size(); });
  for (std::size_t at = 0; at < order.size(); at += kJudged) {
    const auto chosen = std::span(order).subspan(at, std::min(kJudged, order.size() - at));
    body(batch_of(examples, chosen), chosen);
  }
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
struct Strength {
  double kappa = 0;
  double share = 0;
};
Strength strength_at(std::size_t epoch, const TrainingPlan& plan) {
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
  Padded texts = padded(examples.texts, chosen);
  Batch batch{.texts = texts.words,
              .mask = texts.mask,
              .premises = {},
              .premise_mask = {},
              .labels = at::empty({static_cast<std::int64_t>(chosen.size())}, at::kLong)};
  auto* label = batch.labels.data_ptr<std::int64_t>();
  for (const std::uint32_t i : chosen) *label++ = examples.labels[i];
  if (!examples.premises.empty()) {
    Padded premises = padded(examples.premises, chosen);
    batch.premises = premises.words;
    batch.premise_mask = premises.mask;
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
  Stopwatch watch;
  double spent = 0;
  for (std::size_t epoch = 0; epoch < plan.epochs; ++epoch) {
    const Strength strength = strength_at(epoch, plan);
    for (const std::vector<std::uint32_t>& chosen : random_batches(training, plan.batch, rng)) {
      const Batch batch = batch_of(training, chosen);
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
    }
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
  in_batches(examples, [&](const Batch& batch, std::span<const std::uint32_t> /*chosen*/) {
    Dropout none;
    right += (model.logits(batch, none).argmax(1) == batch.labels).sum().item<double>();
  });
  return right / static_cast<double>(examples.size());
}

double certified_accuracy(const TextModel& model, const Examples& examples, const AllowedWords& allowed) {
  double certified = 0;
  in_batches(examples, [&](const Batch& batch, std::span<const std::uint32_t> /*chosen*/) {
    Dropout none;
    at::Tensor margins = model.margins(batch, allowed, 1, none);
    margins.scatter_(1, batch.labels.unsqueeze(1), -1);
    certified += (margins.amax(1) < 0).sum().item<double>();
  });
  return certified / static_cast<double>(examples.size());
}

std::vector<float> losses(const TextModel& model, const Examples& examples) {
  std::vector<float> out(examples.size());
  in_batches(examples, [&](const Batch& batch, std::span<const std::uint32_t> chosen) {
    Dropout none;
    const at::Tensor loss =
        -at::log_softmax(model.logits(batch, none), 1).gather(1, batch.labels.unsqueeze(1)).contiguous();
    const auto* value = loss.data_ptr<float>();
    for (const std::uint32_t i : chosen) out[i] = *value++;
  });
  return out;
}

}  // namespace sotto::lab::gumbel
