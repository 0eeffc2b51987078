#include "shared/progress_bar.h"

#include <fmt/format.h>

#include <algorithm>

#include "shared/console.h"

namespace sotto::cli {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBetweenDrawings = std::chrono::milliseconds(100);
constexpr auto kBeforeSteps = std::chrono::milliseconds(500);
constexpr std::size_t kBarCells = 20;

std::string rate_text(double per_second) {
  if (per_second >= 1e6) return fmt::format("{:.1f}M", per_second / 1e6);
  if (per_second >= 1e3) return fmt::format("{:.0f}k", per_second / 1e3);
  return fmt::format("{:.0f}", per_second);
}

}  // namespace

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::max(0.0, seconds));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

namespace {

// share < 0: unknown.
std::string line_of(const std::string& label, const std::string& numbers, double share, double seconds,
                    std::size_t width) {
  std::string line = label.empty() ? "" : label + "  ";
  if (share >= 0) {
    const auto cells = static_cast<std::size_t>(share * kBarCells);
    line += fmt::format("[{}{}] {:>3.0f}%  {}", std::string(cells, '='), std::string(kBarCells - cells, ' '),
                        100 * share, numbers);
    if (share > 0) line += fmt::format("  {} left", clock_text(seconds * (1 - share) / share));
  } else {
    line += numbers + "  " + clock_text(seconds);
  }
  // The last column stays free: some terminals wrap when it is written.
  return line.substr(0, width > 0 ? width - 1 : 0);
}

double share_of(double done, double total) {
  return total > 0 ? std::clamp(done / total, 0.0, 1.0) : -1;
}

}  // namespace

std::string progress_line(const std::string& label, const Progress& progress, double seconds,
                          std::size_t width) {
  const std::string numbers =
      fmt::format("{} records  {} tokens/s", grouped(progress.records),
                  rate_text(static_cast<double>(progress.tokens) / std::max(seconds, 1e-3)));
  const double share =
      share_of(static_cast<double>(progress.bytes_read), static_cast<double>(progress.bytes_total));
  return line_of(label, numbers, share, seconds, width);
}

std::string progress_line(const std::string& label, const Steps& steps, double seconds, std::size_t width) {
  const std::string numbers =
      fmt::format("{} of {} {}", grouped(steps.done), grouped(steps.total), steps.unit);
  const double share = share_of(static_cast<double>(steps.done), static_cast<double>(steps.total));
  return line_of(label, numbers, share, seconds, width);
}

void ProgressBar::start(std::string label) {
  label_ = std::move(label);
  started_ = Clock::now();
  last_drawn_ = {};
}

template <typename Amount>
void ProgressBar::draw(const Amount& amount) {
  if (mode_ == Mode::off) return;
  const Clock::time_point now = Clock::now();
  if (now - last_drawn_ < kBetweenDrawings) return;
  last_drawn_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  say_raw("\r" + progress_line(label_, amount, seconds, terminal_width(Stream::error)) + "\x1b[K");
}

void ProgressBar::update(const Progress& progress) {
  draw(progress);
}
void ProgressBar::update(const Steps& steps) {
  if (Clock::now() - started_ >= kBeforeSteps) draw(steps);
}

void ProgressBar::clear() {
  if (drawn_) say_raw("\r\x1b[K");
  drawn_ = false;
}

}  // namespace sotto::cli
