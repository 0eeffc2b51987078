#include "lab/gumbel/text_model.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "lab/gumbel/place_kernels.h"
#include "lab/gumbel/pools.h"

namespace sotto::lab::gumbel {

at::Tensor Dropout::mask_like(const at::Tensor& x) {
  if (next_ == masks_.size()) {
    const at::NoGradGuard no_gradient;
    masks_.push_back(at::empty(x.sizes()).bernoulli_(1 - share_, generator_) / (1 - share_));
  }
  return masks_[next_++];
}

Layer new_layer(std::vector<std::int64_t> weight_size, at::Generator& generator) {
  const at::NoGradGuard no_gradient;
  std::int64_t inputs = 1;
  for (std::size_t i = 1; i < weight_size.size(); ++i) inputs *= weight_size[i];
  const double bound = 1 / std::sqrt(static_cast<double>(inputs));
  Layer layer{.weight = at::empty(weight_size).uniform_(-bound, bound, generator),
              .bias = at::empty({weight_size[0]}).uniform_(-bound, bound, generator)};
  layer.weight.set_requires_grad(true);
  layer.bias.set_requires_grad(true);
  return layer;
}

TextModel::TextModel(at::Tensor vectors, const Sizes& sizes, at::Generator& generator)
    : vectors_(std::move(vectors)), word_layer_(new_layer({sizes.words_to, vectors_.size(1)}, generator)) {
  for (std::int64_t i = 0; i < sizes.hidden_layers; ++i) {
    hidden_.push_back(new_layer({sizes.pooled, sizes.pooled}, generator));
  }
  output_ = new_layer({sizes.classes, sizes.pooled}, generator);
}

at::Tensor TextModel::word_values(const at::Tensor& words) const {
  return rectified(linear(vectors_.index_select(0, words), word_layer_));
}

template <class Value>
Value TextModel::hidden_values(Value x, Dropout& dropout) const {
  x = dropout(x);
  for (const Layer& layer : hidden_) x = dropout(rectified(linear(x, layer)));
  return x;
}

at::Tensor TextModel::logits_of_pools(const at::Tensor& pools, Dropout& dropout) const {
  return linear(hidden_values(pools, dropout), output_);
}

TextModel::Placed<at::Tensor> TextModel::placed(const Texts& texts) const {
  if (texts.empty()) return {};
  BatchWords words = batch_words(texts, static_cast<std::size_t>(vocabulary()), nullptr);
  return {.words = word_values(words.words), .places = std::move(words.places)};
}

at::Tensor TextModel::logits(const Batch& batch, Dropout& dropout) const {
  return logits_of_pools(pool(placed(batch.texts), placed(batch.premises)), dropout);
}

at::Tensor TextModel::margins(const Batch& batch, const AllowedWords& allowed, double share,
                              Dropout& dropout) const {
  const BatchWords words = batch_words(batch.texts, static_cast<std::size_t>(vocabulary()), &allowed);
  const at::Tensor options = linear(vectors_.index_select(0, words.options), word_layer_);
  Box box = box_of_groups(options, words.option_ends);
  if (share < 1) {
    const at::Tensor own = linear(vectors_.index_select(0, words.words), word_layer_);
    box = {.lower = own + share * (box.lower - own), .upper = own + share * (box.upper - own)};
  }
  const Placed<Interval> text{.words = rectified(interval_between(box.lower, box.upper)),
                              .places = words.places};
  Placed<Interval> premise;
  if (!batch.premises.empty()) {
    Placed<at::Tensor> fixed = placed(batch.premises);
    premise = {.words = exactly(fixed.words), .places = std::move(fixed.places)};
  }
  return worst_margins(hidden_values(pool(text, premise), dropout), output_, batch.labels);
}

std::vector<at::Tensor> TextModel::parameters() const {
  std::vector<at::Tensor> all = own_parameters();
  const auto add = [&](const Layer& layer) { all.insert(all.end(), {layer.weight, layer.bias}); };
  add(word_layer_);
  for (const Layer& layer : hidden_) add(layer);
  add(output_);
  return all;
}

void TextModel::set_parameters(const std::vector<at::Tensor>& values) {
  const at::NoGradGuard no_gradient;
  std::vector<at::Tensor> all = parameters();
  for (std::size_t i = 0; i < all.size(); ++i) all[i].copy_(values.at(i));
}

namespace {

class Cnn final : public TextModel {
 public:
  Cnn(const at::Tensor& vectors, const ModelShape& shape, at::Generator& generator)
      : TextModel(
            vectors,
            {.words_to = shape.hidden, .pooled = shape.hidden, .hidden_layers = 1, .classes = shape.classes},
            generator),
        convolution_(new_layer({shape.hidden, shape.hidden, kWidth}, generator)) {}

