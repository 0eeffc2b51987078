// Bugs planted in a mechanism that releases vectors: the auditor must call each VIOLATED, at a level of 1e-6,
// with pairs that it chooses itself, and PASS the sound one.
#include "certify/audit_vectors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/samplers.h"
#include "core/uniform.h"
#include "mechanisms/privemb/projection.h"
#include "mechanisms/privemb/sensitivity.h"
#include "sotto/error.h"
#include "support/models.h"

namespace sotto {
namespace {

enum class Bug { none, small_scale, ball, no_sensitivity };

constexpr double kEpsilon = 0.5;

// privemb in doubles, written again: P x + R u, with one of the bugs.
class Planted final : public VectorMechanism {
 public:
  Planted(Projection projection, Bug bug)
      : projection_(std::move(projection)), bug_(bug), sensitivity_(spectral_stretch(projection_)) {}

  [[nodiscard]] std::size_t input_dim() const override { return projection_.input_dim(); }
  [[nodiscard]] std::size_t output_dim() const override { return projection_.output_dim(); }
  void release_batch(std::span<const double> in, std::span<double> out, Rng& rng) const override {
    centre_batch(in, out);
    const std::size_t m = output_dim();
    double scale = (bug_ == Bug::no_sensitivity ? 1 : sensitivity_) / kEpsilon;
    if (bug_ == Bug::small_scale) scale /= 1.5;
    std::vector<double> u(m);
    for (std::size_t row = 0; row < out.size(); row += m) {
      double squares = 0;
      for (double& value : u) {
        value = gaussian(rng);
        squares += value * value;
      }
      double radius = 0;
      for (std::size_t k = 0; k < m; ++k) radius += scale * exponential(rng);
      if (bug_ == Bug::ball) radius *= std::pow(uniform_open(rng), 1 / static_cast<double>(m));
      for (std::size_t k = 0; k < m; ++k) out[row + k] += radius * u[k] / std::sqrt(squares);
    }
  }
  bool centre_batch(std::span<const double> in, std::span<double> out) const override {
    projection_.apply(in, out);
    return true;
  }
  // Says nothing of its noise: the draws must tell.

