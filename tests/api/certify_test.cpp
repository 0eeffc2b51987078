#include "sotto/certify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "certify/certificate_store.h"
#include "certify/tem_certificate.h"
#include "core/temporary_folder.h"
#include "sotto/error.h"
#include "support/models.h"

namespace sotto::api {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

CertifyAnswer certified(const std::shared_ptr<const Model>& model, std::string_view mechanism,
                        const ParameterTexts& texts) {
  return certify({.model = model, .setting = parse_setting(mechanism, texts)}, {});
}

// The four words of docs/specification.md section 4.
std::shared_ptr<const Model> line() {
  return test::line_model({0, 1, 2.5, 4});
}

// 99 words at distance 1 from each other, and one at 1.6 from all: the theorem of truncated-gumbel is false.
std::shared_ptr<const Model> counterexample() {
  constexpr std::size_t kWords = 100;
  std::vector<std::string> words;
  std::vector<float> vectors(kWords * kWords, 0);
  for (std::size_t i = 0; i < kWords; ++i) {
    words.push_back("w" + std::to_string(i));
    vectors[i * kWords + i] = i + 1 < kWords ? 0.707107F : 1.43527F;
  }
  return Model::from_words(words, vectors, kWords);
}

TEST(Certify, AClaimThatHoldsIsCertifiedBelowItsEpsilon) {
  const CertifyAnswer answer = certified(line(), "tem", {{"epsilon", "1"}, {"gamma", "inf"}});
  EXPECT_NEAR(answer.certified_epsilon().value(), 0.631857358923, 1e-8);
  EXPECT_EQ(answer.additive_loss(), 1e-9);
  EXPECT_EQ(answer.slope(), 0.5);
  EXPECT_TRUE(std::isinf(answer.gamma().value()));
  EXPECT_EQ(answer.kind(), "exact upper bound");
  EXPECT_EQ(answer.source, CertificateSource::computed);
  EXPECT_EQ(answer.smallest_distance(), 1);
  EXPECT_EQ(answer.largest_distance(), 4);
  EXPECT_EQ(answer.strength(), Strength::ok);
  EXPECT_TRUE(answer.holds() && answer.passes());
  EXPECT_EQ(answer.verdict(),
            "epsilon 1 is claimed, and no pair of words loses more than 0.631857359; strength says whether "
            "that protects");
}

TEST(Certify, AFalseTheoremIsFoundOut) {
  const CertifyAnswer answer = certified(counterexample(), "truncated-gumbel", {{"epsilon", "14.4945472"}});
  EXPECT_NEAR(answer.certified_epsilon().value(), 18.8423645, 1e-6);
  EXPECT_TRUE(answer.breaks_claim());
  EXPECT_FALSE(answer.passes());
  EXPECT_EQ(answer.kind(), "exact");
  EXPECT_THAT(answer.verdict(), StartsWith("THE CLAIM IS FALSE here: epsilon 14.4945472 is claimed"));
  EXPECT_EQ(to_json(answer)["holds"], false);
}

TEST(Certify, OneRowOfWordsLosesNothing) {
  const CertifyAnswer answer = certified(test::line_model({2, 2, 2}), "tem", {{"epsilon", "1"}});
  EXPECT_EQ(answer.certified_epsilon(), 0);
  EXPECT_EQ(answer.additive_loss(), 0);
  EXPECT_TRUE(answer.holds());
  EXPECT_THAT(answer.verdict(), StartsWith("all words have the same law"));
  EXPECT_EQ(to_json(answer)["worst_pair"], nullptr);
}

TEST(Certify, IdentityHasNoEpsilonAndClaimsNone) {
  const CertifyAnswer answer = certified(line(), "identity", {});
  EXPECT_TRUE(std::isinf(answer.certified_epsilon().value()));
  EXPECT_FALSE(answer.breaks_claim());
  EXPECT_EQ(answer.strength(), Strength::none);
  EXPECT_EQ(to_json(answer)["certified_epsilon"], nullptr);
  EXPECT_EQ(to_json(answer)["nominal_epsilon"], nullptr);
}

TEST(Certify, WithoutALawTheTheoremStandsBesideALowerBoundFromDraws) {
  const CertifyAnswer answer = certified(line(), "laplace", {{"epsilon", "2"}});
  EXPECT_EQ(answer.certified_epsilon(), 2);
  EXPECT_EQ(answer.kind(), "proven bound");
  EXPECT_FALSE(answer.additive_loss());
  const SampledBound sampled = answer.sampled.value();
  EXPECT_GT(sampled.draws, 0U);
  EXPECT_GT(sampled.epsilon, 0.5);
  EXPECT_LE(sampled.epsilon, 2);
  EXPECT_THAT(answer.verdict(), HasSubstr("holds by a theorem"));
  const Json json = to_json(answer);
  EXPECT_EQ(json["source"], nullptr);
  EXPECT_EQ(json["sampled_lower_bound"]["basis"], "draws");
  EXPECT_EQ(json, to_json(certified(line(), "laplace", {{"epsilon", "2"}})));
}

TEST(Certify, WhatCannotBeComputedIsRefusedIfNothingMayBeSampled) {
  const CertifyRequest request{.model = line(), .may_sample = false};
  try {
    (void)certify(build_mechanism("laplace", request.model, {{"epsilon", "5"}}), request, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_THAT(error.what(), HasSubstr("no certificate of laplace can be computed"));
  }
}

TEST(Certify, AMechanismThatIsBuiltGivesTheSameAnswer) {
  for (const char* calibration : {"paper", "exact"}) {
    const CertifyRequest request{
        .model = line(), .setting = parse_setting("tem", {{"epsilon", "1"}, {"calibration", calibration}})};
    const CertifyAnswer answer = certify(build_mechanism(request.setting, request.model), request, {});
    EXPECT_EQ(to_json(answer), to_json(certify(request, {})));
  }
}

TEST(Certify, NoiseForTheStretchOfTheVocabularyKeepsTheClaim) {
  const ParameterTexts texts = {{"epsilon", "2"}, {"dimension", "10"}, {"projection", "gaussian"}};
  const auto model = counterexample();
  const CertifyAnswer answer = certified(model, "privemb", texts);
  ASSERT_TRUE(answer.stretch && answer.is_of_vectors());
  EXPECT_TRUE(answer.stretch->is_covered);
  EXPECT_LE(answer.certified_epsilon().value(), 2);
  EXPECT_NEAR(answer.sensitivity().value(), answer.stretch->vocabulary, 1e-9);
  EXPECT_EQ(answer.additive_loss(), 0);
  EXPECT_TRUE(answer.passes());
  EXPECT_THAT(answer.verdict(), StartsWith("epsilon 2 is claimed, and no pair of words loses more than 2"));
  const CertifyAnswer again =
      certify({.model = model, .setting = parse_setting("privemb", texts), .verify = true}, {});
  EXPECT_EQ(to_json(again)["certified_epsilon"], to_json(answer)["certified_epsilon"]);
}

TEST(Certify, ThePapersSensitivityIsHeldAgainstTheStretch) {
  CertifyAnswer answer =
      certified(counterexample(), "privemb",
                {{"epsilon", "2"}, {"beta", "0.93"}, {"projection", "gaussian"}, {"sensitivity", "paper"}});
  ASSERT_TRUE(answer.stretch);
  EXPECT_FALSE(answer.stretch->is_covered);
  EXPECT_NEAR(answer.sensitivity().value(), 1.93, 1e-12);
  EXPECT_DOUBLE_EQ(answer.certified_epsilon().value(), 2 * answer.stretch->vocabulary / 1.93);
  EXPECT_TRUE(answer.holds());
  // It fails with probability delta: two words lie further apart than it allows for.
  answer.stretch->spectral = 3;
  answer.stretch->vocabulary = 2.5;
  EXPECT_FALSE(answer.holds() || answer.passes());
  EXPECT_EQ(to_json(answer)["holds"], false);
  EXPECT_THAT(answer.verdict(), StartsWith("THE CLAIM IS FALSE here: epsilon 2 is claimed, at most 2.59"));
  // Noise for a proven bound keeps the claim, whatever the other two bounds are rounded to.
  answer.stretch->is_covered = true;
  EXPECT_EQ(answer.certified_epsilon(), 2);
  EXPECT_TRUE(answer.holds());
}

// A model with a cache of its own.
class CertifyCache : public ::testing::Test {
 protected:
  void use(const Model& model) {
    model.save(folder_ / "m.sotto", Model::Existing::replace);
    model_ = Model::open(folder_ / "m.sotto", folder_ / "cache");
  }
  CertifyAnswer ask(const Setting& setting, bool verify) {
    return certify({.model = model_, .setting = setting, .verify = verify}, {});
  }
  CertificateStore store(const Setting& setting) {
    const LawRequest request = setting.info->law_request(*model_, setting.parameters);
    return {Space::make(model_, request.metric), request};
  }
  // With a checksum that fits, as a forger would write it.
  void replace_in_file(const Setting& setting, const std::string& from, const std::string& to) {
    const auto file = store(setting).file();
    std::string body = sotto::test::contents(file);
    body.resize(body.size() - sizeof(std::uint64_t));
    const std::size_t at = body.find(from);
    ASSERT_NE(at, std::string::npos);
    body.replace(at, from.size(), to);
    const std::uint64_t checksum = XXH3_64bits(body.data(), body.size());
    body.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
    sotto::test::put(file, body);
  }

  sotto::test::TemporaryFolder folder_;
  std::shared_ptr<const Model> model_;
  Setting exact_ = parse_setting("tem", {{"epsilon", "2"}, {"calibration", "exact"}});
  Setting paper_ = parse_setting("tem", {{"epsilon", "2"}});
};

TEST_F(CertifyCache, AVerificationTellsWhatTheCacheHeld) {
  use(*test::gaussian_model({.words = 60, .dim = 3}));
  const CertifyAnswer first = ask(exact_, true);
  EXPECT_EQ(first.source, CertificateSource::computed);
  EXPECT_EQ(first.verification.value().kept, Verification::Kept::none);
  const CertifyAnswer second = ask(exact_, true);
  EXPECT_EQ(second.source, CertificateSource::cached);
  EXPECT_EQ(second.verification.value().kept, Verification::Kept::used);
  EXPECT_TRUE(second.passes());
  EXPECT_EQ(to_json(ask(exact_, false))["source"], "kept and checked");
}

TEST_F(CertifyCache, AForgedStatementIsRefusedAndReplaced) {
  use(*test::gaussian_model({.words = 60, .dim = 3}));
  const double honest = ask(exact_, false).largest_word_loss().value();
  replace_in_file(exact_, "\"largest_loss\":", "\"largest_loss\":0.1,\"x\":");
  const CertifyAnswer answer = ask(exact_, true);
  const Verification check = answer.verification.value();
  EXPECT_EQ(check.kept, Verification::Kept::refused);
  EXPECT_EQ(check.kept_largest_loss, 0.1);
  EXPECT_EQ(check.largest_loss, honest);
  EXPECT_TRUE(answer.holds());
  EXPECT_FALSE(check.agrees() || answer.passes());
  EXPECT_TRUE(ask(exact_, true).passes());
}

TEST_F(CertifyCache, ADamagedFileIsRefusedThoughItStatesNothing) {
  use(*test::gaussian_model({.words = 60, .dim = 3}));
  (void)ask(exact_, false);
  std::filesystem::resize_file(store(exact_).file(), 50);
  const CertifyAnswer answer = ask(exact_, true);
  EXPECT_EQ(answer.verification.value().kept, Verification::Kept::refused);
  EXPECT_TRUE(answer.passes());
}

// The certificate of a small model is computed when the mechanism is built, and kept for a later comparison.
TEST_F(CertifyCache, WithoutCalibrationTheFileIsComparedButNeverUsed) {
  use(*test::gaussian_model({.words = 60, .dim = 3}));
  EXPECT_EQ(ask(paper_, false).source, CertificateSource::computed);
  ASSERT_TRUE(stated_certificate(paper_, model_));
  replace_in_file(paper_, "\"realised_epsilon\":", "\"realised_epsilon\":0.1,\"x\":");
  const CertifyAnswer answer = ask(paper_, true);
  EXPECT_EQ(answer.source, CertificateSource::computed);
  EXPECT_EQ(answer.verification.value().kept, Verification::Kept::none);
  EXPECT_EQ(answer.verification->kept_epsilon, 0.1);
  EXPECT_FALSE(answer.passes());
  EXPECT_TRUE(ask(paper_, true).passes());
}

// A law that breaks its claim at one pair of words passes the checks of loading if neither word is among the
// rows that these choose: here in about 45 of 100 cases. A verification finds the pair, and removes the file.
TEST_F(CertifyCache, AForgedLawIsFoundOutAndForgotten) {
  use(*test::gaussian_model({.words = 2500, .dim = 3}));
  constexpr int kTries = 40;  // all of them fail with probability 0.55^40 < 1e-10
  for (int i = 0; i < kTries; ++i) {
    const CertifiedMechanism built = build_mechanism(exact_, model_);
    CalibratedLaw forged{.law = *built.mechanism.words->exponential_law(), .certified = {}};
    forged.law.slope *= 1 + 1e-6;
    const AllPairs pairs(built.mechanism.space);
    forged.certified = certify_tem(pairs, forged.law, {});
    Certificate& certificate = forged.certified.certificate;
    ASSERT_GT(certificate.realised_epsilon, 2);
    certificate.realised_epsilon = 2;
    certificate.worst_pairs.clear();
    store(exact_).save(pairs, forged);
    const CertifyAnswer answer = ask(exact_, true);
    if (answer.verification.value().kept != Verification::Kept::used) continue;
    EXPECT_TRUE(answer.breaks_claim());
    EXPECT_FALSE(answer.passes());
    EXPECT_GT(answer.certified_epsilon(), 2);
    EXPECT_FALSE(stated_certificate(exact_, model_));
    return;
  }
  FAIL() << "the forged law was never used";
}

}  // namespace
}  // namespace sotto::api
