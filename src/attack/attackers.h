#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "attack/channel.h"
#include "attack/column_store.h"
#include "attack/combined.h"
#include "attack/forward_backward.h"
#include "attack/lattice.h"
#include "attack/posterior.h"
#include "attack/release_view.h"
#include "sotto/work.h"

namespace sotto {

class ProgramModel;

// What attackers know besides the release: public things only. Shared by all batches.
struct AttackKnowledge {
  const LanguageModel* lm = nullptr;
  const Channel* channel = nullptr;
  const Space* space = nullptr;
  const AllPairs* pairs = nullptr;  // the distances of `space`
  const BigramChain* chain = nullptr;
  std::optional<CombinedWeights> weights = {};  // empty: not fitted yet
  // A program as the language model. `lm` then knows only how often words occur.
  ProgramModel* program = nullptr;
  AttackRoom* room = nullptr;  // null: memory of each run alone
  unsigned threads = 0;
};

// What attackers keep from batch to batch: of outputs alone, which are words of the public model.
struct OutputMemory {
  AttackRoom* room = nullptr;
  std::unordered_map<std::uint32_t, PosteriorSink::Guess> nearest = {};  // by output
};

// Some documents of a release, and what was computed of them so far.
struct AttackBatch {
  ReleaseView view;
  std::size_t first_document = 0;
  std::size_t last_document = 0;
  OutputMemory* memory = nullptr;
  // By token of the batch: P(output | w) for every word w, scaled to a largest value of 1.
  std::vector<const float*> columns = {};
  // By token of the batch. The bigram attacker fills it, others refine it.
  std::vector<LatticeNode> lattice = {};
  // By token of the batch: probabilities of the candidates of `lattice`, then that of all other words.
  std::vector<std::vector<double>> trigram = {};

  [[nodiscard]] std::size_t documents() const noexcept { return last_document - first_document; }
  // Numbers of tokens: within the batch, and over all documents.
  [[nodiscard]] std::size_t begin_of(std::size_t document) const {
    return view.first_token(document) - view.first_token(first_document);
  }
  [[nodiscard]] std::size_t token(std::size_t in_batch) const {
    return view.first_token(first_document) + in_batch;
  }
};

// A row of the registry. Attackers run in the order of the rows, since later ones use what earlier ones left
// in the batch.
struct AttackerInfo {
  std::string_view name;
  std::string_view assumes;  // one sentence
  void (*run)(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink) = nullptr;
  unsigned least_order = 1;    // of the language model
  bool needs_weights = false;  // CombinedWeights fitted on public text
  bool reads_text = false;     // what it assumes is about a public text; nothing to say beside a program
  bool needs_program = false;
};
std::span<const AttackerInfo> attackers();
const AttackerInfo& find_attacker(std::string_view name);  // throws Error(usage) that lists them

// One file each.
void attack_output(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink);
void attack_nearest(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink);
void attack_mask(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink);
void attack_context_free(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink);
void attack_bigram(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink);
void attack_trigram(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink);
void attack_cache(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink);
void attack_program(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink);
void attack_combined(const AttackKnowledge& knowledge, AttackBatch& batch, PosteriorSink& sink);

// Runs attackers over all documents, a batch at a time: as many documents as have few enough different
// outputs for their columns to fit into memory. `chosen` are rows of the registry, in its order; sinks[i] is
// that of chosen[i]. `after` is called with each batch when its attackers are done.
using BatchBody = std::function<void(const AttackBatch& batch)>;
void run_attackers(const AttackKnowledge& knowledge, const ReleaseView& view,
                   std::span<const AttackerInfo* const> chosen, std::span<PosteriorSink* const> sinks,
                   const Work& work, const BatchBody& after = {});

}  // namespace sotto
