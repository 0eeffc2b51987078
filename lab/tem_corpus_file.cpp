// The cache of tokenised reviews: magic, key, counts, words, ends, labels, and the SHA-256 of all that.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/descriptor.h"
#include "lab/run.h"
#include "lab/tem_corpus.h"
#include "model/file_bytes.h"
#include "model/sha256.h"
#include "sotto/error.h"

namespace sotto::lab {

namespace {

namespace fs = std::filesystem;

// Another number whenever the tokeniser or the lookup gives other words.
constexpr std::string_view kMagic = "sotto lab tokens 1\n";

std::string digest_of(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes.data(), bytes.size());
  return hex_text(hash.digest());
}

template <typename T>
void put(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
template <typename T>
void put_all(std::string& out, const std::vector<T>& values) {
  out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

// Reads what put() wrote; the checksum has been compared, so that lengths are right.
struct Reader {
  std::string_view bytes;
  template <typename T>
  T one() {
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes.remove_prefix(sizeof value);
    return value;
  }
  template <typename T>
  std::vector<T> many(std::size_t count) {
    std::vector<T> values(count);
    std::memcpy(values.data(), bytes.data(), count * sizeof(T));
    bytes.remove_prefix(count * sizeof(T));
    return values;
  }
};

std::optional<Corpus> load(const fs::path& file, std::string_view key) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::nullopt;
  const FileBytes mapped = FileBytes::map(file);
  std::string_view bytes(reinterpret_cast<const char*>(mapped.view().data()), mapped.view().size());
  const std::string head = fmt::format("{}{}\n", kMagic, key);
  constexpr std::size_t kDigest = 64;
  if (bytes.size() < head.size() + kDigest || !bytes.starts_with(head)) return std::nullopt;
  const std::string_view digest = bytes.substr(bytes.size() - kDigest);
  bytes.remove_suffix(kDigest);
  if (digest_of(bytes) != digest) return std::nullopt;
  Reader reader{bytes.substr(head.size())};
  const auto documents = reader.one<std::uint64_t>();
  const auto words = reader.one<std::uint64_t>();
  Corpus corpus;
  corpus.unknown = reader.one<std::uint64_t>();
  corpus.words = reader.many<WordId>(words);
  corpus.ends = reader.many<std::size_t>(documents);
  corpus.labels = reader.many<std::uint8_t>(documents);
  return corpus;
}

// Under another name first, so that an interrupted run leaves no half.
void store(const fs::path& file, std::string_view key, const Corpus& corpus) {
  std::string out = fmt::format("{}{}\n", kMagic, key);
  put<std::uint64_t>(out, corpus.size());
  put<std::uint64_t>(out, corpus.words.size());
  put<std::uint64_t>(out, corpus.unknown);
  put_all(out, corpus.words);
  put_all(out, corpus.ends);
  put_all(out, corpus.labels);
  out += digest_of(out);
  fs::path temporary = file;
  temporary += fmt::format(".{}", ::getpid());
  Descriptor descriptor(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!descriptor.is_open()) {
    throw Error(ErrorCode::input_output,
                fmt::format("{}: {}", shown(temporary.string()), system_message(errno)));
  }
  write_all(descriptor.get(), out, shown(temporary.string()));
  std::error_code error;
  fs::rename(temporary, file, error);
  if (error) {
    throw Error(ErrorCode::input_output, fmt::format("{}: {}", shown(file.string()), error.message()));
  }
}

}  // namespace

Corpus cached_corpus(const ImdbPart& part, const std::shared_ptr<const Model>& model, const fs::path& folder,
                     unsigned threads) {
  const std::string key = digest_of(model->identity() + part.checksum());
  const fs::path file = folder / fmt::format("tokens-{}.bin", key.substr(0, 16));
  if (std::optional<Corpus> kept = load(file, key)) return *std::move(kept);
  Corpus corpus = tokenise(part.read(), model, threads);
  store(file, key, corpus);
  tell(fmt::format("{} holds {} tokenised reviews: as private as the reviews are (mode 0600)",
                   file.filename().string(), corpus.size()));
  return corpus;
}

}  // namespace sotto::lab
