#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/npy.h"
#include "sotto/mechanism.h"
#include "text/vector_report.h"

namespace sotto {

// Vectors to be released, one per row.
class VectorRows {
 public:
  virtual ~VectorRows() = default;
  // Rows, their dimension, and the type in which results are written.
  [[nodiscard]] virtual const NpyShape& shape() const = 0;
  // Whole rows, as many as fit; 0 at the end. All are finite: throws Error(bad_data) with the row's number.
  virtual std::size_t read(std::span<double> out) = 0;
};

struct OpenedVectors {
  std::unique_ptr<VectorRows> rows;
  VectorInput input;
  std::optional<VectorReleaseFacts::Words> words;  // set if the rows are words
};

// By its name, that of a compressed file included.
bool is_named_npy(std::filesystem::path path);

// A file ("-": standard input) that begins as an .npy file does is a matrix; one that begins as a zip archive
// does is a sparse matrix of scipy (.npz, csr); any other is text, one word of the model per line, a line
// that is no word of it being the anchor (`unknown_word`; empty: the default). `model_for` gives the public
// vectors once it is known what the rows are; for a matrix there may be none.
OpenedVectors open_vectors(const std::filesystem::path& input, const std::string& unknown_word,
                           const std::function<std::shared_ptr<const Model>(VectorInput::Domain)>& model_for);

// Throws Error(bad_data) with the number of the first of these rows that is not finite.
struct RowNumbers {
  std::size_t before = 0;        // rows before these
  std::size_t counted_from = 0;  // of the first row of all
};
void check_finite(std::span<const double> rows, std::size_t columns, const RowNumbers& numbers);

}  // namespace sotto
