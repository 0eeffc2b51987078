#include "server/padding.h"

#include <algorithm>
#include <ctime>
#include <functional>
#include <utility>
#include <vector>

namespace sotto::server {

namespace {

using Time = Clock::duration;
using namespace std::chrono_literals;

constexpr Time kRest = 500us;  // parsing, the log, the way through the threads
constexpr int kMargin = 2;     // the machine may be slower than it was when the cost was measured
constexpr Time kPatience = 200ms;
constexpr std::size_t kMostWords = 1'024;
constexpr std::size_t kSlowest = 16;

struct Timed {
  WordId word = {};
  Time time = {};
};

// Time of `draws` draws for each of the words, as far as kPatience reaches; at least one word.
std::vector<Timed> timed(const CostProbe& probe, const std::vector<WordId>& words, std::size_t draws) {
  std::vector<Timed> out;
  const Time start = probe.used();
  for (const WordId word : words) {
    const Time before = probe.used();
    if (!out.empty() && before - start > kPatience) break;
    probe.draw(word, draws);
    out.push_back({.word = word, .time = (probe.used() - before) / static_cast<Time::rep>(draws)});
  }
  std::ranges::sort(out, std::greater(), &Timed::time);
  return out;
}

// The longest of three: a page that is read for the first time counts.
Time release_time(const CostProbe& probe, WordId word, PublicSize size) {
  Time longest{};
  for (int i = 0; i < 3; ++i) {
    const Time before = probe.used();
    probe.release(word, size);
    longest = std::max(longest, probe.used() - before);
  }
  return longest;
}

}  // namespace

Clock::duration quantum_of(const ReleaseCost& cost, PublicSize size) {
  return kMargin * (kRest + cost.text * static_cast<Time::rep>(size.texts) +
                    cost.token * static_cast<Time::rep>(size.tokens));
}

Clock::time_point leaving_time(Clock::time_point received, Clock::duration quantum, Clock::time_point now) {
  const Time elapsed = std::max(now - received, Time(1));
  const Time::rep quanta = (elapsed.count() + quantum.count() - 1) / quantum.count();
  return received + quanta * quantum;
}

ReleaseCost measure_cost(const CostProbe& probe) {
  const std::size_t count = std::min(probe.words, kMostWords);
  std::vector<WordId> words;
  for (std::size_t i = 0; i < count; ++i) words.push_back(word_id(i * probe.words / count));
  const std::vector<Timed> first = timed(probe, words, 1);
  const Time first_draw = first[first.size() / 100].time;
  std::vector<Timed> slowest = timed(probe, words, 16);
  slowest.resize(std::min(slowest.size(), kSlowest));
  words.clear();
  for (const Timed& one : slowest) words.push_back(one.word);
  // So many tokens take a quarter of the patience.
  const auto affordable = static_cast<std::uint64_t>(kPatience / 4 / std::max(slowest.front().time, Time(1)));
  const WordId word = timed(probe, words, std::clamp<std::size_t>(affordable, 1, 256)).front().word;
  const PublicSize long_text{.texts = 1, .tokens = std::clamp<std::uint64_t>(affordable, 16, 1'024)};
  const std::size_t texts = std::clamp<std::size_t>(affordable, 4, 64);
  const Time token = release_time(probe, word, long_text) / static_cast<Time::rep>(long_text.tokens);
  const Time text =
      release_time(probe, word, {.texts = texts, .tokens = texts}) / static_cast<Time::rep>(texts);
  return {.text = text, .token = first_draw + token};
}

Clock::duration thread_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::duration_cast<Time>(std::chrono::seconds(time.tv_sec) +
                                          std::chrono::nanoseconds(time.tv_nsec));
}

}  // namespace sotto::server
