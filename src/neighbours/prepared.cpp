#include "neighbours/prepared.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>

#include "core/output_file.h"
#include "core/parallel.h"
#include "core/private_folder.h"
#include "sotto/error.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

constexpr std::array<char, 8> kPreparedMagic = {'S', 'O', 'T', 'T', 'O', 'N', 'B', '2'};

struct Header {
  std::array<char, 8> magic;
  std::array<char, 64> identity;  // of the model, in hex, computed from its words and vectors
  std::uint64_t model_words;
  std::uint64_t words;
  std::uint32_t metric;
  std::uint32_t head;
  std::uint32_t clusters;
  std::uint32_t reserved;
  std::uint64_t table_checksum;   // of the clusters' tables
  std::uint64_t header_checksum;  // of all fields above
};
static_assert(sizeof(Header) == 120);

std::uint64_t checksum_of(const Header& header) {
  return XXH3_64bits(&header, offsetof(Header, header_checksum));
}
// The word's index takes part: records that change places are damaged.
std::uint64_t checksum_of(const std::uint64_t* record, std::size_t size, std::size_t word) {
  return XXH3_64bits_withSeed(record, size * sizeof(std::uint64_t), word);
}

// The clusters' tables: begins, then members, filled up to 8 bytes.
std::size_t table_bytes(const Header& header) {
  const std::uint64_t entries = header.clusters + 1 + header.model_words;
  return (entries * sizeof(std::uint32_t) + 7) / 8 * 8;
}

fs::path prepared_file(const Space& space) {
  return space.model().derived_folder() / fmt::format("neighbourhoods-{}.bin", metric_name(space.metric()));
}

Header header_for(const Space& space, std::size_t words, const NeighbourhoodLayout& layout) {
  Header header{};
  header.magic = kPreparedMagic;
  const std::string& identity = space.model().identity();
  std::copy_n(identity.begin(), std::min(identity.size(), header.identity.size()), header.identity.begin());
  header.model_words = space.size();
  header.words = words;
  header.metric = static_cast<std::uint32_t>(space.metric());
  header.head = static_cast<std::uint32_t>(layout.head());
  header.clusters = static_cast<std::uint32_t>(layout.clusters());
  return header;
}

// Whether everything in a record can be used without a further look: ids are in range, each cluster occurs
// once, distances are finite, in order and begin with 0 (the word's own: so no row of weights sums to 0 or to
// NaN, which would be drawn from for ever). A right checksum does not show that: who can write the file can
// compute it.
bool is_legal(const Neighbourhood& near, std::size_t words) {
  if (near.distances.empty() || near.distances.front() != 0) return false;
  // Sums of faults, not early ends: the compiler makes vectors of such loops. Each record is checked once.
  std::uint32_t faults = std::isfinite(near.distances.back()) ? 0 : 1;
  for (std::size_t i = 1; i < near.distances.size(); ++i) {
    faults += near.distances[i] >= near.distances[i - 1] ? 0 : 1;  // a NaN is a fault too
  }
  for (const WordId word : near.words) faults += index_of(word) < words ? 0 : 1;
  for (const float nearest : near.nearest) faults += nearest >= 0 ? 0 : 1;
  std::array<std::uint8_t, Clusters::kMost> seen{};
  for (const std::uint16_t cluster : near.far_first) {
    if (cluster >= near.nearest.size()) return false;
    faults += seen[cluster];
    seen[cluster] = 1;
  }
  return faults == 0;
}

std::string_view bytes_of(const auto& items) {
  return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(items[0])};
}

}  // namespace

