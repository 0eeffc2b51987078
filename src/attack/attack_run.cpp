#include "attack/attack_run.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/parallel.h"

namespace sotto {
namespace {

// Random streams of the text under attack begin at 0.
constexpr std::uint64_t kFitStreams = std::uint64_t{1} << 32;
constexpr std::uint64_t kOtherEpsilonStreams = std::uint64_t{2} << 32;

// Keeps nothing: for attackers that run only because a later one needs their traces in the batch.
class Unheard final : public PosteriorSink {
 public:
  void believe(std::size_t /*token*/, std::span<const float> /*posterior*/) override {}
  void believe_some(std::size_t /*token*/, std::span<const Belief> /*beliefs*/, double /*rest*/) override {}
  void guess(std::size_t /*token*/, const Guess& /*guess*/) override {}
};

// What the attackers left of one document.
struct FitDocument {
  std::vector<LatticeNode> lattice;
  std::vector<std::vector<double>> trigram;
};

std::vector<FitDocument> fit_documents(const AttackKnowledge& knowledge, const TokenText& outputs,
                                       const Work& work) {
  std::vector<FitDocument> out(outputs.documents());
  std::vector<const AttackerInfo*> chosen = {&find_attacker("bigram")};
  if (knowledge.lm->order >= 3) chosen.push_back(&find_attacker("trigram"));
  Unheard unheard;
  const std::vector<PosteriorSink*> sinks(chosen.size(), &unheard);
  run_attackers(knowledge, ReleaseView(outputs), chosen, sinks, work, [&](const AttackBatch& batch) {
    for (std::size_t d = batch.first_document; d < batch.last_document; ++d) {
      const auto first = static_cast<std::ptrdiff_t>(batch.begin_of(d));
      const auto last = first + static_cast<std::ptrdiff_t>(batch.view.document(d).size());
      out[d].lattice.assign(batch.lattice.begin() + first, batch.lattice.begin() + last);
      if (batch.trigram.empty()) continue;
      out[d].trigram.assign(batch.trigram.begin() + first, batch.trigram.begin() + last);
    }
  });
  return out;
}

std::vector<FitToken> fit_tokens(const std::vector<FitDocument>& documents, const TokenText& text,
                                 double cache, std::span<const float> unigram) {
  std::vector<FitToken> out;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    auto features = combined_features(documents[d].lattice, documents[d].trigram, cache, unigram);
    const auto words = text.document(d);
    for (std::size_t t = 0; t < features.size(); ++t) {
      const auto& candidates = documents[d].lattice[t].candidates;
      const auto found = std::ranges::find(candidates, words[t], &LatticeNode::Candidate::word);
      out.push_back({.features = std::move(features[t]),
                     .truth = static_cast<std::size_t>(found - candidates.begin())});
    }
  }
  return out;
}

double mean_log_likelihood(std::span<const FitToken> tokens, const Features& weights) {
  double sum = 0;
  for (const FitToken& token : tokens) {
    sum += std::log(std::max(1e-30, combined_posterior(token.features, weights)[token.truth]));
  }
  return sum / static_cast<double>(tokens.size());
}

}  // namespace

TokenText released(const Mechanism& mechanism, const TokenText& text, const RandomSource& random,
                   std::uint64_t first_stream, unsigned threads) {
  TokenText out{.words = std::vector<WordId>(text.words.size()), .ends = text.ends};
  parallel_blocks(text.documents(), 8, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t d = begin; d < end; ++d) {
      Rng rng = random.stream(first_stream + d);
      const auto own = text.document(d);
      mechanism.words->sample_batch(own, std::span(out.words).subspan(text.begin_of(d), own.size()), rng);
    }
  });
  return out;
}

std::optional<CombinedWeights> fitted_weights(const AttackKnowledge& knowledge, const Mechanism& mechanism,
                                              const RandomSource& random, const Work& work) {
  const LanguageModel& lm = *knowledge.lm;
  if (lm.held_out.empty()) return std::nullopt;
  TokenText text;
  for (const std::uint32_t word : lm.held_out) text.words.push_back(WordId{word});
  text.ends.assign(lm.held_out_ends.begin(), lm.held_out_ends.end());
  const TokenText outputs = released(mechanism, text, random, kFitStreams, knowledge.threads);
  const std::vector<FitDocument> documents = fit_documents(knowledge, outputs, work);
  CombinedWeights best;
  double best_likelihood = -1e300;
  for (const double cache : {0.02, 0.05, 0.1, 0.2, 0.4}) {
    const std::vector<FitToken> tokens = fit_tokens(documents, text, cache, lm.unigram);
    const Features weights = fit_weights(tokens);
    const double likelihood = mean_log_likelihood(tokens, weights);
    if (likelihood <= best_likelihood) continue;
    best_likelihood = likelihood;
    best = {.weights = weights, .cache = cache};
  }
  return best;
}

std::vector<AttackOutcome> attack_text(const AttackKnowledge& knowledge, const Truth& truth,
                                       const Work& work) {
  std::vector<const AttackerInfo*> chosen;
  std::vector<std::unique_ptr<Scorer>> scorers;
  std::vector<PosteriorSink*> sinks;
  const Scorer* bigram = nullptr;
  const bool has_program = knowledge.program != nullptr;
  for (const AttackerInfo& info : attackers()) {
    if (knowledge.lm->order < info.least_order || (info.needs_weights && !knowledge.weights)) continue;
    if (info.needs_program && !has_program) continue;
    // The bigram attacker finds the candidates for the program; without bigrams it is `context-free` again.
    if (info.reads_text && has_program && info.run != attack_bigram) continue;
    chosen.push_back(&info);
    scorers.push_back(std::make_unique<Scorer>(truth, bigram));
    sinks.push_back(scorers.back().get());
    if (info.run == attack_bigram) bigram = scorers.back().get();
  }
  run_attackers(knowledge, ReleaseView(*truth.outputs), chosen, sinks, work);
  std::vector<AttackOutcome> out;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i]->reads_text && has_program) continue;
    AttackOutcome own{.attacker = chosen[i], .score = scorers[i]->score()};
    for (std::size_t token = 0; token < truth.sample->text.words.size(); ++token) {
      own.guesses.push_back(scorers[i]->guessed(token));
    }
    out.push_back(std::move(own));
  }
  return out;
}

double context_free_error(const AttackKnowledge& knowledge, const Mechanism& mechanism, const TokenText& text,
                          const RandomSource& random) {
  const TokenText outputs = released(mechanism, text, random, kOtherEpsilonStreams, knowledge.threads);
  const TokenSample sample{.text = text, .is_unknown = std::vector<std::uint8_t>(text.words.size(), 0)};
  Scorer scorer({.sample = &sample, .outputs = &outputs, .anchor = knowledge.lm->anchor}, nullptr);
  const AttackerInfo* chosen = &find_attacker("context-free");
  PosteriorSink* sink = &scorer;
  run_attackers(knowledge, ReleaseView(outputs), std::span(&chosen, 1), std::span(&sink, 1),
                {.threads = knowledge.threads});
  const auto error = scorer.score().error;
  return error ? error->value : 0;
}

}  // namespace sotto
