#include "lab/gumbel/genetic_attack.h"

#include <algorithm>
#include <cmath>

#include "core/uniform.h"

namespace sotto::lab::gumbel {

namespace {

struct Member {
  std::vector<WordId> text;
  float right_probability = 1;
};

class Search {
 public:
  Search(const Target& target, const WordMechanism& mechanism, Victim& victim, const AttackPlan& plan,
         Rng& rng)
      : target_(target), mechanism_(mechanism), victim_(victim), plan_(plan), rng_(rng) {
    for (std::size_t i = 0; i < target.text.size(); ++i) {
      if (target.may_change[i] != 0) places_.push_back(i);
    }
  }

  AttackOutcome run() {
    AttackOutcome outcome{.fooled = false, .text = {target_.text.begin(), target_.text.end()}};
    if (places_.empty()) return outcome;
    std::vector<Member> members(plan_.population, Member{.text = outcome.text});
    for (;;) {
      ++outcome.generations;
      outcome.fooled = mutate(members, outcome.generations == 1 ? 0 : 1);
      const auto best = std::ranges::min_element(members, {}, &Member::right_probability);
      outcome.text = best->text;
      if (outcome.fooled || outcome.generations == plan_.generations) return outcome;
      members = children_of(members, *best);
    }
  }

 private:
  // Mutates all members but the first `kept`. True: one of them fools the victim, and it has the least
  // probability of all.
  bool mutate(std::vector<Member>& members, std::size_t kept) {
    const std::size_t count = members.size() - kept;
    const std::size_t length = target_.text.size();
    std::vector<std::size_t> chosen;
    std::vector<WordId> originals;
    for (std::size_t i = 0; i < count; ++i) {
      chosen.push_back(places_[uniform_below(rng_, places_.size())]);
      originals.insert(originals.end(), plan_.draws, target_.text[chosen.back()]);
    }
    std::vector<WordId> drawn(originals.size());
    mechanism_.sample_batch(originals, drawn, rng_);
    std::vector<WordId> texts;
    texts.reserve(drawn.size() * length);
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const std::vector<WordId>& text = members[kept + i / plan_.draws].text;
      texts.insert(texts.end(), text.begin(), text.end());
      texts[texts.size() - length + chosen[i / plan_.draws]] = drawn[i];
    }
    const std::vector<Victim::Verdict> verdicts = victim_.judge(texts, length);
    for (std::size_t i = 0; i < count; ++i) {
      Member& member = members[kept + i];
      const auto first = verdicts.begin() + static_cast<std::ptrdiff_t>(i * plan_.draws);
      const auto best = std::min_element(first, first + static_cast<std::ptrdiff_t>(plan_.draws), before);
      member.text[chosen[i]] = drawn[static_cast<std::size_t>(best - verdicts.begin())];
      member.right_probability = best->right ? best->right_probability : -1;
    }
    return std::ranges::any_of(members, [](const Member& member) { return member.right_probability < 0; });
  }
  // A wrong class comes before every right one.
  static bool before(const Victim::Verdict& a, const Victim::Verdict& b) {
    if (a.right != b.right) return !a.right;
    return a.right_probability < b.right_probability;
  }

  std::vector<Member> children_of(const std::vector<Member>& members, const Member& best) {
    std::vector<double> sums;
    double sum = 0;
    for (const Member& member : members) {
      sums.push_back(sum += std::exp((1 - double{member.right_probability}) / plan_.temperature));
    }
    std::vector<Member> children = {best};
    while (children.size() < members.size()) {
      const Member& mother = members[choose_by_sums(rng_, sums)];
      const Member& father = members[choose_by_sums(rng_, sums)];
      Member child{.text = mother.text};
      for (const std::size_t place : places_) {
        if ((rng_.bits() & 1) != 0) child.text[place] = father.text[place];
      }
      children.push_back(std::move(child));
    }
    return children;
  }

  const Target& target_;
  const WordMechanism& mechanism_;
  Victim& victim_;
  const AttackPlan& plan_;
  Rng& rng_;
  std::vector<std::size_t> places_;
};

}  // namespace

AttackOutcome attack(const Target& target, const WordMechanism& mechanism, Victim& victim,
                     const AttackPlan& plan, Rng& rng) {
  return Search(target, mechanism, victim, plan, rng).run();
}

}  // namespace sotto::lab::gumbel
