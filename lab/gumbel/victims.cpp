#include "lab/gumbel/victims.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cstddef>

namespace sotto::lab::gumbel {

FrozenModel::FrozenModel(const TextModel& model) : model_(model), contributions_(model.contributions()) {}

at::Tensor FrozenModel::logits(std::span<const WordId> texts, std::size_t length,
                               std::span<const float> premise) const {
  const at::NoGradGuard no_gradient;
  const std::size_t count = texts.size() / length;
  const auto size = static_cast<std::size_t>(model_.pool_size());
  at::Tensor pools =
      at::empty({static_cast<std::int64_t>(count), static_cast<std::int64_t>(size)}, at::kFloat);
  auto* pool = pools.data_ptr<float>();
  const auto* contributions = contributions_.data_ptr<float>();
  for (std::size_t i = 0; i < count; ++i, pool += size) {
    std::copy(premise.begin(), premise.end(), pool);
    model_.pool_words(contributions, texts.subspan(i * length, length), pool);
  }
  Dropout none;
  return model_.logits_of_pools(pools, none);
}

std::vector<float> FrozenModel::premise_pool(std::span<const WordId> premise) const {
  // A premise goes through the same sum as a hypothesis, whose half comes second.
  const auto units = static_cast<std::size_t>(model_.word_units());
  std::vector<float> both(2 * units);
  model_.pool_words(contributions_.data_ptr<float>(), premise, both.data());
  return {both.begin() + static_cast<std::ptrdiff_t>(units), both.end()};
}

ExampleVictim::ExampleVictim(const FrozenModel& model, const Examples& examples, std::size_t example)
    : model_(model), label_(examples.labels[example]) {
  if (!examples.premises.empty()) premise_ = model.premise_pool(examples.premises[example]);
}

std::vector<Victim::Verdict> ExampleVictim::judge(std::span<const WordId> texts, std::size_t length) {
  std::vector<Verdict*> places;  // pointers into a std::unordered_map stay valid while it grows
  std::vector<Verdict*> fresh;
  std::vector<WordId> fresh_texts;
  for (std::size_t at = 0; at < texts.size(); at += length) {
    const std::span<const WordId> text = texts.subspan(at, length);
    const std::span<const std::byte> bytes = std::as_bytes(text);
    const auto [known, is_new] =
        known_.try_emplace(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    places.push_back(&known->second);
    if (!is_new) continue;
    fresh.push_back(&known->second);
    fresh_texts.insert(fresh_texts.end(), text.begin(), text.end());
  }
  if (!fresh.empty()) {
    const at::Tensor logits = model_.logits(fresh_texts, length, premise_);
    const at::Tensor right = at::softmax(logits, 1).select(1, label_).contiguous();
    const at::Tensor classes = logits.argmax(1).contiguous();
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      *fresh[i] = {.right_probability = right.data_ptr<float>()[i],
                   .right = classes.data_ptr<std::int64_t>()[i] == label_};
    }
  }
  std::vector<Verdict> out;
  for (const Verdict* verdict : places) out.push_back(*verdict);
  return out;
}

Robustness attack_all(const TextModel& model, const Examples& examples, const WordMechanism& mechanism,
                      const AttackPlan& plan, std::uint64_t seed) {
  at::set_num_threads(1);
  const FrozenModel frozen(model);
  Robustness out{.examples = examples.size()};
  for (std::size_t i = 0; i < examples.size(); ++i) {
    ExampleVictim victim(frozen, examples, i);
    const std::vector<WordId>& text = examples.texts[i];
    if (!victim.judge(text, text.size()).front().right) continue;
    ++out.right;
    Rng rng = Rng::seeded_not_private(seed, i);
    const std::vector<std::uint8_t> all(text.size(), 1);
    const AttackOutcome outcome = attack({.text = text, .may_change = all}, mechanism, victim, plan, rng);
    out.withstood += outcome.fooled ? 0 : 1;
    out.generations += static_cast<double>(outcome.generations);
  }
  if (out.right > 0) out.generations /= static_cast<double>(out.right);
  return out;
}

}  // namespace sotto::lab::gumbel
