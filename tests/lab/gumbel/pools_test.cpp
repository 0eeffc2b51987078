#include "lab/gumbel/pools.h"

// Before ATen.h, which uses the type IValue where clang must know all of it.
#include <ATen/core/ivalue.h>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include "lab/gumbel/random_tensor.h"

namespace sotto::lab::gumbel {
namespace {

// Lengths that meet both ends at once, and words that follow themselves.
Places some_places() {
  return {.rows = at::tensor({3, 0, 1, 1, 2, 4, 4, 4, 3, 0}, at::kInt),
          .lengths = at::tensor({1, 2, 5, 2}, at::kLong)};
}
// The rows of one text of some_places().
at::Tensor rows_of(const at::Tensor& table, std::int64_t text) {
  const Places places = some_places();
  const std::int64_t first = places.lengths.slice(0, 0, text).sum().item<std::int64_t>();
  const std::int64_t length = places.lengths[text].item<std::int64_t>();
  return table.index_select(0, places.rows.slice(0, first, first + length).to(at::kLong));
}

// The definition, by torch's own convolution, text by text.
at::Tensor mean_by_convolution(const at::Tensor& words, const at::Tensor& weight, const at::Tensor& bias) {
  std::vector<at::Tensor> means;
  for (std::int64_t text = 0; text < 4; ++text) {
    const at::Tensor places = rows_of(words, text).t().unsqueeze(0);  // 1 x channels x places
    means.push_back(at::relu(at::conv1d(places, weight, bias, 1, 1)).mean(2).squeeze(0));
  }
  return at::stack(means);
}

TEST(MeanOfPlaces, IsTheMeanOfARectifiedConvolutionWithItsGradients) {
  for (const std::int64_t units : {3, 16, 37}) {  // below, at and above the width of a register
    const auto input = [&](at::IntArrayRef sizes, std::uint64_t seed) {
      return random_tensor(sizes, seed).set_requires_grad(true);
    };
    const at::Tensor words = input({5, 4}, 1);
    const at::Tensor weight = input({units, 4, 3}, 2);
    const at::Tensor bias = input({units}, 3);
    const at::Tensor direction = random_tensor({4, units}, 4);

    const at::Tensor wanted = mean_by_convolution(words, weight, bias);
    (wanted * direction).sum().backward();
    std::vector<at::Tensor> wanted_gradients;
    for (const at::Tensor& parameter : {words, weight, bias}) {
      wanted_gradients.push_back(parameter.grad().clone());
      parameter.grad().zero_();
    }

    const at::Tensor none = at::zeros({units});
    const Layer parts{.weight = weight.permute({2, 0, 1}).reshape({3 * units, 4}),
                      .bias = at::cat({none, bias, none})};
    const at::Tensor means = mean_of_places(linear(words, parts), some_places());
    EXPECT_TRUE(at::allclose(means, wanted, 1e-4, 1e-5));
    (means * direction).sum().backward();
    std::size_t i = 0;
    for (const at::Tensor& parameter : {words, weight, bias}) {
      EXPECT_TRUE(at::allclose(parameter.grad(), wanted_gradients[i++], 1e-4, 1e-5));
    }
  }
}

TEST(SumOfPlaces, AddsTheRowsOfEachText) {
  const at::Tensor table = random_tensor({5, 7}, 5);
  const at::Tensor sums = sum_of_places(table, some_places());
  for (std::int64_t text = 0; text < 4; ++text) {
    EXPECT_TRUE(at::allclose(sums[text], rows_of(table, text).sum(0), 1e-4, 1e-5));
  }
}

TEST(BoxOfGroups, HasTheExtremesOfEachGroupAndTheirGradients) {
  const std::vector<std::int64_t> ends = {1, 4, 6};
  const at::Tensor rows = random_tensor({6, 5}, 6).set_requires_grad(true);
  const at::Tensor to_lower = random_tensor({3, 5}, 7);
  const at::Tensor to_upper = random_tensor({3, 5}, 8);
  std::vector<at::Tensor> lower;
  std::vector<at::Tensor> upper;
  std::int64_t first = 0;
  for (const std::int64_t end : ends) {
    lower.push_back(rows.slice(0, first, end).amin(0));
    upper.push_back(rows.slice(0, first, end).amax(0));
    first = end;
  }
  (at::stack(lower) * to_lower + at::stack(upper) * to_upper).sum().backward();
  const at::Tensor wanted = rows.grad().clone();
  rows.grad().zero_();

  const Box box = box_of_groups(rows, ends);
  EXPECT_TRUE(at::equal(box.lower, at::stack(lower)));
  EXPECT_TRUE(at::equal(box.upper, at::stack(upper)));
  (box.lower * to_lower + box.upper * to_upper).sum().backward();
  EXPECT_TRUE(at::allclose(rows.grad(), wanted));
}

TEST(BatchWords, HasEachWordOnceWithItsAllowedWords) {
  Texts texts;
  texts.add(std::vector<WordId>{word_id(4), word_id(1), word_id(4)});
  texts.add(std::vector<WordId>{word_id(1)});
  const AllowedWords allowed = {{word_id(0)},
                                {word_id(1), word_id(3)},
                                {word_id(2)},
                                {word_id(3)},
                                {word_id(4), word_id(0), word_id(2)}};
  const BatchWords batch = batch_words(texts, allowed.size(), &allowed);
  EXPECT_TRUE(at::equal(batch.words, at::tensor({4, 1}, at::kLong)));
  EXPECT_TRUE(at::equal(batch.places.rows, at::tensor({0, 1, 0, 1}, at::kInt)));
  EXPECT_TRUE(at::equal(batch.places.lengths, at::tensor({3, 1}, at::kLong)));
  EXPECT_TRUE(at::equal(batch.options, at::tensor({4, 0, 2, 1, 3}, at::kLong)));
  EXPECT_EQ(batch.option_ends, (std::vector<std::int64_t>{3, 5}));
}

}  // namespace
}  // namespace sotto::lab::gumbel
