#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "learn/learner.h"
#include "learn/rehearsal.h"
#include "sotto/answer.h"
#include "sotto/privatizer.h"

// "Learn from these private texts." All that is used besides the release and its labels is public: public
// text, the model and the mechanism. So everything here is post-processing and costs no privacy.
namespace sotto::api {

// How texts are read and what is fixed before private text is seen.
struct LearnRequest {
  Mechanism mechanism;
  PrivatizerOptions texts = {};  // those of the release: anchor and strip_html are used
  LearnSettings settings = {};
  std::span<const std::string_view> public_texts = {};
  LiftQuestion lift = {};
  std::optional<std::uint64_t> seed_not_private = {};  // of the noise that is put on public text
};

// Least texts, and least share of known words, with which a public corpus is of any use; and those below
// which a person is warned.
inline constexpr std::size_t kLeastPublicTexts = 50;
inline constexpr std::size_t kFewPublicTexts = 1500;
inline constexpr double kLeastKnownShare = 0.2;
inline constexpr double kLowKnownShare = 0.6;

// Throws Error(bad_data) for public text that is too little or in another language; adds sentences to
// `warnings` where it may be.
void check_public_texts(const TokenLists& texts, std::size_t features, std::vector<std::string>& warnings);

struct TextSpaceAnswer {
  TextSpace space;
  double known_share = 1;                  // of the words of the public texts, or of the release without any
  std::vector<std::string> warnings = {};  // sentences for a person
};
// The features of words. `released` is used only where there are no public texts. Throws Error(bad_data) for
// public text that is too little or in another language, Error(usage) for a mechanism that writes one text
// for every word.
TextSpaceAnswer text_space(const LearnRequest& request, std::span<const std::string_view> released,
                           const Work& work);

// Labels as numbers, in the order of their texts. Throws Error(bad_data), which quotes none, if there are
// more different ones than classes can be.
struct NumberedLabels {
  std::vector<std::uint32_t> of;
  std::vector<std::string> names;  // ascending, by number
  std::size_t classes = 0;
};
NumberedLabels number_labels(const std::vector<std::string>& labels);

// Labels are numbers below `classes`. Throws Error(bad_data) if they are not as many as the texts, or of one
// class only.
void check_labels(std::size_t texts, const TextLabels& labels);

struct RehearsalAnswer {
  Rehearsal rehearsal;
  std::vector<std::string> warnings = {};
};
// Throws Error(bad_data) for labels that are not as many as the public texts, or of one class only.
RehearsalAnswer rehearse(const LearnRequest& request, const RehearsalQuestion& question, const Work& work);
Json to_json(const RehearsalAnswer& answer);

// Texts as words of the mechanism's model, read as `privatize` reads them.
TokenLists tokens_of(const LearnRequest& request, std::span<const std::string_view> texts, const Work& work);

}  // namespace sotto::api
