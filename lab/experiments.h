#pragma once
#include "lab/run.h"

namespace sotto::lab {

// Section 5 of tem-2021/2023: classifiers trained on privatised reviews, and membership inference.
void run_tem(const RunRequest& request);
// Section 5 of privemb-2021: distances, inner products, a linear SVM, five sentence tasks.
void run_privemb(const RunRequest& request);
// Section 6 of truncated-gumbel-2021: N_w and S_w, and adversarial training with private perturbations.
void run_gumbel(const RunRequest& request);
// Figures 1 to 3 of vickrey-2021: an attacker's error against epsilon and against utility loss.
void run_vickrey(const RunRequest& request);
// Learning from private text (docs/learning.md): direct and lifted training between floor and ceiling.
void run_learn(const RunRequest& request);
// Attackers who read whole texts (no paper's experiment): tem at several epsilons, and four mechanisms at
// equal error of the attacker without context.
void run_attack(const RunRequest& request);
// The same words under several embeddings and metrics, and vectors fine-tuned on private text (no paper's
// experiment; tem-2023 proposes "domain adaptation").
void run_embeddings(const RunRequest& request);

}  // namespace sotto::lab
