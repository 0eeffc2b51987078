#include "neighbours/kept_extremes.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include "core/output_file.h"
#include "core/private_folder.h"
#include "core/uniform.h"
#include "sotto/error.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

constexpr std::array<char, 8> kExtremesMagic = {'S', 'O', 'T', 'T', 'O', 'E', 'X', '1'};
constexpr std::size_t kFewWords = 2000;
constexpr int kCheckedWords = 64;

struct Record {
  std::array<char, 8> magic;
  std::array<char, 64> identity;  // of the model, in hex
  std::uint64_t words;
  std::uint64_t metric;
  std::array<std::uint64_t, 4> pairs;  // the nearest, then the farthest
  double smallest;
  double largest;
  std::uint64_t checksum;  // of all fields above
};
static_assert(sizeof(Record) == 144);

std::uint64_t record_checksum(const Record& record) {
  return XXH3_64bits(&record, offsetof(Record, checksum));
}

Record record_for(const Space& space) {
  Record record{};
  record.magic = kExtremesMagic;
  const std::string& identity = space.model().identity();
  std::copy_n(identity.begin(), std::min(identity.size(), record.identity.size()), record.identity.begin());
  record.words = space.size();
  record.metric = static_cast<std::uint64_t>(space.metric());
  return record;
}

fs::path extremes_file(const Space& space) {
  return space.model().derived_folder() / fmt::format("extremes-{}.bin", metric_name(space.metric()));
}

// Whether no pair with this word contradicts what is stated.
bool agrees(const Space& space, const Extremes& stated, WordId word, std::vector<double>& row) {
  space.distances_from(word, row);
  for (std::size_t w = 0; w < row.size(); ++w) {
    if (space.representative(word_id(w)) == space.representative(word)) continue;
    if (row[w] < stated.smallest || row[w] > stated.largest) return false;
  }
  return true;
}

std::optional<Extremes> load(const Space& space) {
  const fs::path file = extremes_file(space);
  if (!is_ours_alone(file.parent_path())) return std::nullopt;
  std::ifstream in(file, std::ios::binary);
  Record read{};
  if (!in.read(reinterpret_cast<char*>(&read), sizeof read) || in.peek() != EOF) return std::nullopt;
  const Record expected = record_for(space);
  if (std::memcmp(&read, &expected, offsetof(Record, pairs)) != 0 || read.checksum != record_checksum(read)) {
    return std::nullopt;
  }
  for (const std::uint64_t word : read.pairs) {
    if (word >= space.size()) return std::nullopt;
  }
  const auto pair = [&](std::size_t i) {
    return WordPair{word_id(read.pairs[i]), word_id(read.pairs[i + 1])};
  };
  const Extremes stated{
      .smallest = read.smallest, .largest = read.largest, .nearest = pair(0), .farthest = pair(2)};
  const auto is_apart = [&](const WordPair& words) {
    return words.first < words.second &&
           space.representative(words.first) != space.representative(words.second);
  };
  if (!is_apart(stated.nearest) || !is_apart(stated.farthest) ||
      space.distance(stated.nearest.first, stated.nearest.second) != stated.smallest ||
      space.distance(stated.farthest.first, stated.farthest.second) != stated.largest) {
    return std::nullopt;
  }
  Rng rng = Rng::fresh();
  std::vector<double> row(space.size());
  for (int i = 0; i < kCheckedWords; ++i) {
    if (!agrees(space, stated, word_id(uniform_below(rng, space.size())), row)) return std::nullopt;
  }
  return stated;
}

void save(const Space& space, const Extremes& found) {
  Record record = record_for(space);
  record.pairs = {index_of(found.nearest.first), index_of(found.nearest.second),
                  index_of(found.farthest.first), index_of(found.farthest.second)};
  record.smallest = found.smallest;
  record.largest = found.largest;
  record.checksum = record_checksum(record);
  try {
    const fs::path file = extremes_file(space);
    make_private_folder(file.parent_path());
    OutputFile out(file, Overwrite::replace);
    out.write(std::string_view(reinterpret_cast<const char*>(&record), sizeof record));
    out.commit();
  } catch (const Error&) {  // a full disk, or a folder that others may enter: the next run searches again
  }
}

}  // namespace

Extremes kept_extremes(const Space& space, unsigned threads) {
  const bool is_kept = space.size() > kFewWords && !space.model().derived_folder().empty();
  if (is_kept) {
    if (const std::optional<Extremes> found = load(space)) return *found;
  }
  const Extremes found = find_extremes(space, threads);
  if (is_kept && found.largest > 0) save(space, found);
  return found;
}

}  // namespace sotto
