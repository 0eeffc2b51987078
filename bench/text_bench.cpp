// From bytes to tokens, words and text again: nanoseconds a token, one thread. SOTTO_BENCH_TEXT=path.txt is
// the text, SOTTO_BENCH_MODEL the model; without them a line that repeats and a small model of its words.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "mechanisms/build.h"
#include "sotto/privatizer.h"
#include "text/icu_words.h"
#include "text/lookup.h"
#include "text/words.h"

namespace {

using namespace sotto;

constexpr std::size_t kLines = 2000;

// Texts made from the lines, for the splits that cannot be decided by ASCII alone.
std::string with_accents(std::string line) {
  std::string out;
  std::size_t word = 0;
  for (const char c : line) {
    word += c == ' ' ? 1 : 0;
    const bool is_changed = word % 3 == 0;  // every third word
    out += is_changed && c == 'e' ? "\u00E9" : is_changed && c == 'a' ? "\u00E4" : std::string(1, c);
  }
  return out;
}

std::string with_emoji(std::string line) {
  constexpr std::array<const char*, 5> kEmoji = {" \U0001F600", " \u2764\uFE0F", " \U0001F44D\U0001F3FD",
                                                 " \U0001F1EC\U0001F1E7", " \u2B50"};
  std::string out;
  std::size_t word = 0;
  for (const char c : line) {
    if (c == ' ' && ++word % 10 == 0) out += kEmoji[word / 10 % kEmoji.size()];
    out += c;
  }
  return out;
}

// A sentence in Chinese or Japanese after every tenth word.
std::string with_cjk(std::string line) {
  constexpr std::array<const char*, 4> kSentences = {
      "\u6211\u4EEC\u6628\u5929\u770B\u4E86\u4E00\u90E8\u7535\u5F71\u3002",
      "\u3053\u306E\u6620\u753B\u306F\u3068\u3066\u3082\u9762\u767D\u304B\u3063\u305F\u3002",
      "\u6545\u4E8B\u5F88\u597D\uFF0C\u6F14\u5458\u4E5F\u4E0D\u9519\u3002",
      "\u30B9\u30FC\u30D1\u30FC\u30B9\u30BF\u30FC\u304C\u51FA\u3066\u3044\u308B\u3002"};
  std::string out;
  std::size_t word = 0;
  for (const char c : line) {
    if (c == ' ' && ++word % 10 == 0) out.append(" ").append(kSentences[word / 10 % kSentences.size()]);
    out += c;
  }
  return out;
}

struct Data {
  std::vector<std::string> lines;
  std::vector<std::string_view> views;
  std::vector<std::string> tokens;
  std::shared_ptr<const Model> model;

  Data() {
    if (const char* path = std::getenv("SOTTO_BENCH_TEXT")) {
      std::ifstream file(path);
      for (std::string line; lines.size() < kLines && std::getline(file, line);) lines.push_back(line);
    } else {
      lines.assign(kLines, "The soup was cold, but the waiter was kind; we won't come again.");
    }
    views.assign(lines.begin(), lines.end());
    WordBreaker breaker;
    std::vector<Token> found;
    for (const std::string& line : lines) {
      found.clear();
      breaker.split(line, found);
      for (const Token& token : found) tokens.push_back(line.substr(token.begin, token.end - token.begin));
    }
    const char* path = std::getenv("SOTTO_BENCH_MODEL");
    model = path != nullptr ? Model::open(path)
                            : Model::from_words({"the", "soup", "was", "cold"}, {0, 1, 2, 3}, 1);
  }
};

void report(benchmark::State& state, std::size_t tokens) {
  state.counters["ns_per_token"] =
      benchmark::Counter(static_cast<double>(tokens) / 1e9,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// `split(line, tokens)` appends the tokens of a line.
template <class Split>
void time_split(benchmark::State& state, const std::vector<std::string>& lines, const Split& split) {
  std::vector<Token> found;
  std::size_t tokens = 0;
  for (const std::string& line : lines) {
    found.clear();
    split(line, found);
    tokens += found.size();
  }
  while (state.KeepRunning()) {
    for (const std::string& line : lines) {
      found.clear();
      split(line, found);
      benchmark::DoNotOptimize(found.data());
    }
  }
  report(state, tokens);
}

void split(benchmark::State& state, const std::vector<std::string>& lines) {
  WordBreaker breaker;
  time_split(state, lines, [&](const std::string& line, auto& found) { breaker.split(line, found); });
}

void split_by_icu(benchmark::State& state, const std::vector<std::string>& lines) {
  IcuWords icu;
  time_split(state, lines, [&](const std::string& line, auto& found) { icu.split(line, 0, found); });
}

// Both ways to split, on the lines as `change` makes them. `kind` follows the names.
void add_splits(const Data& data, const std::string& kind, std::string (*change)(std::string)) {
  auto lines = std::make_shared<std::vector<std::string>>(data.lines);
  for (std::string& line : *lines) line = change(line);
  benchmark::RegisterBenchmark(("split into tokens" + kind).c_str(),
                               [lines](benchmark::State& state) { split(state, *lines); });
  benchmark::RegisterBenchmark(("split into tokens, ICU alone" + kind).c_str(),
                               [lines](benchmark::State& state) { split_by_icu(state, *lines); });
}

void find(benchmark::State& state, const Data& data) {
  const Lookup lookup(data.model);
  while (state.KeepRunning()) {
    for (const std::string& token : data.tokens) benchmark::DoNotOptimize(lookup.find(token));
  }
  report(state, data.tokens.size());
}

// With a mechanism that does nothing: what everything around it costs.
void whole(benchmark::State& state, const Data& data) {
  const Privatizer privatizer(build_uncertified("identity", data.model, {}), {});
  Rng rng = Rng::fresh();
  std::vector<std::string> out;
  while (state.KeepRunning()) {
    TextCounts counts;
    privatizer.privatize(data.views, rng, out, counts);
    benchmark::DoNotOptimize(out.data());
  }
  report(state, data.tokens.size());
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const Data data;
  const auto add = [&](const char* name, void (*run)(benchmark::State&, const Data&)) {
    benchmark::RegisterBenchmark(name, [run, &data](benchmark::State& state) { run(state, data); });
  };
  add_splits(data, "", [](std::string line) { return line; });
  add_splits(data, ": accents", with_accents);
  add_splits(data, ": emoji", with_emoji);
  add_splits(data, ": Chinese and Japanese between", with_cjk);
  add("fold and look up", find);
  add("privatize with `identity`", whole);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
