#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/ids.h"
#include "sotto/parameters.h"
#include "sotto/rng.h"
#include "sotto/space.h"

namespace sotto {

enum class Status { proven, refuted, not_private };
std::string_view status_name(Status status);

// Replaces words by words. Immutable; shared by threads, each of which brings its Rng.
class WordMechanism {
 public:
  virtual ~WordMechanism() = default;
  // out[i] is an independent draw for in[i]; in.size() == out.size(). The law of out[i] depends on
  // in[i] alone, never on its neighbours in the batch.
  virtual void sample_batch(std::span<const WordId> in, std::span<WordId> out, Rng& rng) const = 0;
  // ln P(y | word) for every y, if the law has a closed form.
  [[nodiscard]] virtual std::optional<std::vector<double>> log_law(WordId word) const;
};

// What one built instance promises: parameters can change it (vickrey --exclude-input).
struct Claim {
  Status status = Status::not_private;
  double epsilon = 0;           // nominal
  std::string guarantee = {};   // one sentence with unit and metric
  std::string caveat = {};      // empty: none
  std::string arithmetic = {};  // how the guarantee survives floating point
  // Proven upper bound on the loss of one word over all pairs (Lmax), where there is one.
  std::optional<double> largest_word_loss = {};
};

struct MechanismInfo;

// A mechanism ready for use, with everything a report needs to say of it.
struct Mechanism {
  const MechanismInfo* info = nullptr;
  Parameters parameters = {};
  std::shared_ptr<const Space> space;
  Claim claim;
  std::shared_ptr<const WordMechanism> words;
};

// One row of the registry. `guarantee` is generic ("eps * d for ..."); Claim::guarantee has numbers.
struct MechanismInfo {
  std::string_view name;
  std::span<const std::string_view> aliases;
  std::string_view title;
  std::string_view paper;
  std::string_view guarantee;
  std::string_view slope;  // of the log law as a function of epsilon, "epsilon / 2"
  Status status;
  std::string_view caveat;
  std::span<const Parameter> parameters;
  // Fills space, claim and words; build_mechanism() adds info and parameters.
  Mechanism (*build)(const std::shared_ptr<const Model>& model, const Parameters& parameters);
};

// In the order that lists show them.
std::span<const MechanismInfo> mechanisms();
// By name or alias. Throws Error(usage) that lists the names.
const MechanismInfo& find_mechanism(std::string_view name);
// Parses the texts against the mechanism's table and builds it.
Mechanism build_mechanism(std::string_view name, const std::shared_ptr<const Model>& model,
                          const ParameterTexts& texts);

}  // namespace sotto
