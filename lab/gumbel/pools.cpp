#include "lab/gumbel/pools.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <span>
#include <vector>

#include "lab/gumbel/place_kernels.h"

namespace sotto::lab::gumbel {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Calls body(text, its places) for each text.
template <class Body>
void for_each_text(const Places& places, const Body& body) {
  const auto* rows = places.rows.data_ptr<std::int32_t>();
  const auto* lengths = places.lengths.data_ptr<std::int64_t>();
  for (std::int64_t text = 0; text < places.lengths.size(0); ++text) {
    body(static_cast<std::size_t>(text), std::span(rows, static_cast<std::size_t>(lengths[text])));
    rows += lengths[text];
  }
}

// Pointers to the rows of a text's words, between two pointers to `outside`.
template <class Float>
void point_to_rows(std::vector<Float*>& rows, Float* table, std::size_t row_size,
                   std::span<const std::int32_t> words, Float* outside) {
  rows.assign(words.size() + 2, outside);
  for (std::size_t i = 0; i < words.size(); ++i)
    rows[i + 1] = table + static_cast<std::size_t>(words[i]) * row_size;
}

class MeanOfPlaces final : public torch::autograd::Function<MeanOfPlaces> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& parts,
                            const at::Tensor& rows_of_places, const at::Tensor& lengths) {
    const at::Tensor table = parts.contiguous();
    const auto row_size = static_cast<std::size_t>(table.size(1));
    const std::size_t units = row_size / 3;
    at::Tensor means = at::zeros({lengths.size(0), static_cast<std::int64_t>(units)});
    std::vector<float> outside(row_size, 0.0F);
    std::vector<const float*> rows;
    for_each_text({.rows = rows_of_places, .lengths = lengths}, [&](std::size_t text, auto words) {
      point_to_rows<const float>(rows, table.data_ptr<float>(), row_size, words, outside.data());
      float* sums = means.data_ptr<float>() + text * units;
      add_rectified_places(rows.data(), words.size(), units, sums);
      const float share = 1 / static_cast<float>(words.size());
      for (std::size_t i = 0; i < units; ++i) sums[i] *= share;
    });
    context->save_for_backward({table, rows_of_places, lengths});
    return means;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& table = saved[0];
    const at::Tensor of_means = gradients[0].contiguous();
    at::Tensor of_parts = at::zeros_like(table);
    const auto row_size = static_cast<std::size_t>(table.size(1));
    const std::size_t units = row_size / 3;
    std::vector<float> outside(row_size, 0.0F);
    std::vector<float> unused(row_size, 0.0F);
    std::vector<float> share(units);
    std::vector<const float*> rows;
    std::vector<float*> gradient_rows;
    for_each_text({.rows = saved[1], .lengths = saved[2]}, [&](std::size_t text, auto words) {
      point_to_rows<const float>(rows, table.data_ptr<float>(), row_size, words, outside.data());
      point_to_rows<float>(gradient_rows, of_parts.data_ptr<float>(), row_size, words, unused.data());
      const float* of_mean = of_means.data_ptr<float>() + text * units;
      for (std::size_t i = 0; i < units; ++i) share[i] = of_mean[i] / static_cast<float>(words.size());
      add_place_gradients(rows.data(), gradient_rows.data(), words.size(), units, share.data());
    });
    return {of_parts, at::Tensor(), at::Tensor()};
  }
};

// Texts x rows: how often each row occurs in each text.
at::Tensor counts(const Places& places, std::int64_t rows) {
  at::Tensor out = at::zeros({places.lengths.size(0), rows});
  for_each_text(places, [&](std::size_t text, auto words) {
    float* count = out.data_ptr<float>() + text * static_cast<std::size_t>(rows);
    for (const std::int32_t row : words) count[row] += 1;
  });
  return out;
}

class ExtremesOfGroups final : public torch::autograd::Function<ExtremesOfGroups> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& rows,
                               const std::vector<std::int64_t>& ends) {
    const at::Tensor table = rows.contiguous();
    const std::int64_t units = table.size(1);
    const auto groups = static_cast<std::int64_t>(ends.size());
    variable_list found = {at::empty({groups, units}), at::empty({groups, units})};
    const at::Tensor lowest = at::empty({groups, units}, at::kInt);  // the row of each entry
    const at::Tensor highest = at::empty({groups, units}, at::kInt);
    std::int64_t first = 0;
    for (std::int64_t group = 0; group < groups; ++group) {
      float* lower = found[0].data_ptr<float>() + group * units;
      float* upper = found[1].data_ptr<float>() + group * units;
      std::int32_t* low = lowest.data_ptr<std::int32_t>() + group * units;
      std::int32_t* high = highest.data_ptr<std::int32_t>() + group * units;
      const float* row = table.data_ptr<float>() + first * units;
      std::copy(row, row + units, lower);
      std::copy(row, row + units, upper);
      std::fill(low, low + units, static_cast<std::int32_t>(first));
      std::fill(high, high + units, static_cast<std::int32_t>(first));
      const std::int64_t end = ends[static_cast<std::size_t>(group)];
      for (std::int64_t i = first + 1; i < end; ++i) {
        row += units;
        for (std::int64_t j = 0; j < units; ++j) {
          if (row[j] < lower[j]) {
            lower[j] = row[j];
            low[j] = static_cast<std::int32_t>(i);
          } else if (row[j] > upper[j]) {
            upper[j] = row[j];
            high[j] = static_cast<std::int32_t>(i);
          }
        }
      }
      first = end;
    }
    context->save_for_backward({lowest, highest});
    context->saved_data["rows"] = table.size(0);
    return found;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const std::int64_t units = saved[0].size(1);
    at::Tensor of_rows = at::zeros({context->saved_data["rows"].toInt(), units});
    for (const std::size_t side : {0U, 1U}) {
      if (!gradients[side].defined()) continue;
      const at::Tensor gradient = gradients[side].contiguous();
      const auto* from = saved[side].data_ptr<std::int32_t>();
      for (std::int64_t i = 0; i < gradient.numel(); ++i) {
        of_rows.data_ptr<float>()[from[i] * units + i % units] += gradient.data_ptr<float>()[i];
      }
    }
    return {of_rows, at::Tensor()};
  }
};

}  // namespace

at::Tensor mean_of_places(const at::Tensor& parts, const Places& places) {
  return MeanOfPlaces::apply(parts, places.rows, places.lengths);
}
Interval mean_of_places(const Interval& parts, const Places& places) {
  return interval_between(mean_of_places(parts.lower(), places), mean_of_places(parts.upper(), places));
}

at::Tensor sum_of_places(const at::Tensor& rows, const Places& places) {
  return at::matmul(counts(places, rows.size(0)), rows);
}
Interval sum_of_places(const Interval& rows, const Places& places) {
  const at::Tensor count = counts(places, rows.centre.size(0));
  return {.centre = at::matmul(count, rows.centre), .radius = at::matmul(count, rows.radius)};
}

Box box_of_groups(const at::Tensor& rows, const std::vector<std::int64_t>& ends) {
  variable_list found = ExtremesOfGroups::apply(rows, ends);
  return {.lower = found[0], .upper = found[1]};
}

}  // namespace sotto::lab::gumbel
