#include "api/extend_disclosure.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "measure/brute_force.h"

namespace sotto::api {
namespace {

// The words of `of`, by their public frequency.
Prior prior_of(const Model& model, const std::vector<WordId>& of) {
  return restricted(frequency_rank_prior(model), WordList{.words = of});
}

// sum over outputs of the smaller of both signs' probabilities
double brute_sign_error(const Mechanism& mechanism, const Prior& prior, const std::vector<double>& scores) {
  const test::Table law = test::law_table(mechanism);
  double sum = 0;
  for (std::size_t o = 0; o < law.size(); ++o) {
    double up = 0;
    double down = 0;
    for (std::size_t w = 0; w < law.size(); ++w) (scores[w] > 0 ? up : down) += prior.weights[w] * law[w][o];
    sum += std::min(up, down);
  }
  return sum;
}

// 40 words in 8 dimensions; the scores of the first 10 are the ninth coordinate, times 4. Scores below 0.5
// show nothing: their words are among the others.
TEST(Disclosure, EqualsTheDefinition) {
  const auto before = test::gaussian_model({.words = 40, .dim = 8});
  std::vector<double> scores(40, 0.0);
  for (std::size_t w = 0; w < 10; ++w) scores[w] = w % 2 == 0 ? 1 : -1.5;
  scores[10] = 0.4;
  std::vector<std::string> words;
  std::vector<float> vectors;
  std::vector<WordId> shown;
  std::vector<WordId> others;
  for (std::size_t w = 0; w < 40; ++w) {
    words.emplace_back(before->word(word_id(w)));
    const auto vector = before->vector(word_id(w));
    vectors.insert(vectors.end(), vector.begin(), vector.end());
    vectors.push_back(static_cast<float>(4 * scores[w]));
    (w < 10 ? shown : others).push_back(word_id(w));
  }
  const auto after = Model::from_words(words, vectors, 9);
  const std::vector<std::vector<double>> all = {scores};
  const Disclosure found =
      disclosure_of({.before = before, .after = after, .scores = all, .epsilon = 1.5}, {.threads = 1});

  const Mechanism old_one = build_uncertified("tem", before, {{"epsilon", "1.5"}});
  const Mechanism new_one = build_uncertified("tem", after, {{"epsilon", "1.5"}});
  ASSERT_EQ(found.properties.size(), 1U);
  EXPECT_EQ(found.properties[0].words, 10U);
  ASSERT_TRUE(found.properties[0].errors);
  const Prior of_shown = prior_of(*before, shown);
  const auto& errors = *found.properties[0].errors;
  EXPECT_NEAR(errors.before.value.value(), brute_sign_error(old_one, of_shown, scores), 1e-9);
  EXPECT_NEAR(errors.after.value.value(), brute_sign_error(new_one, of_shown, scores), 1e-9);
  EXPECT_LT(*errors.after.value, *errors.before.value);
  EXPECT_LE(*errors.before.value, errors.without_output + 1e-12);
  ASSERT_TRUE(found.others);
  EXPECT_EQ(found.others->words, 30U);
  const Prior of_others = prior_of(*before, others);
  EXPECT_NEAR(found.others->before.value.value(), test::brute_e_opt(old_one, of_others, test::Loss::zero_one),
              1e-9);
  EXPECT_NEAR(found.others->after.value.value(), test::brute_e_opt(new_one, of_others, test::Loss::zero_one),
              1e-9);
  EXPECT_EQ(to_json(found)["other_words"]["words"], 30);
}

}  // namespace
}  // namespace sotto::api
