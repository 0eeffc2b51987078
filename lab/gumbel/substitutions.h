#pragma once
#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "lab/data_folder.h"
#include "lab/gumbel/generator.h"
#include "sotto/model.h"

namespace sotto::lab::gumbel {

// The substitutions that certified training guards against: for each word of a vocabulary the word itself and
// the counter-fitted neighbours of Alzantot et al. 2018 (eight at most) that the vocabulary has.
using AllowedWords = std::vector<std::vector<WordId>>;  // by word; the word itself first
AllowedWords read_allowed_words(const DataFolder& data, const Model& vocabulary);

// The different words of a batch of texts with their allowed substitutions, in tensors.
struct BatchWords {
  at::Tensor words;    // the different words, U
  at::Tensor places;   // texts x length: each word's place in `words`
  at::Tensor options;  // all allowed words of all of `words`, one after the other
  // U x (most options): places in `options`; a word with fewer repeats its first, which is the word itself.
  at::Tensor option_places;
};
// `texts`: texts x length of word ids. Without `allowed` the last two fields stay undefined.
BatchWords batch_words(const at::Tensor& texts, const AllowedWords* allowed);

}  // namespace sotto::lab::gumbel
