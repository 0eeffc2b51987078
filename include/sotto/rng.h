#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace sotto {

// One stream of random bits: AES-256-CTR, owned by one thread at a time, movable, not copyable.
// After fork() the child's copy never repeats the parent's bits (the buffer is wiped by the kernel
// and the stream takes a fresh key), unless it was seeded.
class Rng {
 public:
  // For tests and reproduction only: whoever knows the seed can subtract the noise.
  static Rng seeded_not_private(std::uint64_t seed, std::uint64_t stream = 0);
  // A stream with a key of its own from the operating system.
  static Rng fresh();

  Rng(Rng&&) noexcept;
  Rng& operator=(Rng&&) noexcept;
  Rng(const Rng&) = delete;
  Rng& operator=(const Rng&) = delete;
  ~Rng();

  // 64 fresh uniform bits. Throws Error(internal) if the generator fails: never returns weak bits.
  std::uint64_t bits();

 private:
  friend class RandomSource;
  struct State;
  explicit Rng(std::unique_ptr<State> state);
  std::uint64_t refill();

  std::unique_ptr<State> state_;
};

// The key of one run. stream(i) gives the i-th independent stream; the pipeline uses one stream per
// chunk of input, so a seeded run does not depend on the number of threads. Thread-safe.
class RandomSource {
 public:
  static RandomSource fresh();
  static RandomSource seeded_not_private(std::uint64_t seed);

  RandomSource(RandomSource&&) noexcept;
  RandomSource& operator=(RandomSource&&) noexcept;
  RandomSource(const RandomSource&) = delete;
  RandomSource& operator=(const RandomSource&) = delete;
  ~RandomSource();  // cleanses the key

  [[nodiscard]] Rng stream(std::uint64_t index) const;
  [[nodiscard]] bool is_seeded() const noexcept;

 private:
  struct Key;
  explicit RandomSource(std::unique_ptr<Key> key);
  std::unique_ptr<Key> key_;
};

}  // namespace sotto
