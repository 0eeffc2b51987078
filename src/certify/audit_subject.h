#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/outside_program.h"
#include "sotto/mechanism.h"
#include "sotto/rng.h"
#include "sotto/work.h"

namespace sotto {

// A word as an auditor names it: a word's index in the model, or above those a number that the subject gave
// to a text of its own (an output that is no word of the model, or an unknown word put in as a probe).
using AuditWord = std::uint32_t;

// How often each output came, by output; outputs that never came are left out.
struct OutputCount {
  AuditWord output = 0;
  std::uint32_t count = 0;
};
using OutputCounts = std::vector<OutputCount>;

// What is to be audited: something that answers words with random words.
class AuditSubject {
 public:
  virtual ~AuditSubject() = default;
  // The outputs of `draws` independent draws for each word. Every call gives fresh draws.
  virtual std::vector<OutputCounts> count(std::span<const AuditWord> words, std::uint32_t draws,
                                          const Work& work) = 0;
  [[nodiscard]] virtual std::string text(AuditWord word) const = 0;
  // How many words a call should have: all their counts are in memory at once.
  [[nodiscard]] virtual std::size_t words_per_call() const = 0;
};

// A mechanism of this library. Draws do not depend on the number of threads, only on `random`.
class MechanismSubject final : public AuditSubject {
 public:
  MechanismSubject(const WordMechanism& words, const Model& model, RandomSource random)
      : words_(words), model_(model), random_(std::move(random)) {}
  std::vector<OutputCounts> count(std::span<const AuditWord> words, std::uint32_t draws,
                                  const Work& work) override;
  [[nodiscard]] std::string text(AuditWord word) const override {
    return std::string(model_.word(word_id(word)));
  }
  [[nodiscard]] std::size_t words_per_call() const override { return 64; }

 private:
  const WordMechanism& words_;
  const Model& model_;
  RandomSource random_;
  std::uint64_t streams_used_ = 0;
};

// Somebody else's program: a word a line in, a word a line out. Each call of count() is one run of it, the
// words interleaved, so that a slow start is paid once.
class ProgramSubject final : public AuditSubject {
 public:
  ProgramSubject(OutsideProgram program, std::shared_ptr<const Model> model)
      : program_(std::move(program)), model_(std::move(model)) {}
  std::vector<OutputCounts> count(std::span<const AuditWord> words, std::uint32_t draws,
                                  const Work& work) override;
  [[nodiscard]] std::string text(AuditWord word) const override;
  [[nodiscard]] std::size_t words_per_call() const override { return std::size_t{1} << 20; }

  // The answers to a list of words, in order. Throws Error(bad_data) on kMostTexts texts outside the model.
  std::vector<AuditWord> answers(std::span<const AuditWord> words);
  // A name for a text, which need not be a word of the model.
  AuditWord word_of(std::string_view text);

 private:
  OutsideProgram program_;
  std::shared_ptr<const Model> model_;
  std::vector<std::string> texts_;  // those that are not in the model, from number model.size()
  std::unordered_map<std::string, AuditWord> numbers_;
};

// Two runs were given the same list of words. The probability, if all draws were independent, that the second
// run repeats the first one answer for answer, given the answers of both together; 1 if they differ anywhere
// or there was no noise to repeat. Small: the noise is the same in every run (a fixed seed).
double replay_probability(std::span<const AuditWord> words, std::span<const AuditWord> first,
                          std::span<const AuditWord> second);

}  // namespace sotto
