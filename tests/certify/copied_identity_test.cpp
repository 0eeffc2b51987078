// A model file may state the identity of another model and have a right checksum. What is kept on disk for
// the other model must then not be used: the draws and the certificate must be those of the file's own
// contents.
#include <gtest/gtest.h>

#include <cmath>

#include "core/temporary_folder.h"
#include "mechanisms/build.h"
#include "neighbours/prepared.h"
#include "sotto/certificate.h"
#include "support/forged_model.h"
#include "support/models.h"
#include "support/sampling.h"

namespace sotto {
namespace {

constexpr std::size_t kWords = 1600;  // above the number up to which certificates are always computed

const ParameterTexts kPaper = {{"epsilon", "2"}};
const ParameterTexts kExact = {{"epsilon", "2"}, {"calibration", "exact"}};

// Model A, prepared and certified in a cache, and model B with other vectors and the identity of A.
class CopiedIdentity : public ::testing::Test {
 protected:
  CopiedIdentity() {
    save("a.sotto", 1);
    save("b.sotto", 2);
    test::copy_identity(folder_ / "b.sotto", folder_ / "a.sotto");
    const auto a = Model::open(folder_ / "a.sotto", cache());
    prepare_neighbourhoods(Space::make(a, Metric::euclidean), kWords, 0, [](std::size_t, std::size_t) {});
    (void)build_mechanism("tem", a, kExact, {});
    const CertifiedMechanism paper = build_mechanism("tem", a, kPaper, {});
    (void)certify_again(paper.mechanism, {});
    EXPECT_TRUE(cached_certificate(paper.mechanism, {})) << "the cache of A is not used at all";
  }
  void save(const char* name, std::uint64_t seed) {
    test::gaussian_model({.words = kWords, .dim = 4, .seed = seed})
        ->save(folder_ / name, Model::Existing::refuse);
  }
  [[nodiscard]] std::filesystem::path cache() const { return folder_ / "cache"; }
  [[nodiscard]] std::shared_ptr<const Model> b_with_cache() const {
    return Model::open(folder_ / "b.sotto", cache());
  }
  [[nodiscard]] std::shared_ptr<const Model> b_alone() const { return Model::open(folder_ / "b.sotto"); }

  test::TemporaryFolder folder_;
};

TEST_F(CopiedIdentity, NothingPreparedIsFound) {
  EXPECT_EQ(PreparedNeighbourhoods::open(*Space::make(b_with_cache(), Metric::euclidean)), nullptr);
}

// 100,000 draws of each of three words against the law of B; false alarm 1e-9 each. Drawn with the neighbours
// of A, the p-value is 0.
TEST_F(CopiedIdentity, DrawsFollowTheOwnLaw) {
  const Mechanism mechanism = build_uncertified("tem", b_with_cache(), kPaper);
  const Mechanism alone = build_uncertified("tem", b_alone(), kPaper);
  Rng rng = Rng::seeded_not_private(5);
  for (const std::size_t w : {0U, 17U, 1599U}) {
    std::vector<double> law = alone.words->log_law(word_id(w)).value();
    for (double& value : law) value = std::exp(value);
    const auto counts = test::sample_counts(*mechanism.words, word_id(w), kWords, 100'000, rng);
    EXPECT_GT(test::fit(counts, law), test::kFalseAlarm) << w;
  }
}

TEST_F(CopiedIdentity, SeededDrawsAreThoseWithoutACache) {
  for (const ParameterTexts& texts : {kPaper, kExact}) {
    const auto draw = [&](const std::shared_ptr<const Model>& model) {
      const CertifiedMechanism built = build_mechanism("tem", model, texts, {});
      Rng rng = Rng::seeded_not_private(7);
      std::vector<WordId> in;
      for (std::size_t i = 0; i < 5000; ++i) in.push_back(word_id(i % kWords));
      std::vector<WordId> out(in.size());
      built.mechanism.words->sample_batch(in, out, rng);
      return out;
    };
    EXPECT_TRUE(draw(b_with_cache()) == draw(b_alone()));
  }
}

TEST_F(CopiedIdentity, CertificatesAreOfTheOwnVectors) {
  EXPECT_FALSE(cached_certificate(build_uncertified("tem", b_with_cache(), kPaper), {}));
  // What is built does not depend on what was kept either.
  EXPECT_FALSE(build_mechanism("tem", b_with_cache(), kPaper, {}).certificate);
  const auto found = build_mechanism("tem", b_with_cache(), kExact, {}).certificate.value();
  const auto alone = build_mechanism("tem", b_alone(), kExact, {}).certificate.value();
  EXPECT_EQ(found.realised_epsilon, alone.realised_epsilon);
  EXPECT_EQ(found.largest_loss, alone.largest_loss);
}

// Also a calibration of A that was interrupted is not taken up for B, and nothing of B is written where A
// looks.
TEST_F(CopiedIdentity, WhatIsMadeForTheCopyDoesNotReachTheOriginal) {
  const auto a = Model::open(folder_ / "a.sotto", cache());
  const auto before = build_mechanism("tem", a, kExact, {}).certificate.value();
  const auto b = b_with_cache();
  (void)build_mechanism("tem", b, kExact, {});
  (void)certify_again(build_mechanism("tem", b, kPaper, {}).mechanism, {});
  prepare_neighbourhoods(Space::make(b, Metric::euclidean), kWords, 0, [](std::size_t, std::size_t) {});
  EXPECT_NE(b->derived_folder(), a->derived_folder());
  const auto prepared = PreparedNeighbourhoods::open(*Space::make(a, Metric::euclidean));
  ASSERT_NE(prepared, nullptr);
  const auto space = Space::make(a, Metric::euclidean);
  const Neighbourhoods fresh(space, Clusters::make(*a, 0));
  std::vector<std::uint64_t> record(fresh.layout().record_size());
  const WordId word = word_id(3);
  fresh.build({&word, 1}, record);
  EXPECT_TRUE(std::equal(record.begin(), record.end(), prepared->record(word)));
  EXPECT_EQ(build_mechanism("tem", a, kExact, {}).certificate.value().realised_epsilon,
            before.realised_epsilon);
}

}  // namespace
}  // namespace sotto
