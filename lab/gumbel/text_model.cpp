#include "lab/gumbel/text_model.h"

#include <ATen/ATen.h>

#include <cmath>

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

at::Tensor TextModel::logits(const Batch& batch, Dropout& dropout) const {
  const auto values = [&](const at::Tensor& texts) {
    if (!texts.defined()) return at::Tensor();
    const BatchWords words = batch_words(texts, nullptr);
    return looked_up(word_values(words.words), words.places);
  };
  return logits_of_pools(pool(values(batch.texts), values(batch.premises), batch), dropout);
}

at::Tensor TextModel::margins(const Batch& batch, const AllowedWords& allowed, double share,
                              Dropout& dropout) const {
  const BatchWords words = batch_words(batch.texts, &allowed);
  const at::Tensor options = linear(vectors_.index_select(0, words.options), word_layer_);
  const at::Tensor by_word = looked_up(options, words.option_places);  // words x options x units
  const at::Tensor own = by_word.select(1, 0);
  const Interval box =
      interval_between(own + share * (by_word.amin(1) - own), own + share * (by_word.amax(1) - own));
  const Interval text = looked_up(rectified(box), words.places);
  Interval premise;
  if (batch.premises.defined()) {
    const BatchWords fixed = batch_words(batch.premises, nullptr);
    premise = exactly(looked_up(word_values(fixed.words), fixed.places));
  }
  return worst_margins(hidden_values(pool(text, premise, batch), dropout), output_, batch.labels);
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
        words_(vectors.size(0)),
        convolution_(new_layer({shape.hidden, shape.hidden, kWidth}, generator)) {}

  [[nodiscard]] at::Tensor contributions() const override {
    const at::NoGradGuard no_gradient;
    // What a word adds to the place after it, to its own, and to the place before it.
    const at::Tensor values = word_values(at::arange(words_, at::kLong));
    std::vector<at::Tensor> parts;
    for (std::int64_t i = 0; i < kWidth; ++i) {
      parts.push_back(at::matmul(values, convolution_.weight.select(2, i).t()));
    }
    parts[1] = parts[1] + convolution_.bias;
    return at::cat(parts, 1).contiguous();
  }

  void pool_words(const float* contributions, std::span<const WordId> text, float* pooled) const override {
    const auto units = static_cast<std::size_t>(word_units());
    const std::vector<float> none(units, 0.0F);
    const auto row = [&](std::size_t at, std::size_t part) {
      return contributions + (index_of(text[at]) * kWidth + part) * units;
    };
    std::fill(pooled, pooled + units, 0.0F);
    for (std::size_t at = 0; at < text.size(); ++at) {
      const float* before = at > 0 ? row(at - 1, 0) : none.data();
      const float* own = row(at, 1);
      const float* after = at + 1 < text.size() ? row(at + 1, 2) : none.data();
      for (std::size_t i = 0; i < units; ++i) pooled[i] += std::max(0.0F, before[i] + own[i] + after[i]);
    }
    const float share = 1 / static_cast<float>(std::max<std::size_t>(text.size(), 1));
    for (std::size_t i = 0; i < units; ++i) pooled[i] *= share;
  }

 private:
  static constexpr std::int64_t kWidth = 3;

  template <class Value>
  Value mean(const Value& text, const Batch& batch) const {
    const Value masked = scaled(text, batch.mask.unsqueeze(2));
    const Value found = rectified(convolution(turned(masked), convolution_));
    const at::Tensor share = batch.mask / batch.mask.sum(1, true).clamp_min(1);
    return summed(scaled(found, share.unsqueeze(1)), 2);
  }
  at::Tensor pool(const at::Tensor& text, const at::Tensor& /*premise*/, const Batch& batch) const override {
    return mean(text, batch);
  }
  Interval pool(const Interval& text, const Interval& /*premise*/, const Batch& batch) const override {
    return mean(text, batch);
  }
  [[nodiscard]] std::vector<at::Tensor> own_parameters() const override {
    return {convolution_.weight, convolution_.bias};
  }

  std::int64_t words_;
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
                  generator),
        words_(vectors.size(0)) {}

  [[nodiscard]] at::Tensor contributions() const override {
    const at::NoGradGuard no_gradient;
    return word_values(at::arange(words_, at::kLong)).contiguous();
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
  Value sums(const Value& text, const Value& premise, const Batch& batch) const {
    return joined(summed(scaled(premise, batch.premise_mask.unsqueeze(2)), 1),
                  summed(scaled(text, batch.mask.unsqueeze(2)), 1));
  }
  at::Tensor pool(const at::Tensor& text, const at::Tensor& premise, const Batch& batch) const override {
    return sums(text, premise, batch);
  }
  Interval pool(const Interval& text, const Interval& premise, const Batch& batch) const override {
    return sums(text, premise, batch);
  }

  std::int64_t words_;
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
