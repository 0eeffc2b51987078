#pragma once
#include <string>

namespace sotto {

// A privacy loss as odds in words, for readers without logarithms: "whoever sees the output becomes at most
// {odds_text(loss)} times surer". "1" for a loss of 0, "3,700", "5.6 million", "a number with 14 digits",
// "unlimited" for infinity. The loss is an upper bound, so the factor e^loss is rounded up; a millionth is
// added first, which is more than all rounding of a mechanism adds to a loss.
std::string odds_text(double loss);
// The sentence around it: "at most 3,700 times surer", "surer by up to a factor with 14 digits", "no surer
// than before", "surer without any limit".
std::string surer_text(double loss);

}  // namespace sotto
