#include "sotto/model.h"

#include <cstring>

#include "core/descriptor.h"
#include "core/output_file.h"
#include "core/sha256.h"
#include "model/model_file.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr char kUnnamed[] = "the model";
// Earlier versions kept derived data in <cache>/<identity>, under the identity that a file stated: data of
// another model can lie there. Those folders are not read.
constexpr char kDerivedVersion[] = "-v2";

}  // namespace

struct Model::Storage {
  FileBytes bytes;
  std::string label;  // begins error messages
};

Model::Model() = default;
Model::~Model() = default;

std::shared_ptr<Model> Model::parse(std::unique_ptr<Storage> storage) {
  const ModelView view = read_model_file(storage->bytes.view(), storage->label);
  std::shared_ptr<Model> model(new Model);
  model->size_ = view.words.size;
  model->dim_ = view.dim;
  model->stride_ = view.stride;
  model->rows_ = view.rows;
  model->word_ends_ = view.words.ends;
  model->word_bytes_ = view.words.bytes;
  model->slots_ = view.words.slots;
  model->slot_count_ = view.words.slot_count;
  model->stated_identity_ = hex_text(view.identity);
  model->origin_ = view.origin;
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    model->has_one_letter_words_ |= view.words.find({&letter, 1}).has_value();
  }
  model->storage_ = std::move(storage);
  return model;
}

std::shared_ptr<const Model> Model::open(const std::filesystem::path& path,
                                         const std::filesystem::path& cache) {
  auto model = parse(std::make_unique<Storage>(Storage{FileBytes::map(path), shown(path.string())}));
  model->cache_ = cache;
  return model;
}

std::shared_ptr<const Model> Model::from_bytes(std::vector<std::byte> bytes) {
  // A vector's memory is not aligned to 64 bytes, so this is a copy.
  FileBytes aligned = FileBytes::zeroed(bytes.size());
  if (!bytes.empty()) std::memcpy(aligned.writable().data(), bytes.data(), bytes.size());
  return parse(std::make_unique<Storage>(Storage{std::move(aligned), kUnnamed}));
}

std::shared_ptr<const Model> Model::from_words(const std::vector<std::string>& words,
                                               const std::vector<float>& vectors, std::size_t dim,
                                               const ModelOrigin& origin) {
  return parse(std::make_unique<Storage>(Storage{make_model_file(words, vectors, dim, origin), kUnnamed}));
}

void Model::save(const std::filesystem::path& path, Existing existing) const {
  OutputFile file(path, existing == Existing::replace ? Overwrite::replace : Overwrite::refuse);
  const std::span<const std::byte> bytes = storage_->bytes.view();
  file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  file.commit();
}

std::string_view Model::word(WordId id) const {
  return WordTable{size_, word_ends_, word_bytes_, slots_, slot_count_}.word(index_of(id));
}

std::optional<WordId> Model::find(std::string_view folded) const {
  const auto index = WordTable{size_, word_ends_, word_bytes_, slots_, slot_count_}.find(folded);
  if (!index) return std::nullopt;
  return word_id(*index);
}

const std::string& Model::identity() const {
  std::call_once(identity_made_, [&] {
    ModelView view;
    view.words = {size_, word_ends_, word_bytes_, slots_, slot_count_};
    view.dim = dim_;
    view.stride = stride_;
    view.rows = rows_;
    identity_ = hex_text(identity_of(view));
  });
  return identity_;
}

std::filesystem::path Model::derived_folder() const {
  return cache_.empty() ? std::filesystem::path() : cache_ / (identity() + kDerivedVersion);
}

std::vector<double> rank_prior(const Model& model) {
  // Mandelbrot's offset for English; ranks count from 1.
  constexpr double kOffset = 2.7;
  std::vector<double> prior(model.size());
  double total = 0;
  for (std::size_t i = 0; i < prior.size(); ++i) {
    prior[i] = 1 / (static_cast<double>(i + 1) + kOffset);
    total += prior[i];
  }
  for (double& weight : prior) weight /= total;
  return prior;
}

}  // namespace sotto
