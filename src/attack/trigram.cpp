// trigram: forward-backward over pairs of candidates. Words that are no candidates of a token are one state,
// the catch-all: nothing is known of it but its total weight, and what follows it depends on nothing before.
#include <algorithm>
#include <limits>
#include <vector>

#include "attack/attackers.h"
#include "core/parallel.h"

namespace sotto {
namespace {

using Cube = std::vector<float>;  // [u][v][w], the catch-all last in each

constexpr std::size_t kNoEntry = std::numeric_limits<std::size_t>::max();

// A longer document is cut: each cube takes up to 62 KB, and words so far apart tell nothing of each other.
constexpr std::size_t kLongestPiece = 1000;

class TrigramLattice {
 public:
  TrigramLattice(const LanguageModel& lm, std::span<const LatticeNode> nodes) : lm_(lm), nodes_(nodes) {
    for (const LatticeNode& node : nodes) rest_.push_back(node.rest_channel);
    for (std::size_t t = 0; t < nodes.size(); ++t) entries_.push_back(entries_to(t));
    calibrate_rest();
  }

  // Probabilities of the candidates of every token, then of its catch-all.
  std::vector<std::vector<double>> posteriors() {
    const std::size_t steps = nodes_.size();
    std::vector<std::vector<double>> out(steps);
    if (steps == 0) return out;
    // alphas[t][u][v]: word t-1 is u and word t is v. Before the first token there is one state.
    std::vector<std::vector<double>> alphas(steps);
    std::vector<Cube> cubes(steps);
    for (std::size_t t = 0; t < steps; ++t) {
      cubes[t] = t == 0 ? first_cube() : cube(t);
      const std::size_t us = t < 2 ? 1 : states(t - 2);
      const std::size_t vs = t == 0 ? 1 : states(t - 1);
      const std::size_t ws = states(t);
      alphas[t].assign(vs * ws, 0.0);
      for (std::size_t u = 0; u < us; ++u) {
        for (std::size_t v = 0; v < vs; ++v) {
          const double before = t == 0 ? 1 : alphas[t - 1][u * vs + v];
          for (std::size_t w = 0; w < ws; ++w) {
            alphas[t][v * ws + w] += before * double{cubes[t][(u * vs + v) * ws + w]};
          }
        }
      }
      normalise(alphas[t]);
    }
    std::vector<double> beta(alphas.back().size(), 1.0);
    for (std::size_t t = steps; t-- > 0;) {
      const std::size_t us = t < 2 ? 1 : states(t - 2);
      const std::size_t vs = t == 0 ? 1 : states(t - 1);
      const std::size_t ws = states(t);
      out[t].assign(ws, 0.0);
      for (std::size_t i = 0; i < beta.size(); ++i) out[t][i % ws] += alphas[t][i] * beta[i];
      normalise(out[t]);
      if (t == 0) break;
      std::vector<double> earlier(us * vs, 0.0);
      for (std::size_t u = 0; u < us; ++u) {
        for (std::size_t v = 0; v < vs; ++v) {
          for (std::size_t w = 0; w < ws; ++w) {
            earlier[u * vs + v] += double{cubes[t][(u * vs + v) * ws + w]} * beta[v * ws + w];
          }
        }
      }
      normalise(earlier);
      beta.swap(earlier);
    }
    return out;
  }

 private:
  [[nodiscard]] std::size_t states(std::size_t t) const { return nodes_[t].candidates.size() + 1; }
  [[nodiscard]] std::size_t word(std::size_t t, std::size_t i) const {
    return index_of(nodes_[t].candidates[i].word);
  }
  static void normalise(std::vector<double>& values) {
    double total = 0;
    for (const double value : values) total += value;
    if (!(total > 0)) return;
    for (double& value : values) value /= total;
  }

  [[nodiscard]] Cube first_cube() const {
    Cube out;
    for (std::size_t w = 0; w + 1 < states(0); ++w) {
      out.push_back(static_cast<float>(bigram(0, 0, w) * nodes_[0].candidates[w].channel));
    }
    out.push_back(static_cast<float>(rest_[0]));
    return out;
  }

