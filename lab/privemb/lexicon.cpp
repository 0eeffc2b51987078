#include "lab/privemb/lexicon.h"

#include <set>
#include <string>

#include "lab/privemb/latin1.h"
#include "text/lookup.h"

namespace sotto::lab {

namespace {

constexpr std::string_view kSet = "opinion lexicon (Hu and Liu 2004)";
constexpr std::string_view kLexiconPage =
    "cs.uic.edu/~liub/FBS/sentiment-analysis.html, as opinion-lexicon-English.rar";

std::vector<std::string> listed(const DataFolder& data, const std::string& name) {
  const DataFile file{.set = kSet,
                      .names = {"opinion_lexicon/" + name, "opinion-lexicon-English/" + name, name},
                      .published = kLexiconPage};
  std::vector<std::string> words;
  const std::string text = data.read(file);
  for (const std::string_view line : lines_of(text)) {
    if (!line.empty() && line.front() != ';') words.push_back(utf8_of(line));
  }
  return words;
}

}  // namespace

Lexicon load_lexicon(const DataFolder& data, const std::shared_ptr<const Model>& model) {
  const std::vector<std::string> positive = listed(data, "positive-words.txt");
  const std::vector<std::string> negative = listed(data, "negative-words.txt");
  const Lookup lookup(model);
  // Folding can make one word of two (naive with and without its diaeresis stay two).
  const auto ids = [&](const std::vector<std::string>& words) {
    std::vector<WordId> out;
    std::set<WordId> seen;
    for (const std::string& word : words) {
      const auto id = lookup.find(word);
      if (id && seen.insert(*id).second) out.push_back(*id);
    }
    return out;
  };
  Lexicon lexicon{.positive = ids(positive),
                  .negative = ids(negative),
                  .positive_listed = positive.size(),
                  .negative_listed = negative.size()};
  const std::set<WordId> up(lexicon.positive.begin(), lexicon.positive.end());
  const std::set<WordId> down(lexicon.negative.begin(), lexicon.negative.end());
  std::erase_if(lexicon.positive, [&](WordId id) { return down.contains(id); });
  std::erase_if(lexicon.negative, [&](WordId id) { return up.contains(id); });
  return lexicon;
}

}  // namespace sotto::lab
