#pragma once
#include <cstddef>
#include <cstdint>

#include "sotto/model.h"
#include "sotto/prior.h"
#include "sotto/quantity.h"
#include "sotto/rng.h"
#include "sotto/work.h"

namespace sotto {

// E_opt of an adversary who sees the noisy vector itself instead of the word that is written: a lower bound
// on E_opt of every mechanism that makes its output from the noisy vector alone (laplace, vickrey without
// `exclude-input`), since what is written is a function of it and of fresh coins. Words and spherical noise
// (density exp(-epsilon |z|)) are drawn; the posterior of each vector is exact, so the mean is unbiased.
// For a uniform prior over the whole vocabulary it is E_opt of laplace itself: the likeliest word is the
// nearest, which is what laplace writes.
Quantity vector_adversary(const Model& model, const Prior& prior, double epsilon, const RandomSource& random,
                          const Work& work);
// How many vectors it draws: fewer where each is compared with many words.
std::size_t vector_adversary_draws(const Model& model, const Prior& prior);

}  // namespace sotto
