#include "lab/gumbel/interval_bounds.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include <functional>

#include "lab/gumbel/pools.h"
#include "lab/gumbel/random_tensor.h"
#include "lab/gumbel/text_model.h"
#include "lab/gumbel/training.h"

namespace sotto::lab::gumbel {
namespace {

constexpr std::int64_t kRows = 12;
constexpr std::int64_t kDim = 5;

at::Generator generator_of(std::uint64_t seed) {
  return at::detail::createCPUGenerator(seed);
}

// Words 0, 3, 6 and 9 may become the next two; the others stay.
AllowedWords some_allowed() {
  AllowedWords allowed;
  for (std::size_t i = 0; i < static_cast<std::size_t>(kRows); ++i) {
    allowed.push_back({word_id(i)});
    if (i % 3 == 0) allowed.back().insert(allowed.back().end(), {word_id(i + 1), word_id(i + 2)});
  }
  return allowed;
}

Examples one_example(const std::vector<WordId>& text, std::uint8_t label, bool with_premise) {
  Examples examples{.texts = {text}, .premises = {}, .labels = {label}};
  if (with_premise) examples.premises = {{word_id(2), word_id(0)}};
  return examples;
}
Batch whole(const Examples& examples) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < examples.size(); ++i) all.push_back(i);
  return batch_of(examples, all);
}

// Every text that the allowed substitutions make of `text`.
std::vector<std::vector<WordId>> all_substitutions(const std::vector<WordId>& text,
                                                   const AllowedWords& allowed) {
  std::vector<std::vector<WordId>> texts = {{}};
  for (const WordId word : text) {
    std::vector<std::vector<WordId>> longer;
    for (const std::vector<WordId>& begun : texts) {
      for (const WordId option : allowed[index_of(word)]) {
        longer.push_back(begun);
        longer.back().push_back(option);
      }
    }
    texts = std::move(longer);
  }
  return texts;
}

// Both models at several random weights. Large vectors make large boxes.
void for_each_network(const std::function<void(const TextModel&, bool with_premise)>& body) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const at::Tensor vectors = random_tensor({kRows, kDim}, seed) * 2;
    const ModelShape shape{.hidden = 7, .classes = 3};
    body(*new_cnn(vectors, shape, generator_of(seed + 100)), false);
    body(*new_bag_of_words(vectors, shape, generator_of(seed + 200)), true);
  }
}

TEST(IntervalBounds, OfOneLinearLayerAreExact) {
  const Layer layer{.weight = random_tensor({4, 3}, 1), .bias = random_tensor({4}, 2)};
  const Interval box{.centre = random_tensor({1, 3}, 3), .radius = random_tensor({1, 3}, 4).abs()};
  const Interval out = linear(box, layer);
  at::Tensor low = at::full({1, 4}, 1e9);
  at::Tensor high = at::full({1, 4}, -1e9);
  for (int corner = 0; corner < 8; ++corner) {
    at::Tensor x = box.centre.clone();
    for (int i = 0; i < 3; ++i) x[0][i] += ((corner >> i) & 1) != 0 ? box.radius[0][i] : -box.radius[0][i];
    low = at::minimum(low, linear(x, layer));
    high = at::maximum(high, linear(x, layer));
  }
  EXPECT_TRUE(at::allclose(out.lower(), low, 1e-5, 1e-5));
  EXPECT_TRUE(at::allclose(out.upper(), high, 1e-5, 1e-5));
}

TEST(IntervalBounds, OfMarginsOfOneLinearLayerAreExact) {
  const Layer last{.weight = random_tensor({3, 2}, 5), .bias = random_tensor({3}, 6)};
  const Interval box{.centre = random_tensor({1, 2}, 7), .radius = random_tensor({1, 2}, 8).abs()};
  const at::Tensor label = at::full({1}, 1, at::kLong);
  at::Tensor high = at::full({1, 3}, -1e9);
  for (int corner = 0; corner < 4; ++corner) {
    at::Tensor x = box.centre.clone();
    for (int i = 0; i < 2; ++i) x[0][i] += ((corner >> i) & 1) != 0 ? box.radius[0][i] : -box.radius[0][i];
    const at::Tensor logits = linear(x, last);
    high = at::maximum(high, logits - logits.select(1, 1).unsqueeze(1));
  }
  EXPECT_TRUE(at::allclose(worst_margins(box, last, label), high, 1e-5, 1e-5));
}

