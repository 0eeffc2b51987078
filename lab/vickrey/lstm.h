#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lab/vickrey/texts.h"

namespace sotto::lab::vickrey {

struct LstmPlan {
  std::size_t hidden = 48;  // units each way
  std::size_t epochs = 4;
  std::size_t batch = 64;
  double learning_rate = 3e-3;
  std::uint64_t seed = 0;  // of the weights and of the order of texts
};

// A classifier of texts in two classes: the vectors of the words (fixed, scaled to a mean square of 1 for
// each coordinate; 0 for an unknown word), a bidirectional LSTM, the mean of its states over the words, a
// linear layer, cross entropy, Adam. One thread, so a result can be repeated.
class TextLstm {
 public:
  TextLstm(std::shared_ptr<const Model> vectors, const LstmPlan& plan);
  ~TextLstm();
  TextLstm(TextLstm&&) noexcept;
  TextLstm& operator=(TextLstm&&) = delete;

  void train(const Texts& texts);
  // ln P(label 1) - ln P(label 0) of each text.
  [[nodiscard]] std::vector<float> scores(const Texts& texts) const;

 private:
  struct Net;
  LstmPlan plan_;
  std::unique_ptr<Net> net_;
};

}  // namespace sotto::lab::vickrey
