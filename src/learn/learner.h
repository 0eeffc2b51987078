#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "learn/documents.h"
#include "learn/features.h"
#include "learn/lift.h"
#include "learn/logistic.h"
#include "sotto/mechanism.h"
#include "sotto/work.h"

namespace sotto {

// What is fixed before private text is seen. The defaults are those of the prototype on reviews.
struct LearnSettings {
  std::size_t features = 100;
  double smoothing = 3e-5;
  double penalty = 1e-3;  // lambda of the logistic regression
};

// Features of documents that mean the same for clean and for private text. Made once for a mechanism and a
// public corpus: public text, the law of the mechanism and our own draws are all that enters.
struct TextSpace {
  DenseMatrix clean;             // E: a row of features for each word of clean text
  DenseMatrix released;          // G M + offset: a row for each word of private text
  std::vector<double> shares;    // the word distribution that was used as the prior
  std::size_t public_texts = 0;  // 0: there were none, and `released` has no map for shrinkage
  bool is_exact = true;          // the lift is; false: by draws
  std::optional<double> lift_error = {};

  [[nodiscard]] std::size_t features() const noexcept { return clean.columns; }
};

enum class TextKind { clean, released };

// Public texts and the same texts privatised by the mechanism, in their order.
struct PublicTexts {
  TokenLists clean;
  TokenLists released;
};
PublicTexts privatised_public(TokenLists clean, const Mechanism& mechanism, const RandomSource& random,
                              const Work& work);

// Features of words before calibration: those of clean text, and their lift.
struct LiftedWords {
  DenseMatrix clean;
  Lifted lifted;
  std::vector<double> shares;
};
// `anchor`: the word that stands for unknown ones. In the stages "finding features" and "lifting".
LiftedWords lifted_words(const Mechanism& mechanism, const TokenLists& public_texts, WordId anchor,
                         const LearnSettings& settings, const LiftQuestion& lift, const Work& work);
// Calibrated on public texts; only the first `features` columns are used.
TextSpace calibrated(const LiftedWords& words, const PublicTexts& texts, std::size_t features,
                     unsigned threads);
// Both steps.
TextSpace public_space(const Mechanism& mechanism, const PublicTexts& texts, WordId anchor,
                       const LearnSettings& settings, const LiftQuestion& lift, const Work& work);
// Without public text: the model's vectors and frequent words as features, and a prior that is estimated from
// the release where the law is known and that takes less than a minute (up to kQuickReleaseWords), or else
// the model's frequency rank.
inline constexpr std::size_t kQuickReleaseWords = 15'000;
TextSpace release_space(const Mechanism& mechanism, const TokenLists& released, const LiftQuestion& lift,
                        const Work& work);

// A document for each text: the mean of the features of its words.
DenseMatrix document_features(const TextSpace& space, const TokenLists& texts, TextKind kind,
                              unsigned threads);

// A classifier of texts: a score for each word and class.
struct TextModel {
  DenseMatrix clean;  // a row for each word
  DenseMatrix released;
  std::vector<double> intercepts;
};
// `of` are below `classes`.
struct TextLabels {
  std::span<const std::uint32_t> of = {};
  std::size_t classes = 2;
};
// `kind` says what the texts are: private ones as a rule, clean ones for a learner of public texts.
TextModel fit_text_model(const TextSpace& space, const TokenLists& texts, TextKind kind,
                         const TextLabels& labels, double penalty, unsigned threads);
// `own`, which learnt from private texts, with a share of `known`, which learnt from public ones: the scores
// of both, each divided by its standard deviation over the public clean texts, those of `known` also centred
// there and multiplied by `share`. Both have the same classes. Nothing is fitted: the share is fixed
// before private text is seen.
inline constexpr double kFusionShare = 0.25;
TextModel fused(const TextModel& own, const TextModel& known, const TokenLists& public_texts, double share,
                unsigned threads);
// A column for each class, or one for two classes: see best_classes() and probabilities().
DenseMatrix scores_of(const TextModel& model, const TokenLists& texts, TextKind kind, unsigned threads);

// What the papers do: TF-IDF and logistic regression on the texts as they are, private words being taken for
// true ones. The weights of words are learnt on the texts themselves. The penalty is 1 / texts, as in
// scikit-learn's LogisticRegression.
struct DirectModel {
  std::vector<double> weights;  // idf of each word
  LinearModel linear;
};
DirectModel fit_direct(const TokenLists& texts, std::size_t words, const TextLabels& labels,
                       unsigned threads);
DenseMatrix scores_of(const DirectModel& model, const TokenLists& texts, unsigned threads);

// The share of equal entries.
double accuracy(std::span<const std::uint32_t> guessed, std::span<const std::uint32_t> labels);

}  // namespace sotto
