#pragma once
#include "lab/learn/tasks.h"

namespace sotto::lab::learning {

// Attacks the first private reviews of the task with a language model of its public reviews (docs/attack.md),
// in the space of `model`, which has the words of the task's domain. Adds a row for each attacker to
// `attackers`, unless they are there.
void attack_place(const Run& run, const Task& task, const Place& place,
                  const std::shared_ptr<const Model>& model, Points& attackers);
bool is_attacked(const Place& place, const Points& attackers);

}  // namespace sotto::lab::learning
