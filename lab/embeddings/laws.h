#pragma once
#include <optional>
#include <string>

#include "lab/embeddings/spaces.h"
#include "sotto/certificate.h"
#include "sotto/extremes.h"
#include "sotto/prior.h"

namespace sotto::lab::embeddings {

// A mechanism with what is proven of its loss on the words of its space.
struct Certified {
  Mechanism mechanism;
  double epsilon = 0;  // per unit of distance
  double loss = 0;     // Lmax: the largest loss of one word over all pairs of words, in nats
};
// By the certificate over all pairs where there is one. Otherwise by the claim: epsilon, and epsilon times
// the largest distance.
Certified certified(std::string_view name, const NamedSpace& space, ParameterTexts parameters,
                    const Extremes& extremes, const Work& work);

// Fills laws.csv for one space: certificate, E_opt under the rank prior, polarity, N_w and S_w of every place
// of every curve whose law is known in that way. A curve whose mechanism knows only the Euclidean metric is
// left out in other metrics.
enum class Known { by_law, by_draws };
void measure_laws(const Run& run, const Settings& settings, const NamedSpace& space, const Labels& labels,
                  Known known, Points& table);

}  // namespace sotto::lab::embeddings
