#include "model/model_fixtures.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include <algorithm>

#include "sotto/byte_stream.h"

namespace sotto::test {

std::string gzip(std::string_view bytes) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  std::string in(bytes);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string error_of(ErrorCode code, const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_THAT(error.what(), ::testing::Not(::testing::HasSubstr(std::string(kWordCanary))));
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

std::optional<std::string> ascii_rule(std::string_view raw) {
  if (raw.find(' ') != std::string_view::npos) return std::nullopt;
  std::string folded(raw);
  for (char& c : folded) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return folded;
}

ImportOptions ascii_options() {
  ImportOptions options;
  options.rule = ascii_rule;
  return options;
}

std::shared_ptr<const Model> import_bytes(std::string bytes, const ImportOptions& options) {
  const auto source = source_of_string(std::move(bytes));
  return import_model(*source, "the file", options);
}

std::vector<std::string> words_of(const Model& model) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < model.size(); ++i) words.emplace_back(model.word(word_id(i)));
  return words;
}

std::vector<float> vector_of(const Model& model, std::string_view word) {
  const auto id = model.find(word);
  if (!id) return {};
  const auto vector = model.vector(*id);
  return {vector.begin(), vector.end()};
}

std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  std::transform(text.begin(), text.end(), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

std::string file_of(const Model& model) {
  const TemporaryFolder folder;
  model.save(folder / "model.sotto", Model::Existing::refuse);
  return contents(folder / "model.sotto");
}

}  // namespace sotto::test
