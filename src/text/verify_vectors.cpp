// The checks of a vector report.
#include <fmt/format.h>

#include <cmath>

#include "core/bound_text.h"
#include "mechanisms/privemb/sensitivity.h"
#include "sotto/error.h"
#include "text/verify_checks.h"

namespace sotto {

namespace {

// A matrix of more entries is not made for a report that anyone may have written.
constexpr double kLargestProjection = 4e7;

class VectorChecks final : public ReportChecks {
 public:
  using ReportChecks::ReportChecks;

 protected:
  bool check_model() override;
  std::optional<Mechanism> rebuild(const MechanismInfo& info, const ParameterTexts& texts) override;
  void check_rest(const Mechanism& mechanism) override;

 private:
  bool has_model_ = true;
};

bool VectorChecks::check_model() {
  if (!is_null(report_, "model")) return check_identity();
  has_model_ = false;
  skip("model", "the release used none");
  return true;
}

double projection_size(std::size_t dim, const Parameters& parameters) {
  double rows = static_cast<double>(dim);
  if (parameters.has("dimension")) rows = static_cast<double>(parameters.integer("dimension"));
  if (parameters.has("beta")) {
    rows = paper_dimension({.input_dim = dim,
                            .beta = parameters.number("beta"),
                            .delta = parameters.has("delta") ? parameters.number("delta") : 1e-6});
  }
  return rows * static_cast<double>(dim);
}

std::optional<Mechanism> VectorChecks::rebuild(const MechanismInfo& info, const ParameterTexts& texts) {
  if (info.build_vectors == nullptr) {
    wrong("mechanism", "it releases words, not vectors");
    return std::nullopt;
  }
  const auto input = text_field(report_, "input");
  const bool words = input == "words of the model";
  if (!words && input != "a matrix of vectors") {
    wrong("input", "neither of the two kinds that there are");
    return std::nullopt;
  }
  if (words && !has_model_) {
    wrong("input", "words need a model, and the report names none");
    return std::nullopt;
  }
  VectorInput built{.model = has_model_ ? model_ : nullptr,
                    .domain = words ? VectorInput::Domain::words : VectorInput::Domain::free,
                    .dim = model_->dim()};
  if (!has_model_) {
    const std::int64_t dim =
        parse_integer("input dimension", text_field(report_, "input_dimension").value_or(""));
    if (dim < 1) throw Error(ErrorCode::usage, "the input has no dimensions");
    built.dim = static_cast<std::size_t>(dim);
  }
  const Setting setting = parse_setting(info.name, texts);
  if (!(projection_size(built.dim, setting.parameters) <= kLargestProjection)) {
    skip("parameters", "the projection is too large to be made again for a check");
    return std::nullopt;
  }
  ok("input", words ? "words of the model" : "a matrix of vectors");
  return build_vector_mechanism(setting, built);
}

void VectorChecks::check_rest(const Mechanism& mechanism) {
  judge(text_field(report_, "metric") == "euclidean", "metric",
        {.good = "euclidean", .bad = "it must be euclidean"});
  check_facts(mechanism, FactNames::underscored);
  if (const auto seeded = check_randomness()) check_claim(mechanism, *seeded ? 1 : 0);
  const bool words = text_field(report_, "input") == "words of the model";
  check_strength(words ? vector_forecast(mechanism, *model_, work_.threads) : std::nullopt,
                 Released::vectors);
  const auto stated = number_field(report_, "largest_vector_loss");
  const auto known = mechanism.claim.largest_word_loss;
  if (!stated) {
    judge(is_null(report_, "largest_vector_loss"), "largest_vector_loss",
          {.good = "the report states none", .bad = "it is missing, or no number"});
  } else {
    judge(known && is_at_least(*stated, *known), "largest_vector_loss",
          {.good = "recomputed: " + rounded_up(known.value_or(0), 9),
           .bad = fmt::format("recomputed it is {}, more than is stated",
                              rounded_up(known.value_or(INFINITY), 9))});
  }
  skip("rows", "only the holder of the vectors can tell");
}

}  // namespace

VerifyResult check_vector_report(const ReportJson& report, const std::shared_ptr<const Model>& model,
                                 const Work& work, const std::vector<std::string>& released) {
  return VectorChecks(report, model, work, released).run();
}

}  // namespace sotto
