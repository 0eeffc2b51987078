#pragma once
#include "sotto/certify.h"
#include "sotto/work.h"

namespace sotto::api {

// For a mechanism whose certificate cannot be computed: a lower bound of its realised epsilon from some pairs
// of words, and estimates of what a certificate would tell besides. A few seconds; with a fixed public seed,
// so that the same command gives the same answer.
void add_samples(CertifyAnswer& answer, const Work& work);

}  // namespace sotto::api
