#include <gtest/gtest.h>

#include <mutex>

#include "attack/scene.h"
#include "support/models.h"

namespace sotto {
namespace {

// Keeps what was believed. Threads tell it about different tokens at the same time.
class Heard final : public PosteriorSink {
 public:
  void believe(std::size_t token, std::span<const float> posterior) override {
    const std::lock_guard lock(mutex_);
    dense.resize(std::max(dense.size(), token + 1));
    dense[token].assign(posterior.begin(), posterior.end());
  }
  void believe_some(std::size_t token, std::span<const Belief> beliefs, double /*rest*/) override {
    const std::lock_guard lock(mutex_);
    some.resize(std::max(some.size(), token + 1));
    some[token].assign(beliefs.begin(), beliefs.end());
  }
  void guess(std::size_t /*token*/, const Guess& /*guess*/) override {}
  std::vector<std::vector<float>> dense;
  std::vector<std::vector<Belief>> some;

 private:
  std::mutex mutex_;
};

// With fewer words than candidates the lattice holds every word, and nothing is pruned: the posterior is that
// of all sequences of words under the trigram model.
TEST(Trigram, EqualsBruteForceWhereNothingIsPruned) {
  constexpr std::size_t kWords = 6;
  const auto model = test::gaussian_model({.words = kWords, .dim = 3});
  TokenText text = test::chained_text({.documents = 3, .length = 5, .seed = 19});
  test::AttackScene scene(build_mechanism("tem", model, {{"epsilon", "1"}}).mechanism,
                          test::trained(test::chained_text({.documents = 300}), kWords, 3, model->identity()),
                          text);
  const LanguageModel& lm = scene.file->model();
  Heard heard;
  Heard unheard;
  const std::vector<const AttackerInfo*> chosen = {&find_attacker("bigram"), &find_attacker("trigram")};
  const std::vector<PosteriorSink*> sinks = {&unheard, &heard};
  run_attackers(scene.knowledge, ReleaseView(scene.outputs), chosen, sinks, {});
  std::vector<float> columns(kWords * kWords);
  std::vector<WordId> all;
  for (std::size_t y = 0; y < kWords; ++y) all.push_back(word_id(y));
  scene.channel->columns(all, columns, {});
  for (std::size_t d = 0; d < 3; ++d) {
    const auto outputs = scene.outputs.document(d);
    std::vector<std::vector<double>> expected(5, std::vector<double>(kWords, 0.0));
    double total = 0;
    for (std::size_t s = 0; s < std::size_t{6} * 6 * 6 * 6 * 6; ++s) {
      std::array<std::size_t, 5> words{};
      std::size_t left = s;
      double p = 1;
      for (std::size_t t = 0; t < 5; ++t) {
        words[t] = left % kWords;
        left /= kWords;
        const double next = t == 0   ? lm.bigram(lm.start(), words[0])
                            : t == 1 ? lm.trigram(lm.start(), words[0], words[1])
                                     : lm.trigram(words[t - 2], words[t - 1], words[t]);
        p *= next * double{columns[index_of(outputs[t]) * kWords + words[t]]};
      }
      for (std::size_t t = 0; t < 5; ++t) expected[t][words[t]] += p;
      total += p;
    }
    for (std::size_t t = 0; t < 5; ++t) {
      for (const Belief& belief : heard.some[5 * d + t]) {
        EXPECT_NEAR(belief.probability, expected[t][index_of(belief.word)] / total, 1e-5) << d << " " << t;
      }
    }
  }
}

}  // namespace
}  // namespace sotto
