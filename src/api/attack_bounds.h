#pragma once
#include <vector>

#include "api/attack.h"

namespace sotto::api {

// The channel of a mechanism at the epsilon of the question, and at others with which its attackers are
// compared. The mechanisms at other values are built again when they are drawn from: what each prepares for
// its draws is large.
struct ComparedChannels {
  std::vector<double> multiples = {};                         // of epsilon; the first is 1
  std::vector<std::unique_ptr<const Channel>> channels = {};  // by multiple

  [[nodiscard]] const Channel& own() const { return *channels.front(); }
};
// Others only for mechanisms whose law is quickly known at another epsilon.
ComparedChannels compared_channels(const Mechanism& mechanism, const Channel::Options& options,
                                   const Work& work);

// Fills AttackerAnswer::equivalent_epsilon where there is something to compare with. The error of the
// context-free attacker is measured at other values of epsilon, on a few thousand tokens of the text that are
// privatised anew, and read off between them.
struct ComparedText {
  const LanguageModel* lm = nullptr;
  const TokenText* text = nullptr;
  const RandomSource* random = nullptr;
  AttackRoom* room = nullptr;
};
void add_equivalent_epsilons(AttackAnswer& answer, const ComparedChannels& compared, const ComparedText& text,
                             const Work& work);

// For k = 1 and 3, at the median distance of a word to its nearest other word.
std::vector<PairBound> pair_bounds(const CertifiedMechanism& built, unsigned threads);

}  // namespace sotto::api
