#pragma once
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>

#include "text/fake_mechanism.h"
#include "text/format_support.h"
#include "text/pipeline.h"

namespace sotto::test {

class StringSink final : public ByteSink {
 public:
  void write(std::string_view bytes) override { text += bytes; }
  void finish() override { is_finished = true; }
  std::string text;
  bool is_finished = false;
};

// Uniform over the model, whatever the word: every draw shows in the output.
class UniformWords final : public WordMechanism {
 public:
  explicit UniformWords(std::size_t size) : size_(size) {}
  void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const override {
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = word_id(rng.bits() % size_);
  }

 private:
  std::size_t size_;
};

// Lets one batch wait for another: order without clocks.
class Signals {
 public:
  void give(WordId word) {
    const std::lock_guard lock(mutex_);
    given_.insert(word);
    changed_.notify_all();
  }
  void wait(WordId word) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return given_.contains(word); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<WordId> given_;
};

inline std::shared_ptr<const Model> small_model() {
  return words_model({"something", "red", "green", "blue", "one", "two", "three", "four"});
}
inline WordId id_of(const Model& model, std::string_view word) {
  return model.find(word).value();
}

// Bytes outside known lower-case words are kept, so the output must be the input.
inline Privatizer copying_privatizer() {
  return {identity_mechanism(small_model()), {.unknown = UnknownWords::keep}};
}
inline Privatizer uniform_privatizer() {
  const auto model = small_model();
  return {fake_mechanism(model, std::make_shared<UniformWords>(model->size())), {}};
}
inline Privatizer rule_privatizer(const std::shared_ptr<const Model>& model,
                                  std::function<WordId(WordId)> rule) {
  return {fake_mechanism(model, std::make_shared<FakeWords>(std::move(rule))), {}};
}

struct StreamRun {
  std::string output;
  TextCounts counts;
};
inline StreamRun run_stream(const Privatizer& privatizer, const ReadingTexts& format_options,
                            ByteSource& source, const StreamOptions& options, std::uint64_t seed = 42) {
  const auto format = make_format(ReadingOptions::parse(format_options));
  StringSink sink;
  const TextCounts counts =
      privatize_stream(source, sink, *format, privatizer, RandomSource::seeded_not_private(seed), options);
  EXPECT_FALSE(sink.is_finished);
  return {sink.text, counts};
}
inline StreamRun run_stream(const Privatizer& privatizer, const ReadingTexts& format_options,
                            const std::string& input, const StreamOptions& options) {
  const auto source = source_of_string(input);
  return run_stream(privatizer, format_options, *source, options);
}

inline std::string many_lines(std::size_t count) {
  static const std::vector<std::string> kWords = {"red", "green", "blue", "one", "two", "three", "four"};
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < 1 + i % 5; ++j) text += kWords[(i + j) % kWords.size()] + " ";
    text += "\n";
  }
  return text;
}

}  // namespace sotto::test
