// The cache of tokenised reviews: magic, key, counts, words, ends, labels, and the SHA-256 of all that.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/descriptor.h"
#include "core/sha256.h"
#include "lab/run.h"
#include "lab/tem/corpus.h"
#include "model/file_bytes.h"
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

// Reads what put() wrote. Lengths have been compared with the file's size.
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

// The three counts, and whether this many bytes follow them.
struct Counts {
  std::uint64_t documents = 0;
  std::uint64_t words = 0;
  std::uint64_t unknown = 0;
  [[nodiscard]] bool fit(std::size_t bytes) const {
    constexpr std::size_t kDocument = sizeof(std::size_t) + sizeof(std::uint8_t);
    return words <= bytes / sizeof(WordId) && documents <= (bytes - words * sizeof(WordId)) / kDocument &&
           words * sizeof(WordId) + documents * kDocument == bytes;
  }
};

// Every id and every end is in range, whatever the checksum says.
bool is_legal(const Corpus& corpus, std::size_t vocabulary) {
  return std::ranges::all_of(corpus.words, [&](WordId word) { return index_of(word) < vocabulary; }) &&
         std::ranges::is_sorted(corpus.ends) &&
         (corpus.ends.empty() ? corpus.words.empty() : corpus.ends.back() == corpus.words.size()) &&
         std::ranges::all_of(corpus.labels, [](std::uint8_t label) { return label <= 1; });
}

std::optional<Corpus> load(const fs::path& file, std::string_view key, std::size_t vocabulary) {
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
  if (reader.bytes.size() < sizeof(Counts)) return std::nullopt;
  const auto counts = reader.one<Counts>();
  if (!counts.fit(reader.bytes.size())) return std::nullopt;
  Corpus corpus;
  corpus.unknown = counts.unknown;
  corpus.words = reader.many<WordId>(counts.words);
  corpus.ends = reader.many<std::size_t>(counts.documents);
  corpus.labels = reader.many<std::uint8_t>(counts.documents);
  return is_legal(corpus, vocabulary) ? std::optional(std::move(corpus)) : std::nullopt;
}

// Under another name first, so that an interrupted run leaves no half.
void store(const fs::path& file, std::string_view key, const Corpus& corpus) {
  std::string out = fmt::format("{}{}\n", kMagic, key);
  put(out, Counts{.documents = corpus.size(), .words = corpus.words.size(), .unknown = corpus.unknown});
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
  if (std::optional<Corpus> kept = load(file, key, model->size())) return *std::move(kept);
  Corpus corpus = tokenise(part.read(), model, threads);
  store(file, key, corpus);
  tell(fmt::format("{} holds {} tokenised reviews: as private as the reviews are (mode 0600)",
                   file.filename().string(), corpus.size()));
  return corpus;
}

}  // namespace sotto::lab
