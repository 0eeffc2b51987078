#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

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

  Rng(Rng&&) noexcept = default;
  Rng& operator=(Rng&&) noexcept = default;
  Rng(const Rng&) = delete;
  Rng& operator=(const Rng&) = delete;
  ~Rng() = default;

  // 64 fresh uniform bits. Throws Error(internal) if the generator fails, or was moved from: never
  // returns weak bits.
  std::uint64_t bits() {
    if (state_ == nullptr || state_->remaining == 0) [[unlikely]] {
      return refill();
    }
    return state_->words[kWords - state_->remaining--];
  }

 private:
  friend class RandomSource;
  friend struct RngForTests;

  // How a stream notices that it is now in another process. process_id is for kernels without
  // MADV_WIPEONFORK: no bits are handed out without asking, so each costs a system call.
  enum class Guard : std::uint32_t { kernel_wipe, process_id, none_seeded };
  static constexpr std::size_t kWords = 2032;
  // Zero everywhere, as the kernel leaves it in a child, must mean: kernel_wipe, empty, without key.
  struct State {
    std::uint64_t remaining;  // words not yet handed out, from the end of `words`
    std::uint64_t reserve;    // the same, while Guard::process_id keeps `remaining` at 0
    std::uint64_t stream;
    std::uint64_t blocks;  // of 16 bytes, made so far
    std::int64_t process;
    Guard guard;
    std::uint32_t has_key;
    std::array<unsigned char, 32> key;
    alignas(64) std::array<std::uint64_t, kWords> words;
  };
  struct Cleanse {
    void operator()(State* state) const noexcept;
  };
  using Owner = std::unique_ptr<State, Cleanse>;

  explicit Rng(Owner state) noexcept : state_(std::move(state)) {}
  static Owner new_state(Guard guard);
  static Rng fresh_guarded(Guard guard);
  std::uint64_t refill();

  Owner state_;
};

// The key of one run. stream(i) gives the i-th independent stream, the same bits whenever it is asked
// for again: use each index once. The pipeline uses one stream per chunk of input, so a seeded run does
// not depend on the number of threads. After fork() the child has another key. Thread-safe.
class RandomSource {
 public:
  static RandomSource fresh();
  static RandomSource seeded_not_private(std::uint64_t seed);
  static RandomSource fresh_or_seeded_not_private(const std::optional<std::uint64_t>& seed);

  RandomSource(RandomSource&&) noexcept;
  RandomSource& operator=(RandomSource&&) noexcept;
  RandomSource(const RandomSource&) = delete;
  RandomSource& operator=(const RandomSource&) = delete;
  ~RandomSource();  // cleanses the key

  [[nodiscard]] Rng stream(std::uint64_t index) const;
  [[nodiscard]] bool is_seeded() const noexcept;

 private:
  friend struct RngForTests;
  struct Key;
  struct Cleanse {
    void operator()(Key* key) const noexcept;
  };
  using Owner = std::unique_ptr<Key, Cleanse>;
  explicit RandomSource(Owner key) noexcept;
  static RandomSource fresh_guarded(Rng::Guard guard);

  Owner key_;
};

}  // namespace sotto
