#pragma once
#include <vector>

#include "certify/all_pairs.h"
#include "mechanisms/tem.h"
#include "sotto/certificate.h"

namespace sotto {

// The certificate of a TemLaw with the ln Z of every row of `pairs`, from which it can be checked.
struct TemCertificate {
  Certificate certificate;
  std::vector<double> log_partitions;
};

// mechanisms.md 4.1. Two passes over all pairs.
TemCertificate certify_tem(const AllPairs& pairs, const TemLaw& law, const Work& work);
// The same if the normalisers are known: one pass.
TemCertificate certify_tem(const AllPairs& pairs, const TemLaw& law, std::vector<double> log_partitions,
                           const Work& work);

// Base weights by row: those of the words that share it, summed.
std::vector<double> row_weights(const AllPairs& pairs, const TemLaw& law);

// h and z of 4.1: how far a distance and a ln Z may be off.
struct TemMargins {
  double loss = 0;      // 3 slope h + 2 z
  double distance = 0;  // h
};
TemMargins tem_margins(const Space& space, const TemLaw& law);

// Work whose progress is called by another name, such as "tiles, pass 2 of 2".
Work named(const Work& work, std::string unit);

}  // namespace sotto
