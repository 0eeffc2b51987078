#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "model/import.h"

namespace sotto {

// Collects the rows that a loader reads, applies the import's rules, and keeps the counts. Every row
// of the file is given to exactly one of add_row, add_bad_row and skip_row, in the file's order.
class ModelBuilder {
 public:
  // `label` names the file in messages. Options must outlive the builder.
  ModelBuilder(const ImportOptions& options, std::string label);

  // Once, before the first row. Throws Error(bad_data) on 0 or more dimensions than a model may have.
  void set_dim(std::uint64_t dim);
  [[nodiscard]] std::size_t dim() const noexcept { return dim_; }
  // The limit is reached: the loader need not parse further rows, only skip_row() each.
  [[nodiscard]] bool is_full() const noexcept;

  // `number` is the 1-based line or record, for the message about bad rows. A vector that is not dim()
  // finite values is a bad row.
  void add_row(std::uint64_t number, std::string_view word, std::span<const float> vector);
  void add_bad_row(std::uint64_t number);
  void skip_row();

  [[nodiscard]] std::uint64_t rows_read() const noexcept { return origin_.rows_read; }
  // `row_unit` is "line", "record" or "row". Throws Error(bad_data) if over 1% of the rows are bad or none is
  // kept.
  [[nodiscard]] std::shared_ptr<const Model> finish(std::string_view source, std::string_view row_unit);

 private:
  const ImportOptions& options_;
  std::string label_;
  std::unordered_set<std::string> vocabulary_;
  std::size_t dim_ = 0;
  std::vector<std::string> words_;
  std::vector<float> vectors_;
  std::unordered_set<std::string> kept_;
  std::uint64_t first_bad_row_ = 0;
  ModelOrigin origin_;
};

}  // namespace sotto
