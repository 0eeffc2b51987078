#pragma once
#include <optional>
#include <vector>

#include "certify/all_pairs.h"
#include "certify/float_pairs.h"
#include "mechanisms/tem/tem.h"
#include "sotto/certificate.h"

namespace sotto {

// The certificate of an ExponentialLaw with the ln Z of every row of `pairs`, from which it can be checked:
// exact for the words of every pair that may be the worst, within stored_log_error() for the others.
struct TemCertificate {
  Certificate certificate;
  std::vector<double> log_partitions;
};

// docs/specification.md section 4.1, with the proof in docs/proofs/tem.md. For every two words with the exact
// distance d, and for the law in exact arithmetic as well as for what the program draws:
//   loss <= realised_epsilon * d + additive_loss.
// Two passes over all pairs: in float32 where that serves (float_certificate.h), else in doubles.
// `first_pass`: FloatPairs::log_sums() with the kernel and the row weights of this law, if a caller knows
// them already; then only the second pass is made.
TemCertificate certify_tem(const AllPairs& pairs, const ExponentialLaw& law, const Work& work,
                           std::optional<FloatPairs::Sums> first_pass = {});

// Base weights by row: those of the words that share it, summed.
std::vector<double> row_weights(const AllPairs& pairs, const ExponentialLaw& law);

// What largest_losses() is asked for a law: its margins, and the additive loss as its allowance. `logs` are
// the ln Z of all rows, and must outlive the question.
AllPairs::LossQuestion loss_question(const Space& space, const ExponentialLaw& law,
                                     std::span<const double> logs);

// Work whose progress is called by another name, such as "tiles, pass 2 of 2".
Work named(const Work& work, std::string unit);

}  // namespace sotto
