#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include "sotto/work.h"
#include "text/pipeline.h"

namespace sotto::cli {

// One line on a terminal that is drawn over itself, at most ten times a second; cleared at the end, also
// when an error unwinds. Does nothing if it is off.
class ProgressBar {
 public:
  enum class Mode { on, off };
  explicit ProgressBar(Mode mode) : mode_(mode) {}
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Goes before the numbers ("file 3 of 20"), and starts the clock for the time left.
  void start(std::string label);
  void update(const Progress& progress);
  // Work without documents. Shown after half a second: a bar that comes and goes at once is no news.
  void update(const Steps& steps);
  // Work that this bar shows, with the name of its stage as the label; it must not outlive the bar.
  Work work(unsigned threads) {
    return {.threads = threads,
            .progress = [this](const Steps& steps) { update(steps); },
            .on_stage = [this](std::string_view stage) { start(std::string(stage)); }};
  }
  void clear();

 private:
  template <typename Amount>
  void draw(const Amount& amount);

  Mode mode_;
  bool drawn_ = false;
  std::string label_;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point last_drawn_;
};

// The bar's text in `width` columns, for tests and for one place that knows the layout.
std::string progress_line(const std::string& label, const Progress& progress, double seconds,
                          std::size_t width);
std::string progress_line(const std::string& label, const Steps& steps, double seconds, std::size_t width);
// "0:07", "12:34", "1:02:03"
std::string clock_text(double seconds);

}  // namespace sotto::cli
