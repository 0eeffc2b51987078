#pragma once
#include <optional>

#include "certify/float_pairs.h"
#include "certify/tem_certificate.h"

namespace sotto {

// What AllPairs::largest_losses() answers, but for the nearest distances of all rows, of which a certificate
// states two.
struct FloatAnswer {
  AllPairs::LossAnswer losses;
  double smallest_distance = 0;
  double median_nearest = 0;
  // ln Z of every row: as exact as by AllPairs::kernel_sums() for the rows of every pair that may be among
  // the worst, within FloatPairs::log_error() for the others.
  std::vector<double> log_partitions = {};
};

// The two passes of certify_tem in float32, and doubles only for what can matter. Every number is as exact as
// by the passes in doubles. Empty where float32 does not serve or decides too little: then those passes are
// quicker. `first_pass`: its log_sums(), if they are known already.
std::optional<FloatAnswer> float_answer(const FloatPairs& floats, const ExponentialLaw& law, const Work& work,
                                        std::optional<FloatPairs::Sums> first_pass = {});

// How far a stored ln Z may be from the exact one: 0 if certify_tem takes the passes in doubles.
double stored_log_error(const AllPairs& pairs, const ExponentialLaw& law);

}  // namespace sotto
