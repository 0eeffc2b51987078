#pragma once
#include <string>

namespace sotto {

// `value` in decimal with at most `digits` significant digits (1 to 17), never below `value`: for every upper
// bound that people read (an epsilon, a loss, a factor of odds). "inf" for infinity, "nan" for NaN.
// "Below" is judged by the double that the text reads as, so 0.1 is printed as 0.1.
std::string rounded_up(double value, int digits = 6);
// The double above `value`: the result of one operation that was rounded to nearest is then an upper bound.
double next_up(double value);
// The least double that is not below the exact product: the product itself where it is exact.
double product_up(double one, double other);
// The least double that is not below the exact sum: the sum itself where it is exact, so 0 + 0 stays 0.
double sum_up(double one, double other);
// As rounded_up, never above `value`: for lower bounds.
std::string rounded_down(double value, int digits = 6);

}  // namespace sotto
