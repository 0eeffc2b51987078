#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "cli/vectors/command.h"
#include "core/npy.h"
#include "sotto/mechanism.h"
#include "text/vector_report.h"

namespace sotto::cli {

// The vectors that `sotto vectors` reads, one per row.
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

// A file that begins as an .npy file does is a matrix; any other is text, one word of the model per line, a
// line that is no word of it being the anchor. Standard input is told apart in the same way.
OpenedVectors open_vectors(const VectorsArguments& arguments);

}  // namespace sotto::cli
