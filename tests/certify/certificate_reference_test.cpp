// Certificates against a reference that computes the losses from the words' own vectors (exact_reference.h):
// for every two words, loss <= realised_epsilon * d + additive_loss, of the law in exact arithmetic and of
// the law that the program states.
#include <gtest/gtest.h>

#include <cmath>

#include "mechanisms/tem/tem.h"
#include "sotto/certificate.h"
#include "support/exact_reference.h"
#include "support/metrics.h"
#include "support/models.h"

namespace sotto {
namespace {

using test::kMetrics;
using test::Matrix;
using test::Real;

struct Vocabulary {
  std::string name;
  std::vector<float> vectors;
  std::size_t dim = 0;

  [[nodiscard]] std::size_t size() const { return vectors.size() / dim; }
  void add(std::span<const float> vector) { vectors.insert(vectors.end(), vector.begin(), vector.end()); }
  [[nodiscard]] std::span<const float> word(std::size_t i) const {
    return std::span(vectors).subspan(i * dim, dim);
  }
};

Vocabulary gaussian_words(std::string name, std::size_t words, std::size_t dim) {
  Vocabulary out{.name = std::move(name), .vectors = {}, .dim = dim};
  const auto model = test::gaussian_model({.words = words, .dim = dim});
  for (std::size_t i = 0; i < words; ++i) out.add(model->vector(word_id(i)));
  return out;
}

// Every other word has a companion that differs by a unit or two in the last place of some coordinates.
Vocabulary near_duplicates() {
  Vocabulary out = gaussian_words("near-duplicates", 40, 5);
  for (std::size_t i = 0; i < 40; i += 2) {
    std::vector<float> copy(out.word(i).begin(), out.word(i).end());
    for (std::size_t j = 0; j <= i % 5; ++j) copy[j] *= 1 + 1.2e-7F * static_cast<float>(1 + i % 2);
    copy[4] = std::nextafter(copy[4], 9.0F);
    out.add(copy);
  }
  return out;
}

// 50 words, each 2^-21 of the diameter from the next, up to a word that is 2^-19 beyond the last one. Merged
// into one row they would be treated as the first of them.
Vocabulary chain() {
  Vocabulary out{.name = "chain", .vectors = {}, .dim = 2};
  const float step = std::ldexp(1.0F, -11);
  for (int i = 0; i < 50; ++i) out.add(std::vector<float>{1 + static_cast<float>(i) * step, 1});
  out.add(std::vector<float>{1 + 53 * step, 1});
  for (int i = 0; i < 8; ++i) out.add(std::vector<float>{2 + static_cast<float>(i), 3});
  out.add(std::vector<float>{1024, 1});
  return out;
}

Vocabulary outlier(std::string name, std::size_t words, float length) {
  Vocabulary out = gaussian_words(std::move(name), words, 4);
  out.add(std::vector<float>{length * 0.6F, 0, -length * 0.8F, 0});
  return out;
}

// Words of lengths 1e-6 to 1e6, and of every length a pair close together.
Vocabulary decades() {
  Vocabulary out{.name = "decades", .vectors = {}, .dim = 3};
  Rng rng = Rng::seeded_not_private(3);
  for (int power = -6; power <= 6; ++power) {
    const auto length = static_cast<float>(std::pow(10.0, power));
    for (int i = 0; i < 4; ++i) {
      std::vector<float> x;
      for (int j = 0; j < 3; ++j) x.push_back(length * static_cast<float>(gaussian(rng)));
      out.add(x);
      x[0] *= 1 + 3e-7F;
      if (i == 0) out.add(x);
    }
  }
  return out;
}

std::vector<Vocabulary> vocabularies() {
  std::vector<Vocabulary> out = {near_duplicates(), chain(), outlier("outlier 1e6", 60, 1e6F), decades()};
  for (const double scale : {1e-12, 1e-6, 1e6, 1e12}) {
    Vocabulary scaled = near_duplicates();
    scaled.name += " * " + std::to_string(std::log10(scale));
    for (float& x : scaled.vectors) x *= static_cast<float>(scale);
    out.push_back(std::move(scaled));
  }
  return out;
}

// Poincare: inside the ball, the longest word near its edge.
std::shared_ptr<const Model> model_of(const Vocabulary& vocabulary, Metric metric) {
  std::vector<float> vectors = vocabulary.vectors;
  if (metric == Metric::poincare) {
    double longest = 0;
    for (std::size_t i = 0; i < vocabulary.size(); ++i) {
      double square = 0;
      for (const float x : vocabulary.word(i)) square += double{x} * x;
      longest = std::max(longest, std::sqrt(square));
    }
    for (float& x : vectors) x = static_cast<float>(x * (0.9999 / longest));
  }
  std::vector<std::string> words;
  for (std::size_t i = 0; i < vocabulary.size(); ++i) words.push_back("w" + std::to_string(i));
  return Model::from_words(words, vectors, vocabulary.dim);
}

// Two units of distance: the median distance of a word to the nearest other one, and that of all pairs.
struct Units {
  double near = 0;
  double far = 0;
};
Units typical_distances(const Matrix& distances) {
  std::vector<Real> nearest;
  std::vector<Real> all;
  for (std::size_t a = 0; a < distances.size(); ++a) {
    Real least = HUGE_VALL;
    for (std::size_t b = 0; b < distances.size(); ++b) {
      if (a != b && distances[a][b] > 0) least = std::min(least, distances[a][b]);
      if (a != b) all.push_back(distances[a][b]);
    }
    nearest.push_back(least);
  }
  std::sort(nearest.begin(), nearest.end());
  std::sort(all.begin(), all.end());
  return {.near = static_cast<double>(nearest[nearest.size() / 2]),
          .far = static_cast<double>(all[all.size() / 2])};
}

// What is expected of a certificate of a tem law.
void judge(const Matrix& distances, const Mechanism& mechanism, const Certificate& certificate) {
  const ExponentialLaw& law = dynamic_cast<const Tem&>(*mechanism.words).law();
  const Matrix exact = test::exact_log_laws(
      distances, {.slope = law.slope, .gamma = law.gamma, .base_weights = law.base_weights});
  Matrix stated;
  for (std::size_t w = 0; w < distances.size(); ++w) {
    const auto row = mechanism.words->log_law(word_id(w)).value();
    stated.emplace_back(row.begin(), row.end());
  }
  const Real epsilon = certificate.realised_epsilon;
  const Real additive = certificate.additive_loss;
  Real supremum = 0;
  std::size_t broken = 0;
  for (std::size_t a = 0; a < distances.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const Real d = distances[a][b];
      const Real loss = test::exact_loss(exact[a], exact[b]);
      const Real drawn = test::exact_loss(stated[a], stated[b]);
      if (d > 0) supremum = std::max(supremum, loss / d);
      const Real bound = epsilon * d + additive;
      if (loss > bound || drawn > bound || std::max(loss, drawn) > certificate.largest_loss) ++broken;
      if (d == 0 && drawn != 0) ++broken;
    }
  }
  EXPECT_EQ(broken, 0U) << "realised " << certificate.realised_epsilon << ", additive "
                        << certificate.additive_loss << ", true supremum " << supremum;
  // Not above the truth but for rounding; below it at most by what the additive term takes over.
  EXPECT_LE(certificate.realised_epsilon, static_cast<double>(supremum) * (1 + 1e-9));
  // A distance of 2^-50 matters for angular and chord at large slopes only.
  EXPECT_LE(certificate.additive_loss, 1e-9 + 2e-14 * law.slope);
}

TEST(CertificateReference, HoldsForEveryPairOfEveryVocabularyMetricAndCalibration) {
  for (const Vocabulary& vocabulary : vocabularies()) {
    for (const Metric metric : kMetrics) {
      const auto model = model_of(vocabulary, metric);
      const Matrix distances = test::exact_distances(*model, metric);
      const Units units = typical_distances(distances);
      for (const char* calibration : {"paper", "exact", "flat"}) {
        for (const double epsilon : {0.3 / units.near, 5 / units.near, 1 / units.far, 12 / units.far}) {
          SCOPED_TRACE(vocabulary.name + " " + std::string(metric_name(metric)) + " " + calibration + " " +
                       number_text(epsilon));
          const CertifiedMechanism built = build_mechanism("tem", model,
                                                           {{"epsilon", number_text(epsilon)},
                                                            {"metric", std::string(metric_name(metric))},
                                                            {"calibration", calibration}},
                                                           {});
          EXPECT_LE(built.certificate.value().realised_epsilon, epsilon);
          judge(distances, built.mechanism, *built.certificate);
        }
      }
    }
  }
}

// Merged into one row, the chain was drawn as its first word: certified 3.97, and 92.96 was true.
TEST(CertificateReference, AChainOfNearDuplicatesIsNotOneRow) {
  const auto model = model_of(chain(), Metric::euclidean);
  const Matrix distances = test::exact_distances(*model, Metric::euclidean);
  for (const char* calibration : {"paper", "exact", "flat"}) {
    const CertifiedMechanism built =
        build_mechanism("tem", model, {{"epsilon", "4"}, {"calibration", calibration}}, {});
    EXPECT_EQ(built.mechanism.space->merged_words(), 0U);
    EXPECT_LE(built.certificate.value().realised_epsilon, 4);
    judge(distances, built.mechanism, *built.certificate);
  }
}

// One word of length 2.3e6 made near words of ordinary length share rows: certified 1.86, and 2.44 was true.
TEST(CertificateReference, AnOutlierMergesNoWords) {
  const auto model = model_of(outlier("outlier 2.3e6", 400, 2.3e6F), Metric::euclidean);
  const Matrix distances = test::exact_distances(*model, Metric::euclidean);
  for (const char* calibration : {"paper", "exact", "flat"}) {
    const CertifiedMechanism built =
        build_mechanism("tem", model, {{"epsilon", "2"}, {"calibration", calibration}}, {});
    EXPECT_EQ(built.mechanism.space->merged_words(), 0U);
    judge(distances, built.mechanism, *built.certificate);
  }
}

// By the specification no law of slope s realises more than 2 s, rounding or not.
TEST(CertificateReference, NeverExceedsTwiceTheSlope) {
  for (const Metric metric : kMetrics) {
    const auto space = Space::make(model_of(near_duplicates(), metric), metric);
    for (const double slope : {1e-200, 1e-9, 0.1, 10.0, 1e5, 1e9, 1e15, 1e300}) {
      const Mechanism mechanism{
          .space = space,
          .claim = {},
          .words = std::make_shared<Tem>(
              space, ExponentialLaw{.slope = slope, .gamma = HUGE_VAL, .base_weights = {}})};
      const Certificate certificate = certify(mechanism, {}).value();
      EXPECT_LE(certificate.realised_epsilon, 2 * slope) << metric_name(metric) << ' ' << slope;
      EXPECT_TRUE(std::isfinite(certificate.additive_loss));
      EXPECT_TRUE(std::isfinite(certificate.largest_loss));
    }
  }
}

}  // namespace
}  // namespace sotto
