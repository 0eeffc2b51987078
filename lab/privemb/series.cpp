#include "lab/privemb/series.h"

#include <fmt/format.h>

#include <algorithm>

#include "mechanisms/privemb/private_vectors.h"
#include "mechanisms/privemb/sensitivity.h"
#include "sotto/parameters.h"

namespace sotto::lab {

namespace {

using Kind = VectorSeries::Kind;

constexpr double kDelta = 1e-6;
// A sum of 200 GloVe vectors is shorter; the clip is a public constant that no sentence reaches.
constexpr std::string_view kFreeClip = "10000";

bool has_random_projection(Kind kind) {
  return kind == Kind::printed || kind == Kind::spectral || kind == Kind::orthonormal;
}

ParameterTexts parameters_of(const VectorSeries& series, const ReleaseSetting& setting) {
  ParameterTexts texts = {{"epsilon", setting.epsilon}};
  switch (series.kind) {
    case Kind::printed:
    case Kind::spectral:
    case Kind::vocabulary:
      texts["projection"] = "gaussian";
      texts["sensitivity"] = series.kind == Kind::printed    ? "paper"
                             : series.kind == Kind::spectral ? "spectral"
                                                             : "vocabulary";
      texts["beta"] = series.beta;
      break;
    case Kind::orthonormal:
    case Kind::pca:
      texts["projection"] = series.kind == Kind::pca ? "pca" : "orthonormal";
      texts["dimension"] = std::to_string(series.dimension);
      break;
    default:
      texts["projection"] = "none";
  }
  if (has_random_projection(series.kind)) {
    // The parameter is a signed number, and a double in between.
    texts["projection-seed"] = std::to_string(setting.projection_seed >> 16U);
  }
  if (setting.domain == VectorInput::Domain::free) texts["clip"] = kFreeClip;
  return texts;
}

}  // namespace

bool is_flat(const VectorSeries& series) {
  return series.kind == Kind::no_noise || series.kind == Kind::same_vector;
}

std::size_t printed_dimension(const Model& model, const std::string& beta) {
  return static_cast<std::size_t>(paper_dimension(
      {.input_dim = model.dim(), .beta = parse_number("beta", beta, Infinity::refused), .delta = kDelta}));
}

VectorSeries no_noise_series() {
  return {.name = "no noise", .kind = Kind::no_noise};
}
VectorSeries laplace_series() {
  return {.name = "M1", .kind = Kind::laplace};
}
VectorSeries pure_noise_series() {
  return {.name = "pure noise", .kind = Kind::pure_noise};
}
VectorSeries same_vector_series() {
  return {.name = "same vector", .kind = Kind::same_vector};
}
VectorSeries printed_series(const std::string& beta) {
  return {.name = "M2 " + beta.substr(beta.find('.')), .kind = Kind::printed, .beta = beta};
}
VectorSeries spectral_series(const std::string& beta) {
  return {.name = "gaussian spectral " + beta.substr(beta.find('.')), .kind = Kind::spectral, .beta = beta};
}
VectorSeries vocabulary_series(const std::string& beta) {
  return {.name = "gaussian measured " + beta.substr(beta.find('.')), .kind = Kind::vocabulary, .beta = beta};
}
std::optional<VectorSeries> orthonormal_series(const Model& model, const std::string& beta) {
  const std::size_t m = printed_dimension(model, beta);
  if (m >= model.dim()) return std::nullopt;
  return VectorSeries{.name = fmt::format("orthonormal {}", m), .kind = Kind::orthonormal, .dimension = m};
}
std::optional<VectorSeries> pca_series(const Model& model, const std::string& beta) {
  const std::size_t m = printed_dimension(model, beta);
  if (m >= model.dim()) return std::nullopt;
  return pca_series_of(m);
}
VectorSeries pca_series_of(std::size_t dimension) {
  return {.name = fmt::format("pca {}", dimension), .kind = Kind::pca, .dimension = dimension};
}

Releaser::Releaser(const VectorSeries& series, std::size_t dim, std::shared_ptr<const Mechanism> mechanism)
    : kind_(series.kind), dim_(dim), mechanism_(std::move(mechanism)) {}

std::size_t Releaser::output_dim() const {
  return mechanism_ == nullptr ? dim_ : mechanism_->vectors->output_dim();
}

void Releaser::release(std::span<const double> in, std::span<double> out, Rng& rng) const {
  if (kind_ == Kind::same_vector) {
    std::ranges::fill(out, 0);
  } else if (kind_ == Kind::no_noise) {
    std::ranges::copy(in, out.begin());
  } else if (kind_ == Kind::pure_noise) {
    const std::vector<double> nothing(in.size());
    mechanism_->vectors->release_batch(nothing, out, rng);
  } else {
    mechanism_->vectors->release_batch(in, out, rng);
  }
}

double Releaser::scale() const {
  return mechanism_->vectors->noise_scale().value();
}

ReleasedWords Releaser::released(const Model& model, unsigned threads) const {
  ReleasedWords out = released_words(*mechanism_->vectors, model, threads);
  if (kind_ == Kind::pure_noise) {
    std::ranges::fill(out.centres, 0.0);
    out.release = [this](WordId /*word*/, std::span<double> released, Rng& rng) {
      mechanism_->vectors->release_batch(std::vector<double>(dim_), released, rng);
    };
  }
  return out;
}

Releaser ReleaserStore::get(const VectorSeries& series, const ReleaseSetting& setting) {
  if (series.kind == Kind::no_noise || series.kind == Kind::same_vector) {
    return {series, model_->dim(), nullptr};
  }
  const VectorInput input{.model = model_, .domain = setting.domain, .dim = model_->dim()};
  const auto build = [&] {
    return std::make_shared<const Mechanism>(
        build_vector_mechanism("privemb", input, parameters_of(series, setting)));
  };
  if (has_random_projection(series.kind)) return {series, model_->dim(), build()};
  const std::string key =
      fmt::format("{}/{}/{}", series.name, setting.epsilon, static_cast<int>(setting.domain));
  const std::scoped_lock lock(guard_);
  std::shared_ptr<const Mechanism>& kept = kept_[key];
  if (kept == nullptr && series.kind == Kind::vocabulary && setting.domain == VectorInput::Domain::words) {
    std::shared_ptr<const Mechanism>& base = kept_[series.name];
    if (base == nullptr) base = build();
    const double epsilon = parse_number("epsilon", setting.epsilon, Infinity::refused);
    kept = std::make_shared<const Mechanism>(Mechanism{.vectors = privemb_at_epsilon(*base, epsilon)});
  } else if (kept == nullptr) {
    kept = build();
  }
  return {series, model_->dim(), kept};
}

std::vector<double> word_rows(const Model& model, std::span<const WordId> words) {
  std::vector<double> rows;
  rows.reserve(words.size() * model.dim());
  for (const WordId word : words) {
    const std::span<const float> vector = model.vector(word);
    rows.insert(rows.end(), vector.begin(), vector.end());
  }
  return rows;
}

}  // namespace sotto::lab
