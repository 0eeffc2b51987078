// privemb: noise on projected vectors. Releases vectors, not words.
//
// Paper: Feyisetan and Kasiviswanathan 2021 ("Private Release of Text Embedding Vectors").
// Idea: project x to m dimensions by a public matrix P, add Laplace noise with density exp(-epsilon |z| / s),
// s a bound on how far P stretches distances; the noise has mean length m s / epsilon instead of dim /
// epsilon. Guarantee: epsilon * Euclidean distance of the inputs, pure, with the s of an orthonormal or pca
// projection, with |P|_2 (`spectral`), or with the largest stretch over the vocabulary (`vocabulary`). With
// the paper's s = 1 + beta it is (epsilon, delta), delta over the draw of P, and only for words of a finite
// vocabulary. Released is the grid point nearest to the exact sum (grid_noise.h), so the low bits of the
// doubles hold no more than the proof allows: docs/proofs/privemb.md. Caveat: the promise is per vector.
// Vectors of one document, or released twice, add up.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mechanisms/privemb/private_vectors.h"
#include "mechanisms/privemb/sensitivity.h"
#include "mechanisms/rows.h"
#include "sotto/error.h"

namespace sotto {
namespace {

using Domain = VectorInput::Domain;

constexpr double kDefaultDelta = 1e-6;
constexpr double kDefaultClip = 100;
constexpr std::int64_t kDefaultSeed = 1;
constexpr int kLargestDimension = 65536;
constexpr double kOrthonormalStretch = 1 + 1e-12;

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::usage, message);
}

double up(double value) {
  return std::nextafter(value, std::numeric_limits<double>::infinity());
}

std::string projection_kind(const VectorInput& input, const Parameters& parameters) {
  if (parameters.has("projection")) return parameters.text("projection");
  return input.model != nullptr ? "pca" : "orthonormal";
}

double delta_of(const Parameters& parameters) {
  return parameters.has("delta") ? parameters.number("delta") : kDefaultDelta;
}

std::size_t output_dimension(const VectorInput& input, const Parameters& parameters, std::string_view kind) {
  const bool has_dimension = parameters.has("dimension");
  const bool has_beta = parameters.has("beta");
  if (has_dimension && has_beta) {
    refuse("give `dimension` or `beta`, not both: `beta` and `delta` determine the dimension");
  }
  if (parameters.has("delta") && !has_beta) {
    refuse("`delta` has an effect only together with `beta`: give `beta`, or leave `delta` out");
  }
  if (kind == "none") {
    if (has_beta) refuse("`projection` none keeps the dimension: leave `beta` out");
    if (!has_dimension) return input.dim;
  } else if (!has_dimension && !has_beta) {
    refuse(fmt::format(
        "privemb needs `dimension`, the number of dimensions of the released vectors (the input has {}), or "
        "`beta`, from which the paper's formula derives the dimension; try `dimension` {}",
        input.dim, std::max<std::size_t>(1, input.dim / 2)));
  }
  double m = 0;
  if (has_dimension) {
    m = static_cast<double>(parameters.integer("dimension"));
  } else {
    m = paper_dimension(
        {.input_dim = input.dim, .beta = parameters.number("beta"), .delta = delta_of(parameters)});
    if (!(m >= 1 && m <= kLargestDimension)) {
      refuse(fmt::format("`beta` {} gives the dimension {:.0f}; it must be from 1 to {}",
                         number_text(parameters.number("beta")), m, kLargestDimension));
    }
  }
  const auto out = static_cast<std::size_t>(m);
  if (kind == "none" && out != input.dim) {
    refuse(fmt::format("`projection` none keeps the {} dimensions of the input: leave `dimension` out",
                       input.dim));
  }
  if (kind != "gaussian" && out > input.dim) {
    refuse(fmt::format("{} projection to {} dimensions: the input has only {}; use a smaller `dimension`{}",
                       kind, out, input.dim, has_beta ? " in place of `beta`" : ""));
  }
  return out;
}

struct ChosenProjection {
  std::string kind;
  Projection projection;
  std::string description;
};

// What would take too much memory or time.
void check_size(std::string_view kind, Projection::Shape shape) {
  constexpr std::size_t kMostEntries = std::size_t{1} << 27;  // 2 GB as stored
  constexpr std::size_t kMostCertified = 2048;                // some ten seconds: O(dimension^3)
  if (kind == "sparse" && shape.output_dim > kMostCertified) {
    refuse(
        fmt::format("`projection` sparse to {} dimensions: its sensitivity is certified for up to {}, "
                    "because the time grows with the cube of the dimension; use a smaller `dimension`",
                    shape.output_dim, kMostCertified));
  }
  if (kind != "sparse" && shape.output_dim * shape.input_dim > kMostEntries) {
    refuse(
        fmt::format("`projection` {} from {} to {} dimensions has over {} entries, which take over 2 GB; use "
                    "`projection` sparse, or a smaller `dimension`",
                    kind, shape.input_dim, shape.output_dim, kMostEntries));
  }
}

