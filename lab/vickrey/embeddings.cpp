#include "lab/vickrey/embeddings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lab/data_files.h"
#include "lab/kept_domain.h"
#include "lab/vickrey/settings.h"
#include "model/import.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"
#include "text/lookup.h"
#include "text/words.h"

namespace sotto::lab::vickrey {

namespace {

struct VectorFile {
  const char* name;
  DataFile file;
  const char* origin;
};

const VectorFile& vector_file(const std::string& name) {
  static const VectorFile kFiles[] = {
      {.name = kStandIn,
       .file = {.set = "fastText vectors of film reviews",
                .names = {"embeddings/derived/fasttext.imdb-unsup.300d_40k.vec"},
                .published = "nowhere: trained with fastText (skip-gram, 300 dimensions, the 40,000 most "
                             "frequent words) on the unlabelled IMDB reviews"},
       .origin = "fastText stand-in, 300 dimensions, trained on unlabelled IMDB reviews"},
      {.name = kWord2vec,
       .file = {.set = "word2vec vectors",
                .names = {"embeddings/word2vec.GoogleNews.300d_8k.vec"},
                .published = "GoogleNews-vectors-negative300 (Mikolov et al. 2013), 8,000 frequent words as "
                             "text"},
       .origin = "word2vec GoogleNews, 300 dimensions, 8,000 words"}};
  const auto found = std::ranges::find_if(kFiles, [&](const VectorFile& file) { return file.name == name; });
  if (found == std::end(kFiles)) throw Error(ErrorCode::internal, "no such vectors of the experiment");
  return *found;
}

}  // namespace

std::shared_ptr<const Model> load_vectors(const Run& run, const std::string& name) {
  if (name == kGlove) return run.model();
  const std::filesystem::path path = run.request().output / fmt::format("vectors-{}.sotto", name);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    const VectorFile& own = vector_file(name);
    const std::unique_ptr<ByteSource> source = source_of_string(run.data().read(own.file));
    ImportOptions options;
    options.rule = importable_word;
    options.name = own.origin;
    import_model(*source, name, options)->save(path, Model::Existing::replace);
  }
  return Model::open(path, run.request().cache);
}

Domain make_domain(const Run& run, const std::string& name, const Model& vectors, std::vector<WordId> words) {
  if (words.size() < 2) {
    throw Error(ErrorCode::bad_data, fmt::format("{}: the vectors have fewer than two of its words", name));
  }
  Domain domain{.model = kept_domain(run, name, vectors, words), .rows = std::move(words), .places = {}};
  domain.places.assign(vectors.size(), Domain::kOutside);
  for (std::size_t i = 0; i < domain.rows.size(); ++i) {
    domain.places[index_of(domain.rows[i])] = static_cast<std::int32_t>(i);
  }
  return domain;
}

CounterfittedWords counterfitted_words(const DataFolder& data, const std::shared_ptr<const Model>& vectors) {
  const Lookup lookup(vectors);
  CounterfittedWords out;
  std::set<WordId> found;
  for (const auto& [word, substitutes] : read_substitutes(data)) {
    if (substitutes.empty()) continue;
    ++out.listed;
    if (const auto id = lookup.find(word)) found.insert(*id);
  }
  out.words.assign(found.begin(), found.end());
  return out;
}

}  // namespace sotto::lab::vickrey
