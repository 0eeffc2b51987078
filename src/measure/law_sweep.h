#pragma once
#include <span>
#include <vector>

#include "sotto/labels.h"
#include "sotto/mechanism.h"
#include "sotto/prior.h"
#include "sotto/quantity.h"
#include "sotto/work.h"

namespace sotto {

// The headline quantities of several mechanisms with closed laws on one space, in one pass over the words of
// the prior: nearly all time of one mechanism goes into distances, which are shared here. The same quantities
// as measure() has, and label_not_kept = loss_label + label_lost. labels: may be null. All mechanisms have
// the same model and metric.
std::vector<std::vector<Quantity>> sweep_laws(std::span<const Mechanism> mechanisms, const Prior& prior,
                                              const Labels* labels, const Work& work);

}  // namespace sotto
