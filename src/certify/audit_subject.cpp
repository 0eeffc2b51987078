#include "certify/audit_subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "core/parallel.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kBatch = 1000;
// Texts outside the model that are told apart; a word mechanism has few.
constexpr std::size_t kMostTexts = 1'000'000;

using Tally = std::unordered_map<AuditWord, std::uint32_t>;

OutputCounts sorted_counts(const Tally& tally) {
  OutputCounts counts;
  counts.reserve(tally.size());
  for (const auto& [output, count] : tally) counts.push_back({output, count});
  std::ranges::sort(counts, {}, &OutputCount::output);
  return counts;
}

// Reports one step after the other, from any thread.
class StepCounter {
 public:
  StepCounter(const Work& work, std::size_t total) : work_(work), total_(total) {}
  void add(std::size_t steps) {
    if (!work_.progress) return;
    const std::lock_guard lock(mutex_);
    done_ += steps;
    work_.progress(Steps{.done = done_, .total = total_, .unit = "draws"});
  }

 private:
  const Work& work_;
  std::size_t total_;
  std::size_t done_ = 0;
  std::mutex mutex_;
};

}  // namespace

std::vector<OutputCounts> MechanismSubject::count(std::span<const AuditWord> words, std::uint32_t draws,
                                                  const Work& work) {
  std::vector<OutputCounts> results(words.size());
  StepCounter steps(work, words.size() * draws);
  parallel_blocks(words.size(), 1, work.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Rng rng = random_.stream(streams_used_ + i);
      Tally tally;
      const std::vector<WordId> in(kBatch, word_id(words[i]));
      std::vector<WordId> out(kBatch);
      for (std::size_t left = draws; left > 0;) {
        const std::size_t now = std::min(left, kBatch);
        words_.sample_batch(std::span(in).first(now), std::span(out).first(now), rng);
        for (std::size_t j = 0; j < now; ++j) ++tally[static_cast<AuditWord>(out[j])];
        left -= now;
        steps.add(now);
      }
      results[i] = sorted_counts(tally);
    }
  });
  streams_used_ += words.size();
  return results;
}

AuditWord ProgramSubject::word_of(std::string_view text) {
  if (const auto known = model_->find(text)) return static_cast<AuditWord>(*known);
  const auto [entry, is_new] =
      numbers_.try_emplace(std::string(text), static_cast<AuditWord>(model_->size() + texts_.size()));
  if (is_new) {
    if (texts_.size() == kMostTexts) {
      throw Error(
          ErrorCode::bad_data,
          fmt::format("the outside program gave over {} different texts that are not in the model; it "
                      "must answer each word with one word",
                      kMostTexts));
    }
    texts_.emplace_back(text);
  }
  return entry->second;
}

std::string ProgramSubject::text(AuditWord word) const {
  return word < model_->size() ? std::string(model_->word(word_id(word))) : texts_[word - model_->size()];
}

std::vector<OutputCounts> ProgramSubject::count(std::span<const AuditWord> words, std::uint32_t draws,
                                                const Work& work) {
  std::vector<std::string> questions;
  for (const AuditWord word : words) questions.push_back(text(word));
  std::vector<Tally> tallies(words.size());
  const std::size_t lines = words.size() * draws;
  StepCounter steps(work, lines);
  // In rounds over the words: what changes in the program with time or with the place in its input then falls
  // on both words of a pair alike.
  ask_outside_program(
      program_, lines, [&](std::size_t i) { return std::string_view(questions[i % words.size()]); },
      [&](std::size_t i, std::string_view answer) {
        ++tallies[i % words.size()][word_of(answer)];
        if (i % kBatch == 0) steps.add(std::min(kBatch, lines - i));
      });
  std::vector<OutputCounts> results;
  results.reserve(tallies.size());
  for (const Tally& tally : tallies) results.push_back(sorted_counts(tally));
  return results;
}

std::vector<AuditWord> ProgramSubject::answers(std::span<const AuditWord> words) {
  std::vector<AuditWord> result(words.size());
  std::string question;
  ask_outside_program(
      program_, words.size(),
      [&](std::size_t i) {
        question = text(words[i]);
        return std::string_view(question);
      },
      [&](std::size_t i, std::string_view answer) { result[i] = word_of(answer); });
  return result;
}

// For one word asked m times a run, with output counts 2 c_y over both runs: all (2m)! / prod (2 c_y)! orders
// of the 2m answers are equally likely, and in m! / prod c_y! of them the halves are equal.
double replay_probability(std::span<const AuditWord> words, std::span<const AuditWord> first,
                          std::span<const AuditWord> second) {
  if (!std::ranges::equal(first, second)) return 1;
  std::map<AuditWord, std::map<AuditWord, double>> counts;
  for (std::size_t i = 0; i < words.size(); ++i) ++counts[words[i]][first[i]];
  double log_p = 0;
  for (const auto& [word, outputs] : counts) {
    double asked = 0;
    for (const auto& [output, count] : outputs) {
      asked += count;
      log_p += std::lgamma(2 * count + 1) - std::lgamma(count + 1);
    }
    log_p -= std::lgamma(2 * asked + 1) - std::lgamma(asked + 1);
  }
  return std::exp(std::min(0.0, log_p));
}

}  // namespace sotto
