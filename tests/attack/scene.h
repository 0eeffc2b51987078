#pragma once
// A mechanism, a language model and a text, attacked.
#include <memory>
#include <string>
#include <vector>

#include "attack/attack_run.h"
#include "attack/small_lm.h"
#include "sotto/certificate.h"

namespace sotto::test {

struct AttackScene {
  Mechanism mechanism;
  std::shared_ptr<const LanguageModelFile> file;
  TokenSample sample = {};
  TokenText outputs = {};
  std::unique_ptr<const Channel> channel = {};
  std::unique_ptr<const BigramChain> chain = {};
  std::unique_ptr<const AllPairs> pairs = {};
  AttackKnowledge knowledge = {};

  AttackScene(Mechanism given, std::shared_ptr<const LanguageModelFile> lm, const TokenText& text)
      : mechanism(std::move(given)), file(std::move(lm)) {
    sample.text = text;
    sample.is_unknown.assign(text.words.size(), 0);
    outputs = released(mechanism, text, RandomSource::seeded_not_private(1), 0, 2);
    channel =
        Channel::make(mechanism, {.prior = file->model().unigram, .seed_not_private = 2}, {.threads = 2});
    chain = std::make_unique<const BigramChain>(file->model());
    pairs = std::make_unique<const AllPairs>(mechanism.space);
    knowledge = {.lm = &file->model(),
                 .channel = channel.get(),
                 .space = mechanism.space.get(),
                 .pairs = pairs.get(),
                 .chain = chain.get(),
                 .threads = 2};
  }

  std::vector<AttackOutcome> attack() {
    knowledge.weights =
        fitted_weights(knowledge, mechanism, RandomSource::seeded_not_private(3), {.threads = 2});
    return attack_text(knowledge, {.sample = &sample, .outputs = &outputs}, {.threads = 2});
  }
};

inline const AttackOutcome& outcome(const std::vector<AttackOutcome>& all, std::string_view name) {
  for (const AttackOutcome& own : all) {
    if (own.attacker->name == name) return own;
  }
  throw std::out_of_range("no such attacker");
}

}  // namespace sotto::test
