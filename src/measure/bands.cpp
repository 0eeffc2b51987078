#include "measure/bands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "core/parallel.h"
#include "core/stop.h"
#include "neighbours/head.h"
#include "sotto/error.h"

namespace sotto {
namespace {

struct BandsRow {
  BandsBy by;
  std::string_view name;
};
constexpr std::array<BandsRow, 2> kBands = {
    {{BandsBy::frequency, "frequency"}, {BandsBy::density, "density"}}};

}  // namespace

std::string_view bands_name(BandsBy by) {
  return std::ranges::find(kBands, by, &BandsRow::by)->name;
}

BandsBy parse_bands(std::string_view name) {
  const auto found = std::ranges::find(kBands, name, &BandsRow::name);
  if (found != kBands.end()) return found->by;
  throw Error(ErrorCode::usage, fmt::format("`bands` {}: it must be frequency or density", name));
}

Bands frequency_bands(const Model& model) {
  const std::vector<double> prior = rank_prior(model);
  Bands bands{.names = {"frequent", "middle", "rare"},
              .of = std::vector<std::uint8_t>(model.size()),
              .last_rank = std::vector<std::size_t>(3),
              .neighbour_distance = {}};
  double before = 0;
  for (std::size_t w = 0; w < prior.size(); ++w) {
    // By the middle of its share, so that one very frequent word does not empty a band.
    const double middle = before + prior[w] / 2;
    const auto count = static_cast<double>(bands.count());
    const auto band = std::min(static_cast<std::size_t>(middle * count), bands.count() - 1);
    bands.of[w] = static_cast<std::uint8_t>(band);
    before += prior[w];
    for (std::size_t b = band; b < bands.count(); ++b) bands.last_rank[b] = w + 1;
  }
  return bands;
}

Bands density_bands(const Space& space, const Prior& prior, const Work& work) {
  constexpr std::size_t kBlock = 16;
  Bands bands{.names = {"densest", "dense", "medium", "sparse", "sparsest"},
              .of = std::vector<std::uint8_t>(space.size(), Bands::kNone),
              .last_rank = {},
              .neighbour_distance = std::vector<double>(space.size())};
  const std::size_t length = std::min(space.size(), kDensityNeighbours + 1);  // with the word itself
  std::mutex mutex;
  std::size_t done = 0;
  parallel_blocks(prior.support.size(), kBlock, work.threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> scratch;
    for (std::size_t i = begin; i < end; ++i) {
      const WordId word = prior.support[i];
      bands.neighbour_distance[index_of(word)] = build_head(space, word, length, scratch).distances.back();
    }
    const std::scoped_lock lock(mutex);
    done += end - begin;
    if (work.progress) work.progress({.done = done, .total = prior.support.size(), .unit = "words"});
  });
  std::vector<WordId> order = prior.support;
  std::ranges::stable_sort(order, {}, [&](WordId word) { return bands.neighbour_distance[index_of(word)]; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    bands.of[index_of(order[i])] = static_cast<std::uint8_t>(i * bands.count() / order.size());
  }
  return bands;
}

Bands bands_of(BandsBy by, const Space& space, const Prior& prior, const Work& work) {
  return by == BandsBy::density ? density_bands(space, prior, work) : frequency_bands(space.model());
}

}  // namespace sotto
