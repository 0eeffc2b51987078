#include "core/npy_start.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "core/npy.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr std::size_t kLongestHeader = std::size_t{1} << 16;  // NumPy's own headers take 118 bytes

}  // namespace

std::size_t read_fully(ByteSource& source, char* buffer, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const std::size_t got = source.read(buffer + done, size - done);
    if (got == 0) break;
    done += got;
  }
  return done;
}

NpyDictionary read_npy_start(ByteSource& source, const std::string& label) {
  const auto refuse = [&label](const std::string& reason) {
    throw Error(ErrorCode::bad_data, fmt::format("{}: {}", label, reason));
  };
  std::array<char, 8> start{};
  if (read_fully(source, start.data(), start.size()) < start.size() ||
      std::string_view(start.data(), kNpyMagic.size()) != kNpyMagic) {
    refuse("it is not an .npy file; save the matrix with numpy.save");
  }
  const unsigned version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3 || start[7] != 0) {
    refuse("it has a version of the .npy format that is not 1.0, 2.0 or 3.0; save it with numpy.save");
  }
  std::array<unsigned char, 4> length_bytes{};
  const std::size_t length_size = version == 1 ? 2 : 4;
  constexpr std::string_view kCut = "the file ends in its header; get a whole copy of it";
  if (read_fully(source, reinterpret_cast<char*>(length_bytes.data()), length_size) < length_size) {
    refuse(std::string(kCut));
  }
  std::size_t length = 0;
  for (std::size_t i = length_size; i-- > 0;) length = length << 8 | length_bytes[i];
  if (length > kLongestHeader) {
    refuse(
        fmt::format("its header is of {} bytes, and {} are allowed: it is damaged, or has a great many "
                    "fields; save a plain matrix with numpy.save",
                    length, kLongestHeader));
  }
  std::string text(length, '\0');
  if (read_fully(source, text.data(), length) < length) refuse(std::string(kCut));
  auto dictionary = parse_npy_dictionary(text);
  if (!dictionary) refuse("its .npy header is damaged; save the matrix again with numpy.save");
  return *std::move(dictionary);
}

}  // namespace sotto