// Some vector is stretched by |P|, about 1 + sqrt(input dimension / dimension), and the noise must hide it.
void refuse_useless(const ChosenProjection& chosen, double sensitivity) {
  const auto before = static_cast<double>(chosen.projection.input_dim());
  const auto after = static_cast<double>(chosen.projection.output_dim());
  if (chosen.kind != "sparse" || after * sensitivity < before) return;
  refuse(fmt::format(
      "`projection` sparse from {0} to {1} dimensions has the sensitivity {2:.4g}, so it needs more noise "
      "({1} * {2:.4g}) than the vectors as they are ({0}); use a smaller `dimension`, or `projection` none",
      before, after, sensitivity));
}

ChosenProjection choose_projection(const VectorInput& input, const Parameters& parameters) {
  const std::string kind = projection_kind(input, parameters);
  const Projection::Shape shape{.output_dim = output_dimension(input, parameters, kind),
                                .input_dim = input.dim};
  const bool is_random = kind == "gaussian" || kind == "orthonormal" || kind == "sparse";
  if (!is_random && parameters.has("projection-seed")) {
    refuse(fmt::format(
        "`projection-seed` has no effect with `projection` {}, which is not random: leave it out", kind));
  }
  const std::int64_t seed =
      parameters.has("projection-seed") ? parameters.integer("projection-seed") : kDefaultSeed;
  if (kind == "none") return {kind, Projection::identity(input.dim), "none: the vectors as they are"};
  if (kind == "pca") {
    if (input.model == nullptr) {
      refuse("`projection` pca is made from public vectors: give `model`, or use `projection` orthonormal");
    }
    return {kind, Projection::pca(*input.model, shape.output_dim),
            fmt::format("pca: the first {} principal directions of the public vectors", shape.output_dim)};
  }
  check_size(kind, shape);
  const auto public_seed = static_cast<std::uint64_t>(seed);
  const auto make = kind == "sparse"     ? &Projection::sparse
                    : kind == "gaussian" ? &Projection::gaussian
                                         : &Projection::orthonormal;
  return {kind, make(shape, public_seed), fmt::format("{}, from the public seed {} (no secret)", kind, seed)};
}

enum class StretchBound { by_construction, paper, spectral, vocabulary };

struct ChosenSensitivity {
  StretchBound bound = StretchBound::by_construction;
  std::string name;  // for the report
  double value = 0;
};

double paper_sensitivity(const VectorInput& input, const Parameters& parameters,
                         const ChosenProjection& chosen) {
  if (chosen.kind != "gaussian") {
    refuse(fmt::format("`sensitivity` paper is for `projection` gaussian only: with {} leave it out",
                       chosen.kind));
  }
  if (input.domain == Domain::free) {
    refuse(
        "`sensitivity` paper holds for the pairs of a finite public vocabulary, not for free vectors: some "
        "vectors are always stretched by |P|, about 1 + sqrt(input dimension / dimension); use `sensitivity` "
        "spectral, or `projection` orthonormal, which stretches nothing");
  }
  if (!parameters.has("beta")) refuse("`sensitivity` paper is 1 + beta: give `beta` in place of `dimension`");
  const double beta = parameters.number("beta");
  const PaperCase given{.dimension = chosen.projection.output_dim(),
                        .words = input.model->size(),
                        .delta = delta_of(parameters)};
  if (given.words > 1 && !paper_beta_holds(given, beta)) {
    refuse(fmt::format(
        "`sensitivity` paper with `beta` {} is not proven for {} words: in {} dimensions and with delta {} "
        "the bound "
        "on the stretch of all pairs is {:.4f}, above 1 + beta; use `sensitivity` vocabulary, which measures "
        "it",
        number_text(beta), given.words, given.dimension, number_text(given.delta), paper_stretch(given)));
  }
  return up(1 + beta);
}

