#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "attack/channel.h"
#include "sotto/adversary.h"
#include "sotto/answer.h"
#include "sotto/certificate.h"
#include "sotto/work.h"

// What does an attacker guess from a release alone, word by word? The attacker knows the mechanism and how
// often words occur (the default prior of measure(): the model's public frequency rank), sees one output at a
// time, and takes the word with the largest posterior. No attacker who looks at single words, and who knows
// no more, is right more often. Attackers who read whole sentences are those of attack().
namespace sotto::api {

struct GuessRequest {
  std::shared_ptr<const Model> model = {};
  Setting setting = {};
  std::string released = {};     // one text as the mechanism wrote it
  std::size_t most_outputs = 0;  // Error(usage) if the text has more different outputs; 0: no limit
};

// One word of the release.
struct Guess {
  std::string output;               // as it stands in the release
  std::optional<WordId> word = {};  // empty: the mechanism does not write this output
  // The probability that `word` was the original, from the closed law; its relative error is below 1e-4.
  double posterior = 0;
};

struct GuessAnswer {
  Mechanism mechanism;
  PriorSummary prior;
  // One for each word of the release, in its order. White space and punctuation, which no mechanism replaces,
  // have none. So a search for `output` from the end of the one before finds its place in the text.
  std::vector<Guess> guesses = {};
};

// The guesses for one mechanism. They depend on the output alone, so each is computed once and kept: 16 bytes
// for each different output. Any number of threads may ask; one computes at a time.
class Guesser {
 public:
  // O(n^2 dim) for tem, a few seconds for 50,000 words. Throws Error(usage) if the law of the mechanism has
  // no closed form: posteriors would be estimates.
  Guesser(Mechanism mechanism, const Work& work);
  // Looks at `released` and `most_outputs` of the request. O(n dim) for each output that was not asked for
  // before. Throws Error(bad_data) for bad UTF-8.
  GuessAnswer guess(const GuessRequest& request, const Work& work);

 private:
  struct Known {
    WordId word{};
    float posterior = 0;
  };
  // The words of a text: what stands there, and which output that is.
  struct Written {
    std::string text;
    std::optional<WordId> output = {};
  };
  [[nodiscard]] std::vector<Written> read(std::string_view released) const;
  void learn(const std::vector<WordId>& outputs, const Work& work);

  const Mechanism mechanism_;
  PriorSummary prior_;
  std::vector<float> weights_;  // of the prior
  std::unique_ptr<const Channel> channel_;
  std::mutex mutex_;
  std::unordered_map<std::uint32_t, Known> known_;  // by output
};

// In the stages "calibrating" and "guessing".
GuessAnswer guess(const GuessRequest& request, const Work& work);
// The same for a mechanism that is built already; `model` and `setting` of the request are not looked at.
GuessAnswer guess(const CertifiedMechanism& built, const GuessRequest& request, const Work& work);
Json to_json(const GuessAnswer& answer);

}  // namespace sotto::api
