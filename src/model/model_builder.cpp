#include "model/model_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "model/model_header.h"
#include "model/unicode.h"
#include "sotto/error.h"

namespace sotto {

ModelBuilder::ModelBuilder(const ImportOptions& options, std::string label)
    : options_(options),
      label_(std::move(label)),
      vocabulary_(options.vocabulary.begin(), options.vocabulary.end()) {
  if (!options_.rule) throw Error(ErrorCode::internal, "import without a word rule");
}

void ModelBuilder::set_dim(std::uint64_t dim) {
  if (dim < 1 || dim > kMostDimensions) {
    throw Error(ErrorCode::bad_data,
                fmt::format("{}: {} dimensions, but vectors have 1 to {}; check that it is a "
                            "file of vectors",
                            label_, dim, kMostDimensions));
  }
  dim_ = dim;
}

bool ModelBuilder::is_full() const noexcept {
  return options_.limit > 0 && words_.size() >= options_.limit;
}

void ModelBuilder::add_row(std::uint64_t number, std::string_view word, std::span<const float> vector) {
  if (is_full()) return skip_row();
  const bool is_finite = std::all_of(vector.begin(), vector.end(), [](float v) { return std::isfinite(v); });
  if (vector.size() != dim_ || !is_finite) return add_bad_row(number);
  ++origin_.rows_read;
  std::optional<std::string> folded;
  if (!word.empty() && is_valid_utf8(word)) folded = options_.rule(word);
  if (!folded || folded->empty() || !is_valid_utf8(*folded) || has_control_character(*folded)) {
    ++origin_.dropped_not_a_word;
  } else if ((options_.alphabetic_only && !is_alphabetic(*folded)) ||
             (!vocabulary_.empty() && !vocabulary_.contains(*folded))) {
    ++origin_.dropped_by_request;
  } else if (!kept_.insert(*folded).second) {
    ++origin_.dropped_collision;
  } else {
    words_.push_back(std::move(*folded));
    vectors_.insert(vectors_.end(), vector.begin(), vector.end());
  }
}

void ModelBuilder::add_bad_row(std::uint64_t number) {
  if (origin_.dropped_bad_vector == 0) first_bad_row_ = number;
  ++origin_.rows_read;
  ++origin_.dropped_bad_vector;
}

void ModelBuilder::skip_row() {
  ++origin_.rows_read;
  ++origin_.dropped_by_request;
}

std::shared_ptr<const Model> ModelBuilder::finish(std::string_view source, std::string_view row_unit) {
  if (origin_.rows_read == 0) {
    throw Error(ErrorCode::bad_data,
                fmt::format("{}: no row of vectors in it, read as {}; check that it is a file of vectors",
                            label_, source));
  }
  if (origin_.dropped_bad_vector > origin_.rows_read / 100) {
    throw Error(
        ErrorCode::bad_data,
        fmt::format("{}: {} of {} rows, the first at {} {}, do not hold {} finite numbers (allowed: 1%); "
                    "the file is damaged or not {}: get it again, or name its format",
                    label_, origin_.dropped_bad_vector, origin_.rows_read, row_unit, first_bad_row_, dim_,
                    source));
  }
  if (words_.empty()) {
    throw Error(
        ErrorCode::bad_data,
        fmt::format("{}: none of its {} rows is kept: {} are not one whole word, {} were excluded by the "
                    "request, {} have a bad vector; check the file and the vocabulary asked for",
                    label_, origin_.rows_read, origin_.dropped_not_a_word, origin_.dropped_by_request,
                    origin_.dropped_bad_vector));
  }
  origin_.name = options_.name;
  origin_.source = options_.source.empty() ? std::string(source) : options_.source;
  origin_.licence = options_.licence;
  kept_.clear();
  return Model::from_words(words_, vectors_, dim_, origin_);
}

}  // namespace sotto
