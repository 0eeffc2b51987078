#pragma once
#include "lab/gumbel/training.h"

namespace sotto::lab::gumbel {

// How well an attacker tells texts that a model was trained on from others, by the loss of the text with its
// true label (Yeom et al. 2018): the area under the curve, .5 if the attacker learns nothing. The interval is
// that of Hanley and McNeil 1982.
struct MembershipInference {
  double area = 0.5;
  double low = 0;
  double high = 1;
};
MembershipInference membership_inference(const TextModel& model, const Examples& members,
                                         const Examples& others);

}  // namespace sotto::lab::gumbel
