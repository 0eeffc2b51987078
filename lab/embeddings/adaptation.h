#pragma once
#include <span>
#include <vector>

#include "lab/embeddings/reviews.h"

// Vectors fine-tuned on private text, which tem-2023 calls domain adaptation: what they gain at equal E_opt,
// and what they betray. The guarantee of a mechanism holds for given vectors and given words. If these depend
// on the private text, nothing is proven about what they show of it.
namespace sotto::lab::embeddings {

// Where the vectors of the mechanism come from.
inline constexpr std::string_view kPublicVectors = "public";        // the model's
inline constexpr std::string_view kPrivateVectors = "private";      // fine-tuned on the private half TR1
inline constexpr std::string_view kOtherVectors = "other reviews";  // fine-tuned on TR2, taken as public

// Who sees what. None of them sees the private text.
inline constexpr std::string_view kSeesOutput = "output";                   // words and vectors are public
inline constexpr std::string_view kSeesPrivateWords = "output; own words";  // the domain: the words of TR1
inline constexpr std::string_view kSeesLaw = "law of private vectors";      // P(y|w) for all words

// The evidence that an observer has for each word of the domain: the larger, the likelier it is that the
// private text has the word.
using Evidence = std::vector<float>;
// From a release: the number of released documents that contain the word.
Evidence document_counts(const Bags& released, std::size_t words);
// From the law of tem: P(y|w) / P(w|w) tells d(w, y) exactly. Whoever knows the law and the public vectors
// compares d(w, y) with the public distance for the `probes` least frequent words y. If one of these
// distances is the public one, neither word has moved (short of a coincidence), so w is not in the text: 0.
// Otherwise 1.
Evidence moved_words(const std::shared_ptr<const Model>& public_model,
                     const std::shared_ptr<const Model>& adapted, std::size_t probes);

// Words that say nothing by themselves: those in exactly one document of one half and in none of the other.
// The halves are random, so whatever is public (frequency, meaning) tells nothing about which half it is.
struct RareWords {
  std::vector<WordId> in;   // of TR1, the private half
  std::vector<WordId> out;  // of TR2
};
RareWords rare_words(const Bags& bags, const Halves& halves, std::size_t words);

// The area under the curve of an attacker who tells words (documents) of TR1 from those of TR2. A document
// counts by the share of its different words that have evidence above 0.
double word_attack(const Evidence& evidence, const RareWords& words);
double document_attack(const Evidence& evidence, const Bags& bags, const Halves& halves);

// Fills adaptation.csv and betrayal.csv.
void measure_adaptation(const Run& run, const Settings& settings, Points& adaptation, Points& betrayal);

}  // namespace sotto::lab::embeddings
