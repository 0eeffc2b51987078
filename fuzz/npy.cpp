// NumPy matrices: the reader alone, then as the vectors of a model with made-up words.
#include "core/npy.h"

#include <memory>
#include <string>

#include "matrix_harness.h"
#include "model_harness.h"

using sotto::fuzz::expect;
using sotto::fuzz::has_equal_bytes;
using sotto::fuzz::Matrix;

namespace {

// A reader with the bytes that it reads.
class OwnedReader {
 public:
  explicit OwnedReader(std::string_view bytes)
      : source_(sotto::source_of_string(std::string(bytes))), reader_(*source_, "fuzz") {}
  [[nodiscard]] const sotto::NpyShape& shape() const { return reader_.shape(); }
  std::size_t read(std::span<double> out) { return reader_.read(out); }

 private:
  std::unique_ptr<sotto::ByteSource> source_;
  sotto::NpyReader reader_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = sotto::fuzz::text_of(data, size);
  Matrix whole;
  if (!sotto::fuzz::check_matrix([&] { return OwnedReader(bytes); }, 7, whole)) return 0;

  std::string written = sotto::npy_header(whole.shape);
  sotto::append_npy_values(whole.values, whole.shape.type, written);
  Matrix again;
  expect(read_matrix([&] { return OwnedReader(written); }, 7, again), "what is written can be read");
  expect(has_equal_bytes(whole.values, again.values), "and holds the same values");

  std::string words;
  for (std::size_t i = 0; i < whole.shape.rows; ++i) words += "w" + std::to_string(i) + "\n";
  const sotto::fuzz::MemoryFile word_file(words);
  return sotto::fuzz::check_import(bytes, sotto::VectorFormat::npy, word_file.path());
}
