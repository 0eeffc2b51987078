#pragma once
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sotto::lab {

// The value of a point that has none.
inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// The measured points of an experiment as a CSV file, one line each: what is finished survives a kill and is
// not computed again. Thread-safe.
class Points {
 public:
  struct Layout {
    std::vector<std::string> keys;    // columns that name a point: "series", "epsilon", "trial"
    std::vector<std::string> values;  // measured columns; NaN is written as an empty cell
  };
  struct Row {
    std::vector<std::string> keys;
    std::vector<double> values;
    [[nodiscard]] bool operator==(const Row&) const = default;
  };

  // Reads what is there; a last line without its end (a kill) is dropped. Throws Error(bad_data) if the file
  // has other columns.
  Points(std::filesystem::path file, Layout layout);

  [[nodiscard]] const Layout& layout() const noexcept { return layout_; }
  [[nodiscard]] std::optional<Row> find(std::span<const std::string> keys) const;
  // Appends and syncs. A row with the same keys must not be there.
  void add(Row row);
  // In the order of the file.
  [[nodiscard]] std::vector<Row> rows() const;
  // Index of a value column. Throws Error(internal) for a name that is not one.
  [[nodiscard]] std::size_t value(std::string_view column) const;

 private:
  std::filesystem::path file_;
  Layout layout_;
  std::vector<Row> rows_;
  mutable std::mutex guard_;
};

}  // namespace sotto::lab