ChosenSensitivity choose_sensitivity(const VectorInput& input, const Parameters& parameters,
                                     const ChosenProjection& chosen) {
  const bool is_free = input.domain == Domain::free;
  const bool is_stretching = chosen.kind == "gaussian" || chosen.kind == "sparse";
  if (!parameters.has("sensitivity") && !is_stretching) {
    if (chosen.kind == "none") return {StretchBound::by_construction, "the vectors as they are", 1};
    return {StretchBound::by_construction, "orthonormal rows",
            std::max(kOrthonormalStretch, chosen.projection.orthonormal_bound())};
  }
  const std::string kind = parameters.has("sensitivity") ? parameters.text("sensitivity")
                           : is_free                     ? "spectral"
                                                         : "vocabulary";
  if (kind == "paper") return {StretchBound::paper, kind, paper_sensitivity(input, parameters, chosen)};
  if (kind == "spectral") return {StretchBound::spectral, kind, spectral_stretch(chosen.projection)};
  if (is_free) {
    refuse(
        "`sensitivity` vocabulary is measured on the words of a model, and free vectors are not among them; "
        "use "
        "`sensitivity` spectral, which holds for every vector");
  }
  const double stretch = vocabulary_stretch(chosen.projection, *input.model);
  return {StretchBound::vocabulary, kind, stretch > 0 ? stretch : spectral_stretch(chosen.projection)};
}

double longest_vector(const Model& model) {
  double longest = 0;
  for (std::size_t w = 0; w < model.size(); ++w) {
    double squares = 0;
    for (const float entry : model.vector(word_id(w))) squares += static_cast<double>(entry) * entry;
    longest = std::max(longest, squares);
  }
  return std::sqrt(longest) * (1 + 1e-9);
}

// Free vectors are clipped; for words the limit is one that all of them keep.
double clip_of(const VectorInput& input, const Parameters& parameters) {
  if (input.domain == Domain::words) {
    if (parameters.has("clip"))
      refuse("`clip` is for the rows of a matrix; words of a model are never clipped: leave it out");
    return std::max(longest_vector(*input.model), 1e-6);
  }
  return parameters.has("clip") ? parameters.number("clip") : kDefaultClip;
}

int grid_exponent(const Parameters& parameters, double scale) {
  if (parameters.has("grid-bits")) return -static_cast<int>(parameters.integer("grid-bits"));
  return default_grid_exponent(scale);
}

std::string guarantee_of(const VectorInput& input, const Parameters& parameters, const ChosenSensitivity& s,
                         double clip) {
  const std::string exponent = number_text(parameters.number("epsilon")) + " * d";
  std::string sentence =
      input.domain == Domain::words
          ? per_word_guarantee(exponent, "Euclidean distance")
          : fmt::format(
                "Per vector: between any two input vectors, the probability of every output changes by a "
                "factor of at most exp({}), where d is their Euclidean distance after clipping to length {}.",
                exponent, number_text(clip));
  if (s.bound == StretchBound::paper) {
    sentence += fmt::format(" This holds with probability at least 1 - {} over the draw of the projection.",
                            number_text(delta_of(parameters)));
  }
  return sentence;
}

Mechanism build(const VectorInput& input, const Parameters& parameters) {
  if (input.dim == 0) refuse("privemb needs vectors of at least one dimension");
  if (input.model != nullptr && input.model->dim() != input.dim) {
    refuse(
        fmt::format("the model's vectors have {} dimensions, those of the input {}; without `model`, "
                    "`projection` orthonormal needs no public vectors",
                    input.model->dim(), input.dim));
  }
  const double epsilon = parameters.number("epsilon");
  if (!(epsilon >= 1e-30 && epsilon <= 1e30)) {
    refuse(fmt::format("`epsilon` {}: privemb takes 1e-30 to 1e30, so that its noise fits a float",
                       number_text(epsilon)));
  }
  const double clip = clip_of(input, parameters);
  ChosenProjection chosen = choose_projection(input, parameters);
  const ChosenSensitivity sensitivity = choose_sensitivity(input, parameters, chosen);
  refuse_useless(chosen, sensitivity.value);
  const std::size_t m = chosen.projection.output_dim();
  const double scale = up(sensitivity.value / epsilon);
  const GridNoiseLaw law{.dim = m, .scale = scale, .grid_exponent = grid_exponent(parameters, scale)};

  Mechanism out;
  out.claim = {
      .status = Status::proven,
      .epsilon = epsilon,
      .guarantee = guarantee_of(input, parameters, sensitivity, clip),
      .caveat = sensitivity.bound == StretchBound::paper
                    ? "delta is the probability over the choice of the projection, whose seed is public; "
                      "`sensitivity` vocabulary measures the projection that is used"
                    : std::string(kPrivemb.caveat),
      .arithmetic =
          "pure: each vector is the grid point nearest to the real sum of the projected vector and "
          "the noise, decided by error bounds and, where these do not suffice, by more random "
          "digits in MPFR (log, sin and cos of the C library are taken to be within 4 ulp)",
      .largest_word_loss = up(epsilon * 2 * clip)};
  out.facts = {
      {"projection", chosen.description},
      {"input dimension", std::to_string(input.dim)},
      {"output dimension", std::to_string(m)},
      {"sensitivity", fmt::format("{} ({})", number_text(sensitivity.value), sensitivity.name)},
      {"noise", fmt::format("mean length {:.4g}", static_cast<double>(m) * scale)},
      {"grid step", fmt::format("2^{} = {:.4g}", law.grid_exponent, std::ldexp(1.0, law.grid_exponent))}};
  if (input.domain == Domain::free) {
    out.facts.emplace_back(
        "clip", fmt::format("vectors longer than {} are scaled to that length", number_text(clip)));
  } else {
    const auto space = Space::make(input.model, Metric::euclidean);
    out.claim.largest_word_loss = up(epsilon * space->diameter_bound());
  }
  const bool may_fail = sensitivity.bound == StretchBound::paper;
  if (may_fail) out.facts.emplace_back("delta", number_text(delta_of(parameters)));
  KnownStretch known{.is_covered = !may_fail};
  if (sensitivity.bound == StretchBound::vocabulary) known.on_vocabulary = sensitivity.value;
  out.vectors = std::make_shared<PrivateVectors>(std::move(chosen.projection), law, clip, known);
  return out;
}

