#include "core/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/descriptor.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{256} * 1024;
constexpr std::size_t kLongestName = 255;  // NAME_MAX of every Linux file system in use
constexpr int kMostLinks = 40;             // as the kernel follows

[[noreturn]] void fail(const std::string& path, int error_number, std::string_view advice) {
  throw Error(ErrorCode::input_output,
              fmt::format("cannot write {}: {}; {}", shown(path), system_message(error_number), advice));
}

[[noreturn]] void refuse_existing(const std::string& path) {
  throw Error(ErrorCode::usage, fmt::format("{} exists already; give another name or `force`", shown(path)));
}

std::string_view advice_for_folder(int error_number) {
  switch (error_number) {
    case ENOENT:
      return "create its folder first or give another path";
    case ENOTDIR:
      return "a part of the path is a file, not a folder; give another path";
    case EACCES:
    case EPERM:
    case EROFS:
      return "give a folder that you may write to";
    case ENOSPC:
    case EDQUOT:
      return "free some space or write to another disk";
    default:
      return "give another path";
  }
}

// Reading the mask by umask() would change it for all threads for a moment. Without /proc: private.
mode_t process_umask() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    constexpr std::string_view kName = "Umask:\t";
    if (!line.starts_with(kName)) continue;
    mode_t mask = 0;
    const auto read = std::from_chars(line.data() + kName.size(), line.data() + line.size(), mask, 8);
    return read.ec == std::errc() ? mask : 0077;
  }
  return 0077;
}

// Also for a link that points to nothing yet, which canonical() refuses.
std::filesystem::path follow_links(std::filesystem::path path) {
  std::error_code error;
  for (int hops = 0; hops < kMostLinks && std::filesystem::is_symlink(path, error); ++hops) {
    const auto target = std::filesystem::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / target;  // an absolute target replaces all of it
  }
  return path;
}

std::string temporary_name(const std::string& name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz012345";
  unsigned char random[6] = {};
  // Only to avoid a clash; O_EXCL is what makes it safe.
  if (::getrandom(random, sizeof random, GRND_NONBLOCK) < 0)
    random[0] = static_cast<unsigned char>(::getpid());
  std::string suffix = ".sotto-";
  for (const unsigned char byte : random) suffix += kLetters[byte % kLetters.size()];
  return "." + name.substr(0, kLongestName - 1 - suffix.size()) + suffix;
}

std::string path_through_proc(int fd) {
  return fmt::format("/proc/self/fd/{}", fd);
}

}  // namespace

struct OutputFile::Parts {
  enum class Stage { writing, failed, committed };
  enum class Way { unnamed, named, direct };

  std::string typed;  // as the user gave it, for messages
  std::string name;   // within folder
  Descriptor folder;
  Descriptor file;
  std::string temporary;  // the name that must not be left behind, if any
  std::string buffer;
  Overwrite overwrite = Overwrite::refuse;
  Way way = Way::unnamed;
  Stage stage = Stage::writing;

  ~Parts() {
    if (!temporary.empty()) ::unlinkat(folder.get(), temporary.c_str(), 0);
  }

  void open_direct(const std::filesystem::path& path);
  void open_in_folder(const std::filesystem::path& path, Temporary wanted);
  bool open_unnamed();
  void open_named();
  void flush();
  void sync_file();
  void publish();
  int give_name_if_free();
  int give_name_by_replacing();
};

void OutputFile::Parts::open_direct(const std::filesystem::path& path) {
  way = Way::direct;
  file = Descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.is_open()) fail(typed, errno, advice_for_folder(errno));
  struct stat now {};
  if (::fstat(file.get(), &now) != 0 || S_ISREG(now.st_mode)) {
    throw Error(ErrorCode::input_output,
                fmt::format("{} changed while it was being opened; try again", shown(typed)));
  }
}

