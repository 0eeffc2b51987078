#pragma once
#include <ATen/core/Tensor.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lab/gumbel/generator.h"
#include "lab/gumbel/interval_bounds.h"
#include "lab/gumbel/substitutions.h"
#include "sotto/ids.h"

namespace sotto::lab::gumbel {

// Texts with their labels.
struct Batch {
  Texts texts;
  Texts premises;  // SNLI only: never changed
  at::Tensor labels;
};

// Zeroes each unit with probability `share` and scales the others up. One object serves one step of training:
// the second pass of a step (the bounds) asks rewind() first and gets the masks of the first.
class Dropout {
 public:
  Dropout() = default;  // none: for evaluation
  Dropout(double share, at::Generator generator) : share_(share), generator_(std::move(generator)) {}
  template <class Value>
  Value operator()(const Value& x) {
    return share_ > 0 ? scaled(x, mask_like(x)) : x;
  }
  void rewind() { next_ = 0; }

 private:
  at::Tensor mask_like(const at::Tensor& x);
  at::Tensor mask_like(const Interval& x) { return mask_like(x.centre); }

  double share_ = 0;
  at::Generator generator_ = {};
  std::vector<at::Tensor> masks_ = {};
  std::size_t next_ = 0;
};

struct ModelShape {
  std::int64_t hidden;   // units of the word layer and of the convolution
  std::int64_t classes;  // of the output
};

// A classifier of Jia et al. 2019: fixed word vectors, a word layer (linear, ReLU), a pool over the places of
// the text that a subclass has, hidden layers (linear, ReLU), and a linear output.
class TextModel {
 public:
  virtual ~TextModel() = default;

  [[nodiscard]] at::Tensor logits(const Batch& batch, Dropout& dropout) const;
  // worst_margins() over all texts that differ by allowed substitutions. `share` shrinks the box of a word
  // towards the word itself: 1 is the whole box, 0 the text alone. The box is that of the word layer's
  // values, as in Jia et al.; boxes of the vectors would be looser.
  [[nodiscard]] at::Tensor margins(const Batch& batch, const AllowedWords& allowed, double share,
                                   Dropout& dropout) const;
  [[nodiscard]] std::vector<at::Tensor> parameters() const;
  // Puts copies of `values`, in the order of parameters(), in the place of the parameters.
  void set_parameters(const std::vector<at::Tensor>& values);

  // For one fixed model and many texts: what each word of the vocabulary contributes, a row each, computed
  // once; the pool of one text from these rows; and the logits from many pools.
  [[nodiscard]] virtual at::Tensor contributions() const = 0;
  virtual void pool_words(const float* contributions, std::span<const WordId> text, float* pooled) const = 0;
  [[nodiscard]] at::Tensor logits_of_pools(const at::Tensor& pools, Dropout& dropout) const;
  [[nodiscard]] std::int64_t pool_size() const { return hidden_.front().weight.size(1); }
  [[nodiscard]] std::int64_t word_units() const { return word_layer_.weight.size(0); }

 protected:
  struct Sizes {
    std::int64_t words_to;  // units of the word layer
    std::int64_t pooled;
    std::int64_t hidden_layers;
    std::int64_t classes;
  };
  TextModel(at::Tensor vectors, const Sizes& sizes, at::Generator& generator);

  // Texts as a table with a row of the word layer's values for each different word. A model without premises
  // gets an empty table.
  template <class Value>
  struct Placed {
    Value words;
    Places places;
  };
  virtual at::Tensor pool(const Placed<at::Tensor>& text, const Placed<at::Tensor>& premise) const = 0;
  virtual Interval pool(const Placed<Interval>& text, const Placed<Interval>& premise) const = 0;
  [[nodiscard]] virtual std::vector<at::Tensor> own_parameters() const { return {}; }
  [[nodiscard]] at::Tensor word_values(const at::Tensor& words) const;
  [[nodiscard]] std::int64_t vocabulary() const { return vectors_.size(0); }

 private:
  [[nodiscard]] Placed<at::Tensor> placed(const Texts& texts) const;
  template <class Value>
  Value hidden_values(Value x, Dropout& dropout) const;

  at::Tensor vectors_;  // a row per word of the vocabulary; fixed
  Layer word_layer_;
  std::vector<Layer> hidden_;
  Layer output_;
};

// Uniform on +-1/sqrt(inputs), as torch's own layers start.
Layer new_layer(std::vector<std::int64_t> weight_size, at::Generator& generator);

// The model for IMDB: a convolution of width 3 over the word layer, ReLU, the mean over places, one hidden
// layer.
std::unique_ptr<TextModel> new_cnn(const at::Tensor& vectors, const ModelShape& shape,
                                   at::Generator generator);
// The model for SNLI: the sums over the words of premise and of hypothesis, side by side, three hidden layers
// of twice the units. It is the cheaper of theirs; decomposable attention is not here.
std::unique_ptr<TextModel> new_bag_of_words(const at::Tensor& vectors, const ModelShape& shape,
                                            at::Generator generator);

}  // namespace sotto::lab::gumbel
