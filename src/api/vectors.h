#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/output_file.h"
#include "sotto/answer.h"
#include "sotto/ledger.h"
#include "sotto/mechanism.h"
#include "sotto/work.h"
#include "text/vector_report.h"

namespace sotto {
class ByteSink;
class VectorRows;
}  // namespace sotto

// "Release these vectors": from memory or from a file.
namespace sotto::api {

class ReleaseDebits;

struct VectorsRequest {
  Mechanism mechanism;                      // of build_vector_mechanism()
  std::shared_ptr<const Model> model = {};  // the public vectors that it was built with; null: none
  std::optional<VectorReleaseFacts::Words> words = {};  // set if the vectors are those of words
  std::optional<std::uint64_t> seed_not_private = {};  // for tests: whoever knows the seed can undo the noise
  std::optional<LedgerUse> ledger = {};  // debits every release before it appears; a row is a word
};

// What is promised, and what was released.
struct VectorsAnswer {
  Mechanism mechanism;
  VectorReleaseFacts facts = {};
  double seconds = 0;
  std::string report_path = {};     // set by a front end that writes the report to a file
  std::vector<Balance> spent = {};  // of the accounts of the last debit; empty: nothing was debited

  [[nodiscard]] Status status() const;
  [[nodiscard]] std::optional<Strength> strength() const;  // empty for free vectors
  [[nodiscard]] std::string report() const { return vector_report(mechanism, facts); }
};
Json to_json(const VectorsAnswer& answer);

struct VectorArray {
  std::span<const double> values;  // row after row
  std::size_t columns = 0;
};

// A sparse matrix in the form CSR, as scipy.sparse has it: row i has the entries from starts[i] to
// starts[i + 1]. Two entries of one place add up.
struct SparseArray {
  std::span<const std::int64_t> starts;
  std::span<const std::int64_t> places;  // the column of each entry
  std::span<const double> values;
  std::size_t columns = 0;
};

// A release in progress.
class VectorRelease {
 public:
  explicit VectorRelease(VectorsRequest request);

  // Before a vector is read: the forecast, if the vectors are those of words.
  const VectorsAnswer& promise(const Work& work);
  [[nodiscard]] const VectorsAnswer& answer() const { return answer_; }

  // Reads all rows and writes their releases to a file ("-": standard output): an .npy matrix if it is named
  // so, else text, one vector per line, each number in the shortest form that reads back as the same one. The
  // sink is closed, and the caller's to finish. With a ledger: one debit before it returns, or, if bytes
  // leave at once, one for each batch of rows before it is written.
  std::unique_ptr<ByteSink> file(VectorRows& rows, const std::filesystem::path& output, Overwrite overwrite,
                                 const Work& work);
  // Row i of the result is an independent release of row i of `rows`. Throws Error(bad_data) if their
  // dimension is not the mechanism's, or with the number, counted from 0, of a row that is not finite.
  [[nodiscard]] std::vector<double> array(const VectorArray& rows, const Work& work) const;
  // The same bits as array() of the dense matrix. Only a block of rows at a time becomes dense. Also throws
  // Error(bad_data) if the three arrays do not fit together.
  [[nodiscard]] std::vector<double> sparse_array(const SparseArray& rows, const Work& work) const;

 private:
  void check_columns(std::size_t columns) const;
  void debit(std::size_t rows) const;

  VectorsAnswer answer_;
  std::optional<std::uint64_t> seed_;
  std::shared_ptr<const ReleaseDebits> debits_;  // null: no ledger
};

}  // namespace sotto::api
