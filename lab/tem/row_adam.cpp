#include "lab/tem/row_adam.h"

#include <algorithm>
#include <cmath>

namespace sotto::lab {

RowAdam::RowAdam(std::span<float> table, std::size_t row_size, const AdamRates& rates)
    : table_(table),
      row_size_(row_size),
      rates_(rates),
      first_(table.size()),
      second_(table.size()),
      current_(table.size() / row_size) {
  const std::size_t followed = followed_steps();
  for (std::size_t j = 0; j <= followed; ++j) {
    decay_first_.push_back(std::pow(rates_.beta1, static_cast<double>(j)));
    decay_root_.push_back(std::pow(rates_.beta2, 0.5 * static_cast<double>(j)));
  }
  missed_rates_.resize(followed);
  missed_corrections_.resize(followed);
}

std::size_t RowAdam::followed_steps() const {
  return static_cast<std::size_t>(std::ceil(-24 * std::log(2.0) / std::log(rates_.beta1)));
}

void RowAdam::begin_step() {
  ++step_;
  step_rates_.push_back(rates_.learning_rate / (1 - std::pow(rates_.beta1, step_)));
  step_corrections_.push_back(1 / std::sqrt(1 - std::pow(rates_.beta2, step_)));
}

void RowAdam::catch_up(std::size_t row) {
  advance(row, step_ - 1);
}

void RowAdam::advance(std::size_t row, std::uint32_t to) {
  const std::uint32_t from = current_[row];
  if (from == 0 || from >= to) return;
  const std::size_t missed = to - from;
  const std::size_t followed = std::min(missed, missed_rates_.size());
  for (std::size_t j = 0; j < followed; ++j) {
    missed_rates_[j] = static_cast<float>(step_rates_[from + j + 1] * decay_first_[j + 1]);
    missed_corrections_[j] = static_cast<float>(step_corrections_[from + j + 1] * decay_root_[j + 1]);
  }
  adam_missed(row_at(row),
              {.rates = missed_rates_.data(),
               .corrections = missed_corrections_.data(),
               .count = followed,
               .epsilon = static_cast<float>(rates_.epsilon),
               .decay_first = static_cast<float>(std::pow(rates_.beta1, static_cast<double>(missed))),
               .decay_second = static_cast<float>(std::pow(rates_.beta2, static_cast<double>(missed)))});
  current_[row] = to;
}

void RowAdam::update(std::size_t row, const float* direction, float factor) {
  adam_step(row_at(row), direction, factor,
            {.decay_first = static_cast<float>(rates_.beta1),
             .decay_second = static_cast<float>(rates_.beta2),
             .rate = static_cast<float>(step_rates_[step_]),
             .correction = static_cast<float>(step_corrections_[step_]),
             .epsilon = static_cast<float>(rates_.epsilon)});
  current_[row] = step_;
}

void RowAdam::settle() {
  for (std::size_t row = 0; row < current_.size(); ++row) advance(row, step_);
}

AdamRow RowAdam::row_at(std::size_t row) {
  const std::size_t at = row * row_size_;
  return {.values = table_.data() + at,
          .first = first_.data() + at,
          .second = second_.data() + at,
          .size = row_size_};
}

}  // namespace sotto::lab