constexpr std::array<std::string_view, 5> kProjections = {"gaussian", "orthonormal", "sparse", "pca", "none"};
constexpr std::array<std::string_view, 3> kSensitivities = {"paper", "spectral", "vocabulary"};
const std::array kParameters = {
    epsilon_parameter("privacy loss per unit of Euclidean distance; smaller is more private. The noise has "
                      "mean length dimension * sensitivity / epsilon"),
    Parameter{.name = "dimension",
              .help = "number of dimensions of the released vectors; fewer dimensions need less noise",
              .kind = Parameter::Kind::integer,
              .min = 1,
              .max = kLargestDimension,
              .includes_min = true},
    Parameter{.name = "projection",
              .help =
                  "the public matrix P: gaussian (as in the paper), orthonormal (random rows), sparse (few "
                  "entries in a column, for many input dimensions), pca (of the public vectors) or none. If "
                  "not given: pca with `model`, else orthonormal",
              .kind = Parameter::Kind::choice,
              .choices = kProjections},
    Parameter{
        .name = "projection-seed",
        .help =
            "seed of gaussian, orthonormal and sparse (1 if not given). It is public: the same number gives "
            "the same P",
        .kind = Parameter::Kind::integer,
        .min = 0,
        .includes_min = true},
    Parameter{
        .name = "sensitivity",
        .help =
            "the bound on how much P stretches a distance: paper (1 + beta; words only; it may fail with "
            "probability delta), spectral (every vector), vocabulary (measured over all pairs of words). If "
            "not given: 1 for orthonormal, pca and none; for gaussian and sparse vocabulary if words are "
            "released, else spectral",
        .kind = Parameter::Kind::choice,
        .choices = kSensitivities},
    Parameter{.name = "beta",
              .help = "derive the dimension by the paper's formula, floor(1.178 (sqrt(ln dim) + sqrt(ln "
                      "1/delta))^2 / beta^2)",
              .min = 0},
    Parameter{.name = "delta",
              .help = "with `beta`: the probability that the paper's bound fails (1e-6 if not given)",
              .min = 0,
              .max = 1,
              .includes_max = false},
    Parameter{
        .name = "clip",
        .help =
            "rows of a matrix longer than this are scaled to this length (100 if not given); words are not",
        .min = 1e-6,
        .max = 1e9,
        .includes_min = true},
    Parameter{
        .name = "grid-bits",
        .help = "released numbers are multiples of 2^-N. If not given, 2^-N is the power of two at or below "
                "sensitivity / epsilon / 2^20",
        .kind = Parameter::Kind::integer,
        .min = -100,
        .max = 200,
        .includes_min = true},
};

}  // namespace

const MechanismInfo kPrivemb = {
    .name = "privemb",
    .aliases = {},
    .title = "Laplace noise on projected vectors; returns vectors (`sotto vectors`)",
    .paper = "Feyisetan and Kasiviswanathan 2021 (privemb)",
    .guarantee = "epsilon * d; d is the Euclidean distance of the input vectors",
    .slope = "epsilon / sensitivity, in the projected space",
    .status = Status::proven,
    .caveat = "the guarantee is per vector: the losses of several vectors of one document add up",
    .parameters = kParameters,
    .build_vectors = build,
};

}  // namespace sotto