std::unique_ptr<const PreparedNeighbourhoods> PreparedNeighbourhoods::open(const Space& space) {
  const fs::path folder = space.model().derived_folder();
  std::error_code error;
  if (folder.empty() || !is_ours_alone(folder) || !fs::is_regular_file(prepared_file(space), error))
    return nullptr;
  try {
    FileBytes bytes = FileBytes::map(prepared_file(space));
    const std::span<const std::byte> view = bytes.view();
    Header header{};
    if (view.size() < sizeof header) return nullptr;
    std::memcpy(&header, view.data(), sizeof header);
    const NeighbourhoodLayout layout(header.head, header.clusters);
    // What this program would write for this space, but for the fields that may differ.
    Header expected = header_for(space, header.words, layout);
    expected.table_checksum = header.table_checksum;
    if (header.header_checksum != checksum_of(header) || checksum_of(expected) != header.header_checksum ||
        header.head != std::min(Neighbourhoods::kHead, space.size()) || header.words > space.size() ||
        header.clusters == 0 || header.clusters > Clusters::kMost) {
      return nullptr;
    }
    const std::size_t record = (layout.record_size() + 1) * sizeof(std::uint64_t);
    if (view.size() != sizeof header + table_bytes(header) + header.words * record) return nullptr;
    const std::byte* tables = view.data() + sizeof header;
    if (XXH3_64bits(tables, table_bytes(header)) != header.table_checksum) return nullptr;
    std::vector<std::uint32_t> begins(header.clusters + 1);
    std::vector<WordId> members(header.model_words);
    std::memcpy(begins.data(), tables, begins.size() * sizeof(std::uint32_t));
    std::memcpy(members.data(), tables + begins.size() * sizeof(std::uint32_t),
                members.size() * sizeof(WordId));
    std::unique_ptr<PreparedNeighbourhoods> prepared(new PreparedNeighbourhoods(
        std::move(bytes), Clusters(std::move(begins), std::move(members)), layout));
    prepared->words_ = header.words;
    prepared->records_ = reinterpret_cast<const std::uint64_t*>(prepared->bytes_.view().data() +
                                                                sizeof header + table_bytes(header));
    return prepared;
  } catch (const Error&) {
    return nullptr;  // cannot be read, or is no partition: a cache that is not there
  }
}

const std::uint64_t* PreparedNeighbourhoods::record(WordId word) const {
  if (index_of(word) >= words_) return nullptr;
  const std::size_t size = layout_.record_size();
  const std::uint64_t* record = records_ + index_of(word) * (size + 1);
  const bool usable = checksum_of(record, size, index_of(word)) == record[size] &&
                      is_legal(layout_.view(record), clusters_.order().size());
  return usable ? record : nullptr;
}

fs::path prepare_neighbourhoods(const std::shared_ptr<const Space>& space, std::size_t words,
                                unsigned threads, const PrepareProgress& progress) {
  const fs::path folder = space->model().derived_folder();
  if (folder.empty()) throw Error(ErrorCode::internal, "the model has no folder for what is derived from it");
  make_private_folder(folder);
  const Neighbourhoods neighbourhoods(space, Clusters::make(space->model(), threads));
  const NeighbourhoodLayout& layout = neighbourhoods.layout();
  const Clusters& clusters = neighbourhoods.clusters();
  Header header = header_for(*space, words, layout);
  std::string tables(bytes_of(clusters.begins()));
  tables += bytes_of(clusters.order());
  tables.resize(table_bytes(header), '\0');
  header.table_checksum = XXH3_64bits(tables.data(), tables.size());
  header.header_checksum = checksum_of(header);

  fs::path path = prepared_file(*space);
  OutputFile file(path, Overwrite::replace);
  file.write({reinterpret_cast<const char*>(&header), sizeof header});
  file.write(tables);
  const std::size_t size = layout.record_size();
  const std::size_t round = Neighbourhoods::kBatch * thread_count(threads) * 4;
  std::vector<std::uint64_t> stored(round * (size + 1));
  for (std::size_t begin = 0; begin < words; begin += round) {
    const std::size_t count = std::min(round, words - begin);
    parallel_blocks(count, Neighbourhoods::kBatch, threads, [&](std::size_t first, std::size_t last) {
      std::vector<WordId> batch;
      for (std::size_t w = first; w < last; ++w) batch.push_back(word_id(begin + w));
      std::vector<std::uint64_t> records(batch.size() * size);
      neighbourhoods.build(batch, records);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const std::uint64_t* record = records.data() + i * size;
        std::uint64_t* to = stored.data() + (first + i) * (size + 1);
        std::copy_n(record, size, to);
        to[size] = checksum_of(record, size, index_of(batch[i]));
      }
    });
    file.write(bytes_of(std::span(stored).first(count * (size + 1))));
    progress(begin + count, words);
  }
  file.commit();
  return path;
}

}  // namespace sotto
