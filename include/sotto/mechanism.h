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

// A law that falls with the distance: P(y|w) is proportional to c_y exp(-slope * min(d(w,y), gamma)).
struct ExponentialLaw {
  double slope = 0;
  double gamma = 0;                  // may be infinity
  std::vector<double> base_weights;  // c, all > 0; empty: all 1
};

// Replaces words by words. Immutable; shared by threads, each of which brings its Rng. One function is
// required. The others tell certify, measure, tune and explain what they would otherwise have to guess from
// the mechanism's name.
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
  // The parameters of the law, if it is an ExponentialLaw on the mechanism's space. Its certificate is then
  // computed over all pairs of any number of words, and its rows from distances alone. Null: another law.
  [[nodiscard]] virtual const ExponentialLaw* exponential_law() const { return nullptr; }
  // Set if the output is a function of vector(word) + Z, public data and fresh coins, Z spherical noise with
  // density proportional to exp(-value * |z|). Who sees the noisy vector then knows at least as much.
  [[nodiscard]] virtual std::optional<double> spherical_noise() const { return std::nullopt; }
};

// How far the map of a vector mechanism stretches the distances between the words of a model.
struct VectorStretch {
  double noise_scale = 0;  // epsilon is stretch / noise_scale
  double spectral = 0;     // upper bound for any two vectors
  double vocabulary = 0;   // upper bound for any two words of the model
  // The noise is made for a proven bound of the stretch. False: for one that may fail (privemb's `paper`).
  bool is_covered = false;
};

// Releases vectors for vectors. Immutable; shared by threads, each of which brings its Rng.
class VectorMechanism {
 public:
  virtual ~VectorMechanism() = default;
  [[nodiscard]] virtual std::size_t input_dim() const = 0;
  [[nodiscard]] virtual std::size_t output_dim() const = 0;
  // Row after row: row i of `out` is an independent release of row i of `in`, whose values are finite.
  virtual void release_batch(std::span<const double> in, std::span<double> out, Rng& rng) const = 0;
  // Row i of `out` is what noise is added to for row i of `in`. False: not known, and `out` is not written.
  virtual bool centre_batch(std::span<const double> /*in*/, std::span<double> /*out*/) const { return false; }
  // Set if a release is its centre plus spherical noise with density proportional to exp(-|z| / value),
  // rounded to a grid or not: an attacker then knows the density of every release. Empty: that law is not
  // known.
  [[nodiscard]] virtual std::optional<double> noise_scale() const { return std::nullopt; }
  // Computed over all pairs of words; with Measured::reuse it may come from the time of building. Empty: the
  // mechanism has no such map.
  enum class Measured { reuse, again };
  [[nodiscard]] virtual std::optional<VectorStretch> stretch_on(const Model& /*model*/,
                                                                Measured /*measured*/) const {
    return std::nullopt;
  }
};

// What one built instance promises: parameters can change it (`exclude-input` of vickrey).
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
  // That distance is at most `stretch` times the distance of the space; rounded up.
  double stretch = 1;
  // The law was found by its certificate (calibrations exact and flat), which is then part of the claim.
  bool by_certificate = false;
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

// One parameter with a fixed value.
struct Preset {
  std::string_view parameter;
  std::string_view value;
};

// Another name under which users know a mechanism, perhaps with some of its parameters fixed.
struct Alias {
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

// How an ExponentialLaw follows from epsilon (docs/specification.md section 4.2): the number of a row in the
// table of mechanisms/calibrations.h. `paper` is the theorem's choice. Others are found by name and search.
enum class Calibration { paper, exact, flat };
struct LawRequest {
  Metric metric = Metric::euclidean;
  Calibration calibration = Calibration::paper;
  double epsilon = 0;
  double gamma = 0;
};

// What `sotto tune` should try.
struct TuneHints {
  // Each makes one family of settings; empty: one family with the defaults.
  std::span<const Preset> variants = {};
  bool even_unproven = false;  // tried though nothing is proven of it: the other end of the trade-off
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
  // Set if the law is an ExponentialLaw that a calibration may choose.
  LawRequest (*law_request)(const Model& model, const Parameters& parameters) = nullptr;
  enum class KnownBy { law, draws };
  KnownBy known_by = KnownBy::law;  // law: log_law() is there whatever the parameters
  bool costs_all_pairs = false;  // building it compares all pairs of words, and a row of its law sorts them
  TuneHints tuning = {};
};

// A mechanism with its parameters, checked against its table. Parsed once; nothing is built yet.
struct Setting {
  const MechanismInfo* info = nullptr;
  Parameters parameters = {};
};

// In the order that lists show them.
std::span<const MechanismInfo> mechanisms();
// By name or alias. Throws Error(usage) that lists the names.
const MechanismInfo& find_mechanism(std::string_view name);
// The texts, with an alias's presets, checked against the table of the mechanism. Throws Error(usage).
Setting parse_setting(std::string_view name, const ParameterTexts& texts);
// Throws Error(usage) if the mechanism releases words. Words: build_mechanism() of sotto/certificate.h.
Mechanism build_vector_mechanism(const Setting& setting, const VectorInput& input);
inline Mechanism build_vector_mechanism(std::string_view name, const VectorInput& input,
                                        const ParameterTexts& texts) {
  return build_vector_mechanism(parse_setting(name, texts), input);
}

}  // namespace sotto
