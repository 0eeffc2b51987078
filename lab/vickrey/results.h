#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lab/vickrey/report.h"
#include "sotto/quantity.h"

namespace sotto::lab::vickrey {

// A value with its ends; NaN where it was not measured.
struct Reading {
  double value;
  Bounds interval;
};

// One point of one curve: E_opt as an interval, E_M, and L, which of Product Reviews is in privacy.csv and of
// a task in tasks.csv (trained on clear texts).
struct Result {
  double epsilon;
  double certified_epsilon;
  Bounds error;
  Reading posterior;       // its plug-in from 4N draws, and the interval of the true value
  double posterior_first;  // the plug-in from N draws
  Reading loss;
};

// The finished points of a data set with an embedding.
class Results {
 public:
  Results(const Tables& tables, std::string data, std::string vectors)
      : tables_(tables), data_(std::move(data)), vectors_(std::move(vectors)) {}

  [[nodiscard]] const std::string& data() const { return data_; }
  [[nodiscard]] const std::string& vectors() const { return vectors_; }
  // By epsilon.
  [[nodiscard]] std::vector<Result> curve(const std::string& series) const;
  // L of a task; empty if it was not measured.
  [[nodiscard]] std::optional<Reading> task_loss(const char* trained_on, const std::string& series,
                                                 const std::string& epsilon) const;

 private:
  const Tables& tables_;
  std::string data_;
  std::string vectors_;
};

// L of a curve where its E_opt is `error`, along straight lines between its points; empty outside of them.
// `end` chooses the end of the interval of E_opt that is read.
struct EqualError {
  double loss;
  double epsilon;
};
std::optional<EqualError> at_equal_error(const std::vector<Result>& curve, double Bounds::*end, double error);

}  // namespace sotto::lab::vickrey
