// Every word mechanism, calibration and extreme epsilon on vocabularies that are hardly any: each has a
// defined answer, which is a usable mechanism or a refusal that names the reason. The work is bounded, so
// that a search that does not end shows as a test that takes too long.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sotto/certificate.h"
#include "sotto/error.h"
#include "support/models.h"

namespace sotto {
namespace {

struct NamedModel {
  std::string name;
  std::shared_ptr<const Model> model;
};

// All words are inside the unit ball but for one of "far".
std::vector<NamedModel> degenerate_models() {
  const auto model = [](const std::vector<float>& vectors) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < vectors.size() / 2; ++i) words.push_back("w" + std::to_string(i));
    return Model::from_words(words, vectors, 2);
  };
  return {{"one word", model({0.5F, 0.25F})},
          {"two words", model({0.5F, 0.25F, 0.25F, 0.5F})},
          {"one row", model({0.5F, 0.25F, 0.5F, 0.25F, 0.5F, 0.25F, 0.5F, 0.25F})},
          {"one direction", model({0.5F, 0.25F, 0.25F, 0.125F, 0.125F, 0.0625F})},
          {"two rows", model({0.5F, 0.25F, 0.25F, 0.5F, 0.5F, 0.25F, 0.25F, 0.5F, 0.5F, 0.25F})},
          {"neighbours", model({0.5F, 0.25F, std::nextafter(0.5F, 1.0F), 0.25F, 0.125F, 0.25F})},
          {"far", model({0.5F, 0.25F, 0.25F, 0.5F, 0.125F, 0.25F, 1e30F, -1e30F})},
          {"tiny", model({1e-38F, 0, 0, 1e-38F, 1e-38F, 1e-38F})}};
}

std::vector<ParameterTexts> variants(const MechanismInfo& info) {
  std::vector<ParameterTexts> out = {{}};
  const auto vary = [&](const std::string& name, const std::vector<std::string>& values) {
    const bool has = std::ranges::any_of(info.parameters, [&](const Parameter& p) { return p.name == name; });
    if (!has) return;
    std::vector<ParameterTexts> varied;
    for (const ParameterTexts& texts : out) {
      for (const std::string& value : values) {
        varied.push_back(texts);
        if (!value.empty()) varied.back()[name] = value;
      }
    }
    out = std::move(varied);
  };
  vary("epsilon", {"1e-300", "1e-12", "1", "1e12", "1e20", "1e300", "1e308"});
  vary("calibration", {"paper", "exact", "flat"});
  vary("gamma", {"", "1e-300", "1e-9", "1e300", "inf"});
  vary("metric", {"euclidean", "angular", "chord"});
  return out;
}

std::string described(const MechanismInfo& info, const ParameterTexts& texts) {
  std::string out(info.name);
  for (const auto& [name, value] : texts) out += " " + name + " " + value;
  return out;
}

void judge_mechanism(const CertifiedMechanism& built) {
  const Mechanism& mechanism = built.mechanism;
  const std::size_t n = mechanism.space->size();
  std::vector<WordId> in;
  for (std::size_t i = 0; i < 4 * n; ++i) in.push_back(word_id(i % n));
  std::vector<WordId> out(in.size());
  Rng rng = Rng::seeded_not_private(1);
  mechanism.words->sample_batch(in, out, rng);
  for (const WordId word : out) ASSERT_LT(index_of(word), n);
  if (const auto law = mechanism.words->log_law(word_id(0))) {
    double total = 0;
    for (const double value : *law) total += std::exp(value);
    EXPECT_NEAR(total, 1, 1e-6);
  }
  EXPECT_EQ(mechanism.claim.guarantee.find("nan"), std::string::npos);
  EXPECT_EQ(mechanism.claim.arithmetic.find("nan"), std::string::npos) << mechanism.claim.arithmetic;
  EXPECT_GE(mechanism.claim.largest_word_loss.value_or(0), 0);

  const auto certificate = certify(mechanism, {});
  if (!certificate) return;
  const bool is_proven = mechanism.claim.status == Status::proven;
  EXPECT_FALSE(std::isnan(certificate->realised_epsilon));
  EXPECT_FALSE(std::isnan(certificate->largest_loss));
  EXPECT_TRUE(std::isfinite(certificate->additive_loss));
  const double most = is_proven ? mechanism.claim.epsilon * (1 + 1e-9) : HUGE_VAL;
  EXPECT_LE(certificate->realised_epsilon, most);
  if (is_proven && mechanism.space->has_one_row()) {
    EXPECT_EQ(certificate->realised_epsilon, 0);
    EXPECT_EQ(certificate->additive_loss, 0);
    EXPECT_EQ(certificate->largest_loss, 0);
    EXPECT_TRUE(certificate->worst_pairs.empty());
    EXPECT_EQ(mechanism.claim.largest_word_loss.value_or(0), 0);
  }
}

TEST(Degenerate, EveryMechanismHasADefinedAnswer) {
  std::size_t built_count = 0;
  std::size_t refused = 0;
  for (const NamedModel& vocabulary : degenerate_models()) {
    for (const MechanismInfo& info : mechanisms()) {
      if (info.build == nullptr) continue;
      for (const ParameterTexts& texts : variants(info)) {
        SCOPED_TRACE(vocabulary.name + ": " + described(info, texts));
        try {
          judge_mechanism(build_mechanism(info.name, vocabulary.model, texts, {.threads = 1}));
          ++built_count;
        } catch (const Error& error) {
          ++refused;
          EXPECT_TRUE(error.code() == ErrorCode::usage || error.code() == ErrorCode::bad_data)
              << error.what();
        }
      }
    }
  }
  EXPECT_GT(built_count, 500U);
  EXPECT_GT(refused, 100U);
}

// A vocabulary large enough that a search in steps of 1% over 300 decades would not end.
TEST(Degenerate, ExactWithATinyGammaIsFoundByBisection) {
  const auto model = test::gaussian_model({.words = 300, .dim = 8});
  std::vector<std::string> words = {"copy"};
  std::vector<float> vectors(model->vector(word_id(0)).begin(), model->vector(word_id(0)).end());
  for (std::size_t i = 0; i < model->size(); ++i) {
    words.emplace_back(model->word(word_id(i)));
    vectors.insert(vectors.end(), model->vector(word_id(i)).begin(), model->vector(word_id(i)).end());
  }
  const auto with_copy = Model::from_words(words, vectors, 8);
  for (const char* calibration : {"exact", "flat"}) {
    for (const char* gamma : {"1e-290", "1e-30", "1e-3"}) {
      const CertifiedMechanism built = build_mechanism(
          "tem", with_copy, {{"epsilon", "2"}, {"gamma", gamma}, {"calibration", calibration}}, {});
      EXPECT_LE(built.certificate.value().realised_epsilon, 2);
      EXPECT_GE(built.certificate->realised_epsilon, 1.9) << calibration << ' ' << gamma;
    }
  }
}

}  // namespace
}  // namespace sotto
