#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
  // Bound on the error of each finite value of log_law(), as computed and against what is drawn: the law of
  // the mechanism with the distances that Space computes. The default suits a closed form of some 1,000
  // terms.
  [[nodiscard]] virtual double log_law_error() const { return 1e-10; }
};

// Releases vectors for vectors. Immutable; shared by threads, each of which brings its Rng.
class VectorMechanism {
 public:
  virtual ~VectorMechanism() = default;
  [[nodiscard]] virtual std::size_t input_dim() const = 0;
  [[nodiscard]] virtual std::size_t output_dim() const = 0;
  // Row after row: row i of `out` is an independent release of row i of `in`, whose values are finite.
  virtual void release_batch(std::span<const double> in, std::span<double> out, Rng& rng) const = 0;
};

// What one built instance promises: parameters can change it (vickrey --exclude-input).
struct Claim {
  Status status = Status::not_private;
  double epsilon = 0;           // nominal; infinity: none
  std::string guarantee = {};   // one sentence with unit and metric
  std::string caveat = {};      // empty: none
  std::string arithmetic = {};  // how the guarantee survives floating point
  // Proven upper bound on the loss of one word over all pairs (Lmax), where there is one.
  std::optional<double> largest_word_loss = {};
  // The distance between two words that epsilon multiplies, where it is not that of the space: the norm of
  // elliptical noise. Empty: the space's distance.
  std::function<double(WordId, WordId)> distance = {};
};

struct MechanismInfo;

// A mechanism ready for use, with everything a report needs to say of it. Either `words` and `space` are set
// or `vectors` is.
struct Mechanism {
  const MechanismInfo* info = nullptr;
  Parameters parameters = {};
  std::shared_ptr<const Space> space = {};
  Claim claim = {};
  std::shared_ptr<const WordMechanism> words = {};
  std::shared_ptr<const VectorMechanism> vectors = {};
  // Not empty: a public text that is written in place of every output word (redact).
  std::string token = {};
  // What a report should name besides the claim: {"sensitivity", "1.93 (vocabulary)"}. Public facts only.
  std::vector<std::pair<std::string, std::string>> facts = {};

  // How an output of `words` is written.
  [[nodiscard]] std::string_view text_of(WordId output) const {
    return token.empty() ? space->model().word(output) : std::string_view(token);
  }
  // What the claim promises for two words: an upper bound on |ln P(y|first) - ln P(y|second)| over all
  // outputs y, which is epsilon times their distance in the claim's own norm and at most largest_word_loss.
  // Empty where nothing is proven. In exact arithmetic; claim.arithmetic says what rounding adds.
  [[nodiscard]] std::optional<double> loss_bound(WordId first, WordId second) const;
};

// Another name under which users know a mechanism, perhaps with some of its parameters fixed.
struct Alias {
  struct Preset {
    std::string_view parameter;
    std::string_view value;
  };
  std::string_view name;
  std::string_view note;  // one documentation line
  std::span<const Preset> presets = {};
};

// What a vector mechanism is built for.
struct VectorInput {
  std::shared_ptr<const Model> model = {};  // public vectors; may be null for `free`
  enum class Domain { words, free } domain = Domain::free;
  std::size_t dim = 0;  // of the vectors to release; the model's, for `words`
};

// One row of the registry. `guarantee` is generic ("eps * d for ..."); Claim::guarantee has numbers.
struct MechanismInfo {
  std::string_view name;
  std::span<const Alias> aliases;
  std::string_view title;
  std::string_view paper;
  std::string_view guarantee;
  std::string_view slope;  // of the log law as a function of epsilon, "epsilon / 2"
  Status status;
  std::string_view caveat;
  std::span<const Parameter> parameters;
  // One of the two is set. They fill everything but info and parameters, which the functions below add.
  Mechanism (*build)(const std::shared_ptr<const Model>& model, const Parameters& parameters) = nullptr;
  Mechanism (*build_vectors)(const VectorInput& input, const Parameters& parameters) = nullptr;
};

// In the order that lists show them.
std::span<const MechanismInfo> mechanisms();
// By name or alias. Throws Error(usage) that lists the names.
const MechanismInfo& find_mechanism(std::string_view name);
// The texts, with an alias's presets, checked against the table of the mechanism. Throws Error(usage).
Parameters parse_parameters(std::string_view name, const ParameterTexts& texts);
// Parse the texts and build. Throw Error(usage) if the mechanism is of the other kind.
Mechanism build_mechanism(std::string_view name, const std::shared_ptr<const Model>& model,
                          const ParameterTexts& texts);
Mechanism build_vector_mechanism(std::string_view name, const VectorInput& input,
                                 const ParameterTexts& texts);

}  // namespace sotto