 private:
  Projection projection_;
  Bug bug_;
  double sensitivity_;
};

std::shared_ptr<const Model> vectors_model() {
  return test::gaussian_model({.words = 40, .dim = 6, .scale = 0.7, .seed = 12});
}
Projection projection_of(Bug bug) {
  const Projection::Shape shape{.output_dim = 2, .input_dim = 6};
  return bug == Bug::no_sensitivity ? Projection::gaussian(shape, 1) : Projection::orthonormal(shape, 1);
}

AuditResult audit_of(const VectorMechanism& mechanism, std::uint32_t draws) {
  const auto words = vectors_model();
  const AuditClaim claim = audit_claim(Space::make(words, Metric::euclidean), kEpsilon);
  Rng rng = Rng::seeded_not_private(3);
  const auto chosen = choose_audit_pairs(
      claim, {.pairs = 20, .worst = most_stretched_pair(mechanism, *words, rng), .threads = 2}, rng);
  VectorSubject subject(mechanism, *words, chosen, RandomSource::seeded_not_private(4));
  return audit(subject, subject.pairs(), {.draws = draws, .level = 1e-6, .work = {.threads = 2}});
}

TEST(AuditVectors, FindsPlantedBugs) {
  const std::pair<Bug, const char*> bugs[] = {{Bug::small_scale, "the noise is too small by 1.5"},
                                              {Bug::ball, "directions in the ball, not on the sphere"},
                                              {Bug::no_sensitivity, "the sensitivity is forgotten"}};
  for (const auto& [bug, name] : bugs) {
    const AuditResult result = audit_of(Planted(projection_of(bug), bug), 60'000);
    ASSERT_EQ(result.verdict, AuditVerdict::violated) << name;
    fmt::print("[violated ] {}: loss {:.3f} or more, {:.3f} claimed; {} draws in all\n", name,
               result.witness->loss_bound, result.witness->pair.claimed_loss, result.total_draws);
  }
}

TEST(AuditVectors, PassesSoundMechanisms) {
  for (const char* projection : {"orthonormal", "gaussian", "pca", "none"}) {
    ParameterTexts texts = {{"epsilon", "0.5"}, {"projection", projection}};
    if (std::string_view(projection) != "none") texts.insert({"dimension", "2"});
    const auto words = vectors_model();
    const Mechanism mechanism = build_vector_mechanism(
        "privemb", {.model = words, .domain = VectorInput::Domain::words, .dim = 6}, texts);
    const AuditResult result = audit_of(*mechanism.vectors, 30'000);
    EXPECT_EQ(result.verdict, AuditVerdict::pass) << projection;
    for (const AuditFinding& finding : result.pairs) {
      ASSERT_TRUE(finding.pair.exact_loss.has_value());
      EXPECT_LE(*finding.pair.exact_loss, finding.pair.claimed_loss * (1 + 1e-9));
      EXPECT_LE(finding.loss_bound, *finding.pair.exact_loss) << "the odds of a cell are within the law";
    }
    // The odds seen come near to the loss that the law has: the cells are fine enough. (Not the bound, which
    // also has the uncertainty of the counts at a level of 1e-6.)
    ASSERT_TRUE(result.strongest.has_value());
    // In the six dimensions of `none` few releases lie in line with the two centres.
    const double seen = mechanism.vectors->output_dim() == 2 ? 0.5 : 0.2;
    EXPECT_GT(result.strongest->loss_estimate, seen * *result.strongest->pair.exact_loss) << projection;
  }
  EXPECT_EQ(audit_of(Planted(projection_of(Bug::none), Bug::none), 30'000).verdict, AuditVerdict::pass);
}

// What is said to be noticed is: noise short by a little more than the stated factor is called VIOLATED, and
// by a little less is not, in a pair of one dimension.
TEST(AuditVectors, StatesTheSmallestShortfallThatShows) {
  const auto ask = [](std::size_t dim, double draws) {
    return detectable_shortfall(
        {.dim = dim, .claimed_loss = 1, .exact_loss = 1, .tested_draws = draws, .error = 1e-6});
  };
  const auto one = ask(1, 40'000);
  ASSERT_TRUE(one.has_value());
  // On a line half of the releases have the whole loss: n/2 hits against n/2 e^-f, so that f - 1 is about
  // 4.75 standard errors of each count.
  const double error = 4.75 * (std::sqrt(2 / 40'000.0) * 0.8 + std::sqrt(2 * std::exp(1.0) / 40'000.0));
  EXPECT_NEAR(*one - 1, error, 0.5 * error);
  EXPECT_LT(*ask(1, 400'000), *one);
  EXPECT_GT(*ask(3, 40'000), *one);
  EXPECT_FALSE(ask(100, 40'000).has_value() && *ask(100, 40'000) < 3);
}

TEST(AuditVectors, NamesItsCells) {
  const auto words = vectors_model();
  const Planted mechanism(projection_of(Bug::none), Bug::none);
  const std::vector<AuditPair> pairs = {{.first = 3, .second = 5, .distance = 1, .claimed_loss = 0.5}};
  VectorSubject subject(mechanism, *words, pairs, RandomSource::seeded_not_private(1));
  EXPECT_EQ(subject.text(subject.pairs()[0].first), words->word(word_id(3)));
  EXPECT_EQ(subject.text(subject.pairs()[0].second), words->word(word_id(5)));
  EXPECT_EQ(subject.text(42), "lead -1 to -0.9375, excess 0 to 0.25");
  EXPECT_EQ(subject.text(42 + 8 * 32 - 1), "lead 0.9375 to 1, excess 16 or more");
}

}  // namespace
}  // namespace sotto