  // Where the language model holds the pair of each candidate of t-1 (or the start) and each one of t.
  [[nodiscard]] std::vector<std::size_t> entries_to(std::size_t t) const {
    std::vector<std::size_t> out;
    const std::size_t before = t == 0 ? 1 : nodes_[t - 1].candidates.size();
    for (std::size_t v = 0; v < before; ++v) {
      const std::size_t context = t == 0 ? lm_.start() : word(t - 1, v);
      for (const auto& candidate : nodes_[t].candidates) {
        out.push_back(lm_.bigrams.find(context, index_of(candidate.word)).value_or(kNoEntry));
      }
    }
    return out;
  }
  [[nodiscard]] std::size_t entry(std::size_t t, std::size_t v, std::size_t w) const {
    return entries_[t][v * nodes_[t].candidates.size() + w];
  }
  // p(w | v), with v a candidate of t-1 or the start, and q(w | v).
  [[nodiscard]] double bigram(std::size_t t, std::size_t v, std::size_t w) const {
    return mixed(t, v, w, {.values = lm_.values, .lambda = lm_.lambda});
  }
  [[nodiscard]] double back_off(std::size_t t, std::size_t v, std::size_t w) const {
    if (lm_.order < 3) return bigram(t, v, w);
    return mixed(t, v, w, {.values = lm_.back_values, .lambda = lm_.back_lambda});
  }
  struct Bigrams {
    std::span<const float> values;
    std::span<const float> lambda;
  };
  [[nodiscard]] double mixed(std::size_t t, std::size_t v, std::size_t w, const Bigrams& own) const {
    const std::size_t context = t == 0 ? lm_.start() : word(t - 1, v);
    const double spread = double{own.lambda[context]} * double{lm_.base[word(t, w)]};
    const std::size_t at = entry(t, v, w);
    return std::max(0.0, at == kNoEntry ? spread : double{own.values[at]} + spread);
  }

  // p(w | u, v) P(output | w) for the candidates of tokens t-2, t-1 and t.
  [[nodiscard]] Cube cube(std::size_t t) const {
    const std::size_t us = t < 2 ? 1 : states(t - 2);
    const std::size_t vs = states(t - 1);
    const std::size_t ws = states(t);
    Cube out(us * vs * ws, static_cast<float>(rest_[t]));
    std::vector<double> back(ws - 1);
    const std::vector<Placed> ascending = ascending_words(t);
    std::vector<float> unseen(ws - 1);  // for contexts (u, v) that the public text lacks
    for (std::size_t v = 0; v < vs; ++v) {
      const bool is_rest = v + 1 == vs;
      for (std::size_t w = 0; w + 1 < ws; ++w) {
        back[w] = is_rest ? double{lm_.unigram[word(t, w)]} : back_off(t, v, w);
        unseen[w] =
            static_cast<float>((is_rest ? back[w] : bigram(t, v, w)) * nodes_[t].candidates[w].channel);
      }
      for (std::size_t u = 0; u < us; ++u) {
        float* row = out.data() + (u * vs + v) * ws;
        const bool has_context = !is_rest && (t == 1 || u + 1 < us);
        const std::size_t context = has_context ? entry(t - 1, u, v) : kNoEntry;
        if (context == kNoEntry) {
          std::ranges::copy(unseen, row);
        } else {
          fill_after(context, t, back, ascending, row);
        }
      }
    }
    return out;
  }

  struct Placed {
    std::uint32_t word;
    std::size_t place;  // among the candidates
  };
  [[nodiscard]] std::vector<Placed> ascending_words(std::size_t t) const {
    std::vector<Placed> out;
    for (std::size_t w = 0; w + 1 < states(t); ++w) {
      out.push_back({.word = static_cast<std::uint32_t>(word(t, w)), .place = w});
    }
    std::ranges::sort(out, {}, &Placed::word);
    return out;
  }

  // p(w | context) P(output | w) for the candidates of t. Most contexts are followed by few words: one walk
  // along these and the candidates, `ascending`, is quicker than a search for each candidate.
  void fill_after(std::size_t context, std::size_t t, std::span<const double> back,
                  std::span<const Placed> ascending, float* row) const {
    const auto& candidates = nodes_[t].candidates;
    const auto range = lm_.order < 3 ? LanguageModel::Rows::Range{} : lm_.trigrams.row(context);
    constexpr std::size_t kFewWords = 256;
    if (range.last - range.first > kFewWords || lm_.order < 3) {
      for (std::size_t w = 0; w < back.size(); ++w) {
        row[w] = static_cast<float>(lm_.trigram_after(context, word(t, w), back[w]) * candidates[w].channel);
      }
      return;
    }
    const double spread = double{lm_.mu[context]};
    for (std::size_t w = 0; w < back.size(); ++w) {
      row[w] = static_cast<float>(std::max(0.0, spread * back[w]) * candidates[w].channel);
    }
    // Both ascend.
    auto own = ascending.begin();
    for (std::size_t e = range.first; e < range.last && own != ascending.end(); ++e) {
      while (own != ascending.end() && own->word < lm_.trigrams.words[e]) ++own;
      if (own == ascending.end() || own->word != lm_.trigrams.words[e]) continue;
      const std::size_t w = own->place;
      const double p = std::max(0.0, double{lm_.trigram_values[e]} + spread * back[w]);
      row[w] = static_cast<float>(p * candidates[w].channel);
    }
  }

