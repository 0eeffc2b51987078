#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

#include "server/message.h"
#include "sotto/ids.h"

// When an answer leaves. The time of a draw depends on the word: on the number of trials, and on whether the
// word was drawn before. A padded answer leaves at a multiple of a quantum that is computed from public
// things only. This hides most of the difference; it is a mitigation, not a proof.
namespace sotto::server {

// How much text a request has. Everybody who sees the answer knows it.
struct PublicSize {
  std::size_t texts = 0;
  std::uint64_t tokens = 0;
};

// Upper ends of what a release was found to take, for each text and for each token.
struct ReleaseCost {
  Clock::duration text = {};
  Clock::duration token = {};
};

// The time between two moments at which an answer of this size may leave: at least a millisecond, and twice
// what a release of the slowest words takes, so that nearly all answers leave at the first moment.
Clock::duration quantum_of(const ReleaseCost& cost, PublicSize size);

// The first moment not before `now` that lies a whole number of quanta, at least one, after `received`.
// Precondition: quantum > 0.
Clock::time_point leaving_time(Clock::time_point received, Clock::duration quantum, Clock::time_point now);

// What measure_cost() needs to know of a setting. All of it is public: the words are those of the model.
struct CostProbe {
  std::size_t words = 0;                                           // of the model
  std::function<void(WordId word, std::size_t draws)> draw = {};   // so many draws for one word
  std::function<void(WordId word, PublicSize size)> release = {};  // whole texts that consist of this word
  std::function<Clock::duration()> used = {};                      // a clock; the thread's processor time
};

// Finds the slowest of up to 1,024 words, spread evenly over the vocabulary, and times releases of it:
//   1. Draw each word once: the first draw builds the word's row. Keep the 99th percentile of the times.
//   2. Draw each word 16 times more, and the slowest 16 words 256 times: the largest mean is the slowest
//   word.
//   3. Release long and short texts that consist of the slowest word.
// A step ends early when it has used 0.2 s, so that slow mechanisms do not hold up the first request.
ReleaseCost measure_cost(const CostProbe& probe);

// Processor time of the calling thread: other programs of the machine do not lengthen it.
Clock::duration thread_time();

}  // namespace sotto::server
