#include "ledger/key_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "core/descriptor.h"
#include "sotto/error.h"

namespace sotto::ledger {

namespace {

constexpr std::string_view kPrefix = "sotto-ledger-key-1 ";

[[noreturn]] void key_file_failed(const std::filesystem::path& path, const char* verb, int error_number) {
  throw Error(ErrorCode::input_output, fmt::format("cannot {} the ledger's key {}: {}", verb,
                                                   shown(path.string()), system_message(error_number)));
}

}  // namespace

void sync_folder_of(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.is_open()) ::fsync(opened.get());
}

SecretKey read_key_file(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.is_open() && errno == ENOENT) {
    throw Error(
        ErrorCode::usage,
        fmt::format("the ledger's key {} is not there; give its file as `ledger-key`. Without the key "
                    "the ledger cannot be used: restore it from your copy",
                    shown(path.string())));
  }
  if (!file.is_open()) key_file_failed(path, "read", errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) key_file_failed(path, "read", errno);
  if (!S_ISREG(status.st_mode) || (status.st_mode & 077) != 0) {
    throw Error(
        ErrorCode::input_output,
        fmt::format("the ledger's key {} must be a file that only you can read: run `chmod 600` on it",
                    shown(path.string())));
  }
  std::string text(kPrefix.size() + 66, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const std::size_t count = read_some(file.get(), &text[size], text.size() - size, "the ledger's key");
    if (count == 0) break;
    size += count;
  }
  std::string_view rest(text.data(), size);
  if (rest.ends_with('\n')) rest.remove_suffix(1);
  std::optional<Mac> bytes;
  if (rest.starts_with(kPrefix)) bytes = mac_of_hex(rest.substr(kPrefix.size()));
  OPENSSL_cleanse(text.data(), text.size());
  if (!bytes) {
    throw Error(ErrorCode::bad_data, fmt::format("{} holds no ledger key", shown(path.string())));
  }
  const SecretKey key(*bytes);
  OPENSSL_cleanse(bytes->data(), bytes->size());
  return key;
}

SecretKey create_key_file(const std::filesystem::path& path) {
  const std::string temporary = fmt::format("{}.new-{}", path.string(), hex_of(random_array<6>()));
  {
    const SecretKey key(random_array<32>());
    const Descriptor file(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file.is_open()) key_file_failed(path, "write", errno);
    try {
      std::string text = fmt::format("{}{}\n", kPrefix, hex_of(key.bytes()));
      write_all(file.get(), text, "the ledger's key");
      OPENSSL_cleanse(text.data(), text.size());
    } catch (...) {
      ::unlink(temporary.c_str());
      throw;
    }
    if (::fsync(file.get()) != 0) {
      const int error_number = errno;
      ::unlink(temporary.c_str());
      key_file_failed(path, "write", error_number);
    }
  }
  // link() refuses an existing name, so a key is never replaced.
  const int linked = ::link(temporary.c_str(), path.c_str());
  const int error_number = errno;
  ::unlink(temporary.c_str());
  if (linked != 0 && error_number != EEXIST) key_file_failed(path, "write", error_number);
  sync_folder_of(path);
  return read_key_file(path);
}

}  // namespace sotto::ledger