  // The bigram weights of going from a candidate of t-1 to one of t, without those of the catch-all.
  [[nodiscard]] std::vector<double> steps_to(std::size_t t) const {
    std::vector<double> out;
    const std::size_t vs = t == 0 ? 1 : states(t - 1);
    for (std::size_t v = 0; v < vs; ++v) {
      const bool is_rest = t > 0 && v + 1 == vs;
      for (std::size_t w = 0; w + 1 < states(t); ++w) {
        const double p = is_rest ? double{lm_.unigram[word(t, w)]} : bigram(t, v, w);
        out.push_back(p * nodes_[t].candidates[w].channel);
      }
    }
    return out;
  }

  // Weighs the catch-all states so that this lattice, with bigrams, gives them about the probabilities that
  // the exact bigram attacker found: a few rounds of correcting each by its odds.
  void calibrate_rest() {
    constexpr int kRounds = 4;
    const std::size_t count = nodes_.size();
    std::vector<std::vector<double>> steps;
    for (std::size_t t = 0; t < count; ++t) steps.push_back(steps_to(t));
    for (int round = 0; round < kRounds; ++round) {
      std::vector<std::vector<double>> alphas(count);
      for (std::size_t t = 0; t < count; ++t) {
        const std::size_t vs = t == 0 ? 1 : states(t - 1);
        const std::size_t inner = nodes_[t].candidates.size();
        alphas[t].assign(inner + 1, 0.0);
        for (std::size_t v = 0; v < vs; ++v) {
          const double before = t == 0 ? 1 : alphas[t - 1][v];
          for (std::size_t w = 0; w < inner; ++w) alphas[t][w] += before * steps[t][v * inner + w];
        }
        alphas[t][inner] = rest_[t];
        normalise(alphas[t]);
      }
      std::vector<double> beta(count == 0 ? 0 : states(count - 1), 1.0);
      for (std::size_t t = count; t-- > 0;) {
        const std::size_t inner = nodes_[t].candidates.size();
        double total = 0;
        for (std::size_t w = 0; w <= inner; ++w) total += alphas[t][w] * beta[w];
        const double found = std::clamp(alphas[t][inner] * beta[inner] / total, 1e-9, 1 - 1e-9);
        const double wanted = std::clamp(nodes_[t].rest_bigram, 1e-9, 1 - 1e-9);
        const double own_rest = rest_[t];
        rest_[t] *= wanted / (1 - wanted) * (1 - found) / found;
        if (t == 0) break;
        const std::size_t vs = states(t - 1);
        std::vector<double> earlier(vs, own_rest * beta[inner]);
        for (std::size_t v = 0; v < vs; ++v) {
          for (std::size_t w = 0; w < inner; ++w) earlier[v] += steps[t][v * inner + w] * beta[w];
        }
        normalise(earlier);
        beta.swap(earlier);
      }
    }
  }

  const LanguageModel& lm_;
  std::span<const LatticeNode> nodes_;
  std::vector<double> rest_;                       // by token: the weight of its catch-all
  std::vector<std::vector<std::size_t>> entries_;  // by token: entries_to
};

}  // namespace

void attack_trigram(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink) {
  batch.trigram.assign(batch.lattice.size(), {});
  parallel_blocks(batch.documents(), 1, knowledge.threads, [&](std::size_t begin, std::size_t end) {
    std::vector<Belief> beliefs;
    for (std::size_t d = batch.first_document + begin; d < batch.first_document + end; ++d) {
      const std::size_t first = batch.begin_of(d);
      const auto nodes = std::span(batch.lattice).subspan(first, batch.view.document(d).size());
      for (std::size_t cut = 0; cut < nodes.size(); cut += kLongestPiece) {
        const auto piece = nodes.subspan(cut, std::min(kLongestPiece, nodes.size() - cut));
        auto posteriors = TrigramLattice(*knowledge.lm, piece).posteriors();
        for (std::size_t t = 0; t < piece.size(); ++t) {
          batch.trigram[first + cut + t] = std::move(posteriors[t]);
        }
      }
      for (std::size_t t = 0; t < nodes.size(); ++t) {
        beliefs.clear();
        for (std::size_t i = 0; i < nodes[t].candidates.size(); ++i) {
          beliefs.push_back(
              {.word = nodes[t].candidates[i].word, .probability = batch.trigram[first + t][i]});
        }
        sink.believe_some(batch.token(first + t), beliefs, nodes[t].rest_bigram);
      }
    }
  });
}

}  // namespace sotto