  [[nodiscard]] at::Tensor contributions() const override {
    const at::NoGradGuard no_gradient;
    return linear(word_values(at::arange(vocabulary(), at::kLong)), parts()).contiguous();
  }

  void pool_words(const float* contributions, std::span<const WordId> text, float* pooled) const override {
    const auto units = static_cast<std::size_t>(word_units());
    const std::vector<float> outside(kWidth * units, 0.0F);
    std::vector<const float*> rows(text.size() + 2, outside.data());
    for (std::size_t i = 0; i < text.size(); ++i) {
      rows[i + 1] = contributions + index_of(text[i]) * kWidth * units;
    }
    std::fill(pooled, pooled + units, 0.0F);
    add_rectified_places(rows.data(), text.size(), units, pooled);
    const float share = 1 / static_cast<float>(std::max<std::size_t>(text.size(), 1));
    for (std::size_t i = 0; i < units; ++i) pooled[i] *= share;
  }

 private:
  static constexpr std::int64_t kWidth = 3;

  // The convolution as one linear layer, from a word to what the word adds to the place after it, to its own
  // and to the place before it. Each different word of a batch goes through it once.
  [[nodiscard]] Layer parts() const {
    const std::int64_t units = convolution_.bias.size(0);
    const at::Tensor none = at::zeros({units});
    return {.weight = convolution_.weight.permute({2, 0, 1}).reshape({kWidth * units, units}),
            .bias = at::cat({none, convolution_.bias, none})};
  }
  at::Tensor pool(const Placed<at::Tensor>& text, const Placed<at::Tensor>& /*premise*/) const override {
    return mean_of_places(linear(text.words, parts()), text.places);
  }
  Interval pool(const Placed<Interval>& text, const Placed<Interval>& /*premise*/) const override {
    return mean_of_places(linear(text.words, parts()), text.places);
  }
  [[nodiscard]] std::vector<at::Tensor> own_parameters() const override {
    return {convolution_.weight, convolution_.bias};
  }

  Layer convolution_;
};

class BagOfWords final : public TextModel {
 public:
  BagOfWords(const at::Tensor& vectors, const ModelShape& shape, at::Generator& generator)
      : TextModel(vectors,
                  {.words_to = shape.hidden,
                   .pooled = 2 * shape.hidden,
                   .hidden_layers = 3,
                   .classes = shape.classes},
                  generator) {}

  [[nodiscard]] at::Tensor contributions() const override {
    const at::NoGradGuard no_gradient;
    return word_values(at::arange(vocabulary(), at::kLong)).contiguous();
  }
  // The premise's half stands first and is the caller's; this fills the second half.
  void pool_words(const float* contributions, std::span<const WordId> text, float* pooled) const override {
    const auto units = static_cast<std::size_t>(word_units());
    std::fill(pooled + units, pooled + 2 * units, 0.0F);
    for (const WordId word : text) {
      const float* row = contributions + index_of(word) * units;
      for (std::size_t i = 0; i < units; ++i) pooled[units + i] += row[i];
    }
  }

 private:
  template <class Value>
  static Value sums(const Placed<Value>& text, const Placed<Value>& premise) {
    return joined(sum_of_places(premise.words, premise.places), sum_of_places(text.words, text.places));
  }
  at::Tensor pool(const Placed<at::Tensor>& text, const Placed<at::Tensor>& premise) const override {
    return sums(text, premise);
  }
  Interval pool(const Placed<Interval>& text, const Placed<Interval>& premise) const override {
    return sums(text, premise);
  }
};

}  // namespace

std::unique_ptr<TextModel> new_cnn(const at::Tensor& vectors, const ModelShape& shape,
                                   at::Generator generator) {
  return std::make_unique<Cnn>(vectors, shape, generator);
}
std::unique_ptr<TextModel> new_bag_of_words(const at::Tensor& vectors, const ModelShape& shape,
                                            at::Generator generator) {
  return std::make_unique<BagOfWords>(vectors, shape, generator);
}

}  // namespace sotto::lab::gumbel
