#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sotto/mechanism.h"
#include "sotto/prior.h"
#include "sotto/work.h"

namespace sotto {

// Independent draws of a word from the prior and of its output.
struct JointSample {
  std::vector<WordId> words;
  std::vector<WordId> outputs;
};
// Uses the streams from `first_stream` on, one for each few thousand draws.
struct JointDraws {
  std::size_t count = 0;
  std::uint64_t first_stream = 0;
};
JointSample draw_joint(const Mechanism& mechanism, const Prior& prior, const JointDraws& draws,
                       const RandomSource& random, const Work& work);

// What E_opt lies between, in expectation, when the law is known from samples only (docs/specification.md
// section 9). plug_in: the best guess learnt from all draws and judged on the same draws, too good. held_out:
// learnt from the first half, judged on the second, where an output unseen in the first is guessed as the
// likeliest class; a real adversary, so not better than the best. low and high add what chance may do to
// each: one draw changes each by at most 1/draws, so by McDiarmid's (Hoeffding's) inequality each is wrong
// with probability 2.5%.
struct GuessBracket {
  double plug_in = 0;
  double held_out = 0;  // at most the constant guess
  double low = 0;
  double high = 1;
  std::size_t draws = 0;  // that have a class
  // Eq. 4 of vickrey-2021 with the shares of the draws for the probabilities: the error of a guess drawn from
  // the posterior. Its expectation is at most E_post, because sum p(w,o)^2 / p(o) is convex in p. One draw
  // changes it by at most 2/draws, so it exceeds E_post by more than posterior_margin with probability 2.5%.
  double posterior_plug_in = 0;
  double posterior_margin = 1;
};

// What is guessed: the word itself or its label. Draws whose word has no class (kNoClass) are left out.
inline constexpr std::int64_t kNoClass = -1;
struct Classes {
  std::function<std::int64_t(WordId)> of;
  std::int64_t likeliest = 0;
  double constant_error = 1;  // of always guessing it
};
GuessBracket guess_bracket(const JointSample& sample, const Classes& classes);

}  // namespace sotto
