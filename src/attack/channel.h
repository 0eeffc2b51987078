#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "certify/all_pairs.h"
#include "sotto/mechanism.h"
#include "sotto/work.h"

namespace sotto {

// How much an output speaks for each input word: P(output | word) for all words, one column for an output.
// Exact where the law of the mechanism is closed. Otherwise it is estimated by draws of our own from the
// public vocabulary, never from a text.
class Channel {
 public:
  struct Options {
    std::size_t draws = 0;              // where the law is not closed; 0: kDefaultDraws
    std::span<const float> prior = {};  // how often words occur: more draws for frequent ones
    std::optional<std::uint64_t> seed_not_private = {};
  };
  static constexpr std::size_t kDefaultDraws = 500'000;
  static std::unique_ptr<const Channel> make(const Mechanism& mechanism, const Options& options,
                                             const Work& work);
  // The channel of each mechanism, all on the same space. Closed exponential laws share the pass over all
  // pairs of words that their normalisers take, which is most of the work.
  static std::vector<std::unique_ptr<const Channel>> make_all(std::span<const Mechanism> mechanisms,
                                                              const Options& options, const Work& work);
  virtual ~Channel() = default;

  // Row i of `out` (words values) is P(outputs[i] | word) for every word, divided by its largest value.
  // Throws Error(bad_data) if the mechanism never returns one of the outputs. On several threads.
  virtual void columns(std::span<const WordId> outputs, std::span<float> out, const Work& work) const = 0;
  // How many draws the estimate is made of; 0: the law is exact.
  [[nodiscard]] virtual std::size_t draws() const { return 0; }
};

// A law c_y exp(-slope min(d, gamma)) / Z(x) on a space, and its columns. Shared by the exact channel and the
// estimated one, which uses such a law for outputs that were never drawn.
class ExponentialColumns {
 public:
  // O(n^2 dim) once, for the normalisers.
  ExponentialColumns(const std::shared_ptr<const Space>& space, const ExponentialLaw& law, const Work& work);
  // One for each law; the distances of that pass are computed once for all.
  static std::vector<ExponentialColumns> make_all(const std::shared_ptr<const Space>& space,
                                                  std::span<const ExponentialLaw* const> laws,
                                                  const Work& work);
  // Calls body(i, ln of the largest value, column i divided by it) on several threads.
  using Body = std::function<void(std::size_t i, double log_largest, std::span<float> column)>;
  void visit(std::span<const WordId> outputs, std::span<float> out, const Work& work, const Body& body) const;
  [[nodiscard]] double log_normaliser(WordId word) const { return logs_[index_of(word)]; }
  [[nodiscard]] double log_weight(WordId word) const;
  [[nodiscard]] double slope() const noexcept { return law_.slope; }

 private:
  // `normalisers`: by row of `pairs`.
  ExponentialColumns(std::shared_ptr<const AllPairs> pairs, ExponentialLaw law,
                     std::span<const double> normalisers);

  ExponentialLaw law_;
  std::shared_ptr<const AllPairs> pairs_;
  std::vector<float> logs_;  // ln Z by word
};

// channel_estimate.cpp
std::unique_ptr<const Channel> estimate_channel(const Mechanism& mechanism, const Channel::Options& options,
                                                const Work& work);

}  // namespace sotto