TEST(IntervalBounds, ContainEveryInputOfEveryLayer) {
  const Layer parts{.weight = random_tensor({12, 3}, 9), .bias = random_tensor({12}, 10)};
  const Interval box{.centre = random_tensor({6, 3}, 11), .radius = random_tensor({6, 3}, 12).abs()};
  // Two texts; a word that occurs twice has one value at both places, as in mean_of_places().
  const Places places{.rows = at::tensor({0, 1, 2, 1, 3, 4, 5}, at::kInt),
                      .lengths = at::tensor({4, 3}, at::kLong)};
  const auto network = [&](const auto& x) {
    return joined(mean_of_places(linear(x, parts), places), sum_of_places(rectified(x), places));
  };
  const Interval out = network(box);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const at::Tensor where = at::empty({6, 3}).uniform_(-1, 1, generator_of(seed + 1));
    // Also at corners, where bounds are attained.
    const at::Tensor y = network(box.centre + box.radius * (seed % 2 == 0 ? where : where.sign()));
    EXPECT_TRUE((y >= out.lower() - 1e-5).all().item<bool>());
    EXPECT_TRUE((y <= out.upper() + 1e-5).all().item<bool>());
  }
}

TEST(IntervalBounds, ContainEverySubstitutionOnRandomNetworks) {
  const AllowedWords allowed = some_allowed();
  const std::vector<WordId> text = {word_id(0), word_id(4), word_id(3), word_id(9), word_id(6)};
  for_each_network([&](const TextModel& model, bool with_premise) {
    for (std::uint8_t label = 0; label < 3; ++label) {
      Dropout none;
      const at::Tensor bound = model.margins(whole(one_example(text, label, with_premise)), allowed, 1, none);
      for (const std::vector<WordId>& other : all_substitutions(text, allowed)) {
        const at::Tensor logits = model.logits(whole(one_example(other, label, with_premise)), none);
        const at::Tensor margin = logits - logits.select(1, label).unsqueeze(1);
        ASSERT_TRUE((margin <= bound + 1e-4).all().item<bool>());
      }
    }
  });
}

TEST(IntervalBounds, ExhaustiveSearchNeverBeatsACertificate) {
  const AllowedWords allowed = some_allowed();
  std::size_t certified = 0;
  std::size_t fooled = 0;
  for_each_network([&](const TextModel& model, bool with_premise) {
    for (std::size_t first = 0; first < 12; ++first) {
      const std::vector<WordId> text = {word_id(first), word_id(9), word_id(1)};
      Dropout none;
      const auto label = static_cast<std::uint8_t>(
          model.logits(whole(one_example(text, 0, with_premise)), none).argmax(1).item<std::int64_t>());
      const bool holds = certified_accuracy(model, one_example(text, label, with_premise), allowed) == 1;
      bool beaten = false;
      for (const std::vector<WordId>& other : all_substitutions(text, allowed)) {
        beaten = beaten || clean_accuracy(model, one_example(other, label, with_premise)) < 1;
      }
      EXPECT_FALSE(holds && beaten);
      certified += holds ? 1 : 0;
      fooled += beaten ? 1 : 0;
    }
  });
  // Both kinds occur, or the test would say nothing.
  EXPECT_GT(certified, 0U);
  EXPECT_GT(fooled, 0U);
}

TEST(IntervalBounds, ABoxWithoutSizeGivesTheMarginsThemselves) {
  const AllowedWords allowed = some_allowed();
  for_each_network([&](const TextModel& model, bool with_premise) {
    const Batch batch = whole(one_example({word_id(0), word_id(3)}, 1, with_premise));
    Dropout none;
    const at::Tensor logits = model.logits(batch, none);
    const at::Tensor margin = logits - logits.select(1, 1).unsqueeze(1);
    EXPECT_TRUE(at::allclose(model.margins(batch, allowed, 0, none), margin, 1e-4, 1e-4));
  });
}

}  // namespace
}  // namespace sotto::lab::gumbel