void OutputFile::Parts::open_in_folder(const std::filesystem::path& path, Temporary wanted) {
  const auto resolved = follow_links(path);
  name = resolved.filename().string();
  const std::string parent = resolved.has_parent_path() ? resolved.parent_path().string() : ".";
  folder = Descriptor(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A folder that may be written to but not listed still works, without its fsync.
  if (!folder.is_open() && errno == EACCES) {
    folder = Descriptor(::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  if (!folder.is_open()) fail(typed, errno, advice_for_folder(errno));
  if (wanted == Temporary::named || !open_unnamed()) open_named();
}

bool OutputFile::Parts::open_unnamed() {
  way = Way::unnamed;
  file = Descriptor(::openat(folder.get(), ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (!file.is_open()) {
    if (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT || errno == EINVAL) return false;
    fail(typed, errno, advice_for_folder(errno));
  }
  // The name is given through /proc, so its absence must show now, not after hours of work.
  return ::access(path_through_proc(file.get()).c_str(), F_OK) == 0;
}

void OutputFile::Parts::open_named() {
  way = Way::named;
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string candidate = temporary_name(name);
    file = Descriptor(::openat(folder.get(), candidate.c_str(),
                               O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file.is_open()) {
      temporary = std::move(candidate);
      return;
    }
    if (errno != EEXIST) break;
  }
  fail(typed, errno, advice_for_folder(errno));
}

void OutputFile::Parts::flush() {
  write_all(file.get(), buffer, typed);
  buffer.clear();
}

void OutputFile::Parts::sync_file() {
  if (::fsync(file.get()) == 0) return;
  // A pipe or a terminal has nothing to sync.
  if (way == Way::direct && (errno == EINVAL || errno == EROFS || errno == ENOTSUP)) return;
  fail(typed, errno, advice_for_folder(errno));
}

// 0 or an error number; EEXIST if the name is taken.
int OutputFile::Parts::give_name_if_free() {
  if (way == Way::unnamed) {
    const std::string source = path_through_proc(file.get());
    const int linked = ::linkat(AT_FDCWD, source.c_str(), folder.get(), name.c_str(), AT_SYMLINK_FOLLOW);
    return linked == 0 ? 0 : errno;
  }
  if (::renameat2(folder.get(), temporary.c_str(), folder.get(), name.c_str(), RENAME_NOREPLACE) == 0) {
    temporary.clear();
    return 0;
  }
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // The destructor removes the temporary name afterwards.
  return ::linkat(folder.get(), temporary.c_str(), folder.get(), name.c_str(), 0) == 0 ? 0 : errno;
}

int OutputFile::Parts::give_name_by_replacing() {
  if (way == Way::unnamed) {
    // There is no link() that replaces: a second name, complete from its first moment, then rename.
    const std::string source = path_through_proc(file.get());
    for (int attempt = 0; attempt < 100 && temporary.empty(); ++attempt) {
      std::string candidate = temporary_name(name);
      if (::linkat(AT_FDCWD, source.c_str(), folder.get(), candidate.c_str(), AT_SYMLINK_FOLLOW) == 0) {
        temporary = std::move(candidate);
      } else if (errno != EEXIST) {
        return errno;
      }
    }
  }
  if (::renameat(folder.get(), temporary.c_str(), folder.get(), name.c_str()) != 0) return errno;
  temporary.clear();
  return 0;
}

void OutputFile::Parts::publish() {
  struct stat old {};
  const bool replaces = overwrite == Overwrite::replace &&
                        ::fstatat(folder.get(), name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0 &&
                        S_ISREG(old.st_mode);
  const mode_t mode = replaces ? old.st_mode & 0777 : 0666 & ~process_umask();
  if (::fchmod(file.get(), mode) != 0) fail(typed, errno, advice_for_folder(errno));
  sync_file();
  int error_number = give_name_if_free();
  if (error_number == EEXIST) {
    if (overwrite == Overwrite::refuse) refuse_existing(typed);
    error_number = give_name_by_replacing();
  }
  if (error_number != 0) fail(typed, error_number, advice_for_folder(error_number));
  if (::fsync(folder.get()) != 0 && errno != EINVAL && errno != EBADF && errno != EROFS) {
    fail(typed, errno, "the file is there, but may not survive a power cut");
  }
}

OutputFile::OutputFile(const std::filesystem::path& path, Overwrite overwrite, Temporary temporary)
    : parts_(std::make_unique<Parts>()) {
  parts_->typed = path.string();
  parts_->overwrite = overwrite;
  struct stat target {};
  const bool exists = ::stat(path.c_str(), &target) == 0;
  if (!exists && errno != ENOENT) fail(parts_->typed, errno, advice_for_folder(errno));
  if (!path.has_filename() || (exists && S_ISDIR(target.st_mode))) {
    throw Error(ErrorCode::usage, fmt::format("the output \"{}\" is a folder; give the name of a file in it",
                                              shown(parts_->typed)));
  }
  if (exists && !S_ISREG(target.st_mode)) {
    parts_->open_direct(path);
    return;
  }
  if (exists && overwrite == Overwrite::refuse) refuse_existing(parts_->typed);
  parts_->open_in_folder(path, temporary);
}

OutputFile::~OutputFile() = default;

void OutputFile::write(std::string_view bytes) {
  if (parts_->stage != Parts::Stage::writing) {
    throw Error(ErrorCode::internal, "an output file was written to after its end");
  }
  parts_->stage = Parts::Stage::failed;  // until it has worked
  if (parts_->buffer.size() + bytes.size() > kBufferBytes) parts_->flush();
  if (bytes.size() >= kBufferBytes) {
    write_all(parts_->file.get(), bytes, parts_->typed);
  } else {
    parts_->buffer.append(bytes);
  }
  parts_->stage = Parts::Stage::writing;
}

bool OutputFile::holds_back() const noexcept {
  return parts_->way != Parts::Way::direct;
}

void OutputFile::commit() {
  if (parts_->stage != Parts::Stage::writing) {
    throw Error(ErrorCode::internal, "an output file was committed twice or after a failure");
  }
  parts_->stage = Parts::Stage::failed;
  parts_->flush();
  if (parts_->way == Parts::Way::direct) {
    parts_->sync_file();
  } else {
    parts_->publish();
  }
  if (const int error_number = parts_->file.close(); error_number != 0) {
    fail(parts_->typed, error_number, advice_for_folder(error_number));
  }
  parts_->stage = Parts::Stage::committed;
}

}  // namespace sotto
