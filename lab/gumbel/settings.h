#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lab/run.h"

namespace sotto::lab::gumbel {

// What `--part` names. An experiment runs the parts in this order.
inline constexpr std::string_view kTable1 = "table1";
inline constexpr std::string_view kFigures = "figures";
inline constexpr std::string_view kTable2 = "table2";
inline constexpr std::string_view kTable3 = "table3";
inline constexpr std::string_view kBeyond = "beyond";

// A curve of figures 1 and 2: one mechanism at several strengths. What a strength is depends on the
// mechanism, because the epsilons of two mechanisms do not compare:
// - epsilon: the strength is epsilon itself;
// - log_epsilon: its natural logarithm, as in the paper; 0 stands for the smallest usable epsilon;
// - inverse_scale: 1/b of gumbel-topk, that is epsilon - 2 ln n / D0.
struct Curve {
  enum class Strength { epsilon, log_epsilon, inverse_scale };
  std::string mechanism;
  Strength strength;
  std::vector<double> strengths;
};

// The sizes of everything that is computed.
struct Settings {
  std::vector<std::string> parts;
  std::vector<Curve> curves;
  std::size_t curve_words;  // words of the vocabulary whose N_w and S_w are measured
};

Settings settings_of(const RunRequest& request);
[[nodiscard]] bool has_part(const Settings& settings, std::string_view part);

}  // namespace sotto::lab::gumbel
