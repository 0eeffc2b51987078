#include "core/uniform.h"

namespace sotto {

bool bernoulli(Rng& rng, double p) {
  return LazyUniform(rng).below(p);
}

std::uint64_t uniform_below(Rng& rng, std::uint64_t n) {
  if (n == 0) throw Error(ErrorCode::internal, "a choice was asked among nothing");
  // Lemire 2019, "Fast random integer generation in an interval": exact, by rejection of the 2^64 mod n
  // products whose low half falls short.
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(rng.bits()) * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t short_fall = -n % n;
    while (static_cast<std::uint64_t>(product) < short_fall) product = static_cast<Wide>(rng.bits()) * n;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

std::size_t choose_by_sums(Rng& rng, std::span<const double> sums) {
  return choose_by_sums_of(rng, sums);
}

}  // namespace sotto
