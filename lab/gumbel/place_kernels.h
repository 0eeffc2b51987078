#pragma once
#include <cstddef>

namespace sotto::lab::gumbel {

// The inner loops of a convolution of width 3 over the words of one text, vectorised by Highway. A word has
// three parts of `units` values: what it adds to the place after it, to its own place, and to the place
// before it. So place i has the value
//   words[i - 1][0 ...] + words[i][units ...] + words[i + 1][2 * units ...].
// words[0] and words[count + 1] stand outside the text; they point to zeros.

// sums += the positive parts of the values of places 1 to count.
void add_rectified_places(const float* const* words, std::size_t count, std::size_t units, float* sums);

// The gradient of the above: adds `gradient` (of the sums) to all three words of each place, in the units in
// which the place is above 0. gradients[i] belongs to words[i]; those at both ends are written too.
void add_place_gradients(const float* const* words, float* const* gradients, std::size_t count,
                         std::size_t units, const float* gradient);

}  // namespace sotto::lab::gumbel
