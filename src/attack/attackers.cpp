#include "attack/attackers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::array kAttackers = {
    AttackerInfo{.name = "output",
                 .assumes = "No word was changed: the guess is the output itself.",
                 .run = attack_output},
    AttackerInfo{.name = "nearest",
                 .assumes = "Every word was changed: the guess is the other word nearest to the output.",
                 .run = attack_nearest},
    AttackerInfo{.name = "mask",
                 .assumes =
                     "The output itself says nothing: the guess is the word that fits best between the "
                     "neighbouring outputs, which are taken for the original words.",
                 .run = attack_mask,
                 .reads_text = true},
    AttackerInfo{.name = "context-free",
                 .assumes = "Words occur as often as in the public text, each independently of all others.",
                 .run = attack_context_free},
    AttackerInfo{.name = "bigram",
                 .assumes = "Each word depends on the word before it, as in the public text.",
                 .run = attack_bigram,
                 .reads_text = true},
    AttackerInfo{.name = "trigram",
                 .assumes = "Each word depends on the two words before it, as in the public text; only the "
                            "likeliest words of each token are followed.",
                 .run = attack_trigram,
                 .least_order = 3},
    AttackerInfo{.name = "cache",
                 .assumes = "Each word depends on the word before it, and words repeat within a document.",
                 .run = attack_cache,
                 .reads_text = true},
    AttackerInfo{.name = "program",
                 .assumes = "Words follow each other as the program of the prior says; it is asked about the "
                            "likeliest words of each token, and sees guesses for the other tokens.",
                 .run = attack_program,
                 .needs_program = true},
    AttackerInfo{.name = "combined",
                 .assumes = "All of these hold in part, in proportions that were fitted on public text which "
                            "we privatised ourselves.",
                 .run = attack_combined,
                 .needs_weights = true},
};

// Columns of a batch. At 50,000 words these are 2,700 different outputs, and an attack with all attackers
// stays below 2 GB.
constexpr std::size_t kColumnBytes = std::size_t{512} << 20;

}  // namespace

std::span<const AttackerInfo> attackers() {
  return kAttackers;
}

const AttackerInfo& find_attacker(std::string_view name) {
  std::string names;
  for (const AttackerInfo& info : kAttackers) {
    if (info.name == name) return info;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", info.name);
  }
  throw Error(ErrorCode::usage, fmt::format("there is no such attacker; there are {}", names));
}

void run_attackers(const AttackKnowledge& knowledge, const ReleaseView& view,
                   std::span<const AttackerInfo* const> chosen, std::span<PosteriorSink* const> sinks,
                   const Work& work, const BatchBody& after) {
  const std::size_t n = knowledge.lm->size;
  const std::size_t most = std::max<std::size_t>(64, kColumnBytes / (n * sizeof(float)));
  AttackRoom own;
  OutputMemory memory{.room = knowledge.room == nullptr ? &own : knowledge.room};
  ColumnStore columns(*knowledge.channel, n, most, memory.room->columns);
  for (std::size_t first = 0; first < view.documents();) {
    AttackBatch batch{.view = view, .first_document = first, .last_document = first, .memory = &memory};
    std::unordered_set<std::uint32_t> seen;
    std::vector<WordId> outputs;  // different ones
    while (batch.last_document < view.documents()) {
      const std::size_t before = outputs.size();
      for (const WordId output : view.document(batch.last_document)) {
        if (seen.insert(static_cast<std::uint32_t>(output)).second) outputs.push_back(output);
      }
      // A document is never cut: one with more outputs than fit is a batch of its own.
      if (outputs.size() > most && batch.last_document > first) {
        outputs.resize(before);
        break;
      }
      ++batch.last_document;
    }
    columns.load(outputs, work);
    for (std::size_t d = first; d < batch.last_document; ++d) {
      for (const WordId output : view.document(d)) batch.columns.push_back(columns.column(output));
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i]->run(knowledge, batch, *sinks[i]);
    if (after) after(batch);
    first = batch.last_document;
    if (work.progress) {
      work.progress({.done = first, .total = view.documents(), .unit = "documents"});
    }
  }
}

}  // namespace sotto
