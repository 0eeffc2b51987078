// Key stream of AES-256-CTR: the 16-byte counter is the stream's index (64 bits, big-endian), then the
// block's index (64 bits, big-endian), so streams of one key never overlap. Words are read from the key
// stream in order, little-endian.
#include "sotto/rng.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <sys/random.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <new>
#include <thread>
#include <utility>

#include "core/fork_wiped.h"
#include "sotto/error.h"

namespace sotto {
namespace {

using KeyBytes = std::array<unsigned char, 32>;
static_assert(std::endian::native == std::endian::little, "seeded streams are defined for little-endian");

constexpr std::uint64_t kBytesPerBlock = 16;

void put_big_endian(std::uint64_t value, unsigned char* out) {
  for (int i = 7; i >= 0; --i, value >>= 8) out[i] = static_cast<unsigned char>(value & 0xff);
}

void take_system_key(KeyBytes& key) {
  std::size_t filled = 0;
  while (filled < key.size()) {
    const ssize_t count = ::getrandom(key.data() + filled, key.size() - filled, 0);
    if (count > 0) {
      filled += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      throw Error(ErrorCode::internal, "the operating system gave no randomness (getrandom failed)");
    }
  }
}

void derive_seeded_key(std::uint64_t seed, KeyBytes& key) {
  constexpr char kDomain[] = "sotto: seeded stream, not private, version 1";  // its NUL separates
  std::array<unsigned char, sizeof kDomain + 8> message;
  std::copy(std::begin(kDomain), std::end(kDomain), message.begin());
  put_big_endian(seed, message.data() + sizeof kDomain);
  if (EVP_Digest(message.data(), message.size(), key.data(), nullptr, EVP_sha256(), nullptr) != 1) {
    throw Error(ErrorCode::internal, "OpenSSL could not compute SHA-256");
  }
}

// How the pages of a state or a key were mapped.
ForkWiped pages_of(void* memory, bool is_wiped) {
  return {memory, is_wiped ? WipedByKernel::yes : WipedByKernel::no};
}

// In place: `words` must be zero, and become key stream.
void encrypt(const KeyBytes& key, std::uint64_t stream, std::uint64_t block, std::span<std::uint64_t> words) {
  std::array<unsigned char, kBytesPerBlock> counter;
  put_big_endian(stream, counter.data());
  put_big_endian(block, counter.data() + 8);
  // The expanded key lives outside the wiped page, so only for this call.
  EVP_CIPHER_CTX* const context = EVP_CIPHER_CTX_new();
  auto* const bytes = reinterpret_cast<unsigned char*>(words.data());
  int written = 0;
  const bool done =
      context != nullptr &&
      EVP_EncryptInit_ex(context, EVP_aes_256_ctr(), nullptr, key.data(), counter.data()) == 1 &&
      EVP_EncryptUpdate(context, bytes, &written, bytes, static_cast<int>(words.size_bytes())) == 1;
  EVP_CIPHER_CTX_free(context);
  if (!done || static_cast<std::size_t>(written) != words.size_bytes()) {
    throw Error(ErrorCode::internal, "OpenSSL could not run AES-256-CTR");
  }
}

}  // namespace

// ---------------------------------------------------------------- one stream

void Rng::Cleanse::operator()(State* state) const noexcept {
  if (state->guard != Guard::none_seeded) {
    unmap_fork_wiped(pages_of(state, state->guard == Guard::kernel_wipe), sizeof(State));
    return;
  }
  OPENSSL_cleanse(state, sizeof(State));
  delete state;
}

Rng::Owner Rng::new_state(Guard guard) {
  static_assert(sizeof(State) == 16384 && kWords % 2 == 0, "whole pages, whole blocks");
  if (guard == Guard::none_seeded) {
    Owner state(new State{});
    state->guard = guard;
    return state;
  }
  const ForkWiped pages =
      map_fork_wiped(sizeof(State), guard == Guard::process_id ? WipeOnFork::never : WipeOnFork::if_possible);
  Owner state(new (pages.memory) State{});
  state->guard = pages.wiped == WipedByKernel::yes ? guard : Guard::process_id;
  return state;
}

Rng Rng::fresh() {
  return fresh_guarded(Guard::kernel_wipe);
}

Rng Rng::fresh_guarded(Guard guard) {
  return Rng(new_state(guard));  // the first bits() takes a key
}

Rng Rng::seeded_not_private(std::uint64_t seed, std::uint64_t stream) {
  Owner state = new_state(Guard::none_seeded);
  derive_seeded_key(seed, state->key);
  state->has_key = 1;
  state->stream = stream;
  return Rng(std::move(state));
}

std::uint64_t Rng::refill() {
  if (state_ == nullptr) {
    throw Error(ErrorCode::internal, "random bits were asked of a stream that was moved away");
  }
  State& state = *state_;
  const bool foreign = state.guard == Guard::process_id && state.process != ::getpid();
  if (state.has_key == 0 || foreign) {
    // Never the key of before: this is a new process, or a stream that has not begun.
    state.reserve = 0;
    state.stream = 0;
    state.blocks = 0;
    take_system_key(state.key);
    state.process = ::getpid();
    state.has_key = 1;
  }
  if (state.reserve == 0) {
    state.words.fill(0);
    encrypt(state.key, state.stream, state.blocks, state.words);
    state.blocks += sizeof state.words / kBytesPerBlock;
    state.reserve = kWords;
  }
  if (state.guard != Guard::process_id) {
    state.remaining = std::exchange(state.reserve, 0);
    return state.words[kWords - state.remaining--];
  }
  return state.words[kWords - state.reserve--];
}

// ---------------------------------------------------------------- the key of a run

struct RandomSource::Key {
  // The process whose key this is; its negative while that process draws it; 0 (wiped) nobody's. In a
  // child the value is 0 or another process's, also if a thread of the parent was just drawing.
  std::atomic<std::int64_t> owner;
  Rng::Guard guard;
  KeyBytes bytes;
};

RandomSource::RandomSource(Owner key) noexcept : key_(std::move(key)) {}
RandomSource::RandomSource(RandomSource&&) noexcept = default;
RandomSource& RandomSource::operator=(RandomSource&&) noexcept = default;
RandomSource::~RandomSource() = default;

void RandomSource::Cleanse::operator()(Key* key) const noexcept {
  if (key->guard != Rng::Guard::none_seeded) {
    unmap_fork_wiped(pages_of(key, key->guard == Rng::Guard::kernel_wipe), sizeof(Key));
    return;
  }
  OPENSSL_cleanse(key->bytes.data(), key->bytes.size());
  delete key;
}

RandomSource RandomSource::fresh() {
  return fresh_guarded(Rng::Guard::kernel_wipe);
}

RandomSource RandomSource::fresh_guarded(Rng::Guard guard) {
  const ForkWiped pages = map_fork_wiped(
      sizeof(Key), guard == Rng::Guard::process_id ? WipeOnFork::never : WipeOnFork::if_possible);
  Owner key(new (pages.memory) Key{});
  key->guard = pages.wiped == WipedByKernel::yes ? guard : Rng::Guard::process_id;
  return RandomSource(std::move(key));
}

RandomSource RandomSource::seeded_not_private(std::uint64_t seed) {
  Owner key(new Key{});
  key->guard = Rng::Guard::none_seeded;
  derive_seeded_key(seed, key->bytes);
  return RandomSource(std::move(key));
}

RandomSource RandomSource::fresh_or_seeded_not_private(const std::optional<std::uint64_t>& seed) {
  return seed ? seeded_not_private(*seed) : fresh();
}

bool RandomSource::is_seeded() const noexcept {
  return key_ != nullptr && key_->guard == Rng::Guard::none_seeded;
}

Rng RandomSource::stream(std::uint64_t index) const {
  if (key_ == nullptr) throw Error(ErrorCode::internal, "a stream was asked of a source that was moved away");
  if (!is_seeded()) {
    const std::int64_t self = ::getpid();
    for (std::int64_t owner = key_->owner.load(std::memory_order_acquire); owner != self;
         owner = key_->owner.load(std::memory_order_acquire)) {
      if (owner == -self) {
        std::this_thread::yield();
      } else if (key_->owner.compare_exchange_strong(owner, -self)) {
        try {
          take_system_key(key_->bytes);
        } catch (...) {
          key_->owner.store(0);
          throw;
        }
        key_->owner.store(self, std::memory_order_release);
      }
    }
  }
  Rng::Owner state = Rng::new_state(key_->guard);
  state->key = key_->bytes;
  state->has_key = 1;
  state->process = ::getpid();
  state->stream = index;
  return Rng(std::move(state));
}

}  // namespace sotto
