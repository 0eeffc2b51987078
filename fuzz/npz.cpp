// Sparse matrices of scipy: the rows do not depend on the size of reads, and are those of the arrays. Mutated
// archives seldom keep their checksums, so the input is also tried as the arrays of a fresh archive.
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "core/csr_npz.h"
#include "matrix_harness.h"

namespace {

void check(const std::string& bytes) {
  sotto::fuzz::Matrix matrix;
  sotto::fuzz::check_matrix([&] { return sotto::CsrReader(bytes, "fuzz"); }, 3, matrix);
}

void append(std::string& out, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

// Five stored members: the input, cut at four places that its first bytes choose.
std::string archive_of(std::string_view input) {
  constexpr const char* kNames[] = {"format.npy", "shape.npy", "indptr.npy", "indices.npy", "data.npy"};
  std::string out;
  std::string directory;
  for (const char* name : kNames) {
    std::size_t size = input.size();
    if (input.size() >= 2) {
      size = static_cast<unsigned char>(input[0]) |
             static_cast<unsigned>(static_cast<unsigned char>(input[1])) << 8;
      input.remove_prefix(2);
      size = std::min(size, input.size());
    }
    const std::string_view content = input.substr(0, size);
    input.remove_prefix(size);
    std::string fields;  // from the version to the length of the extra field
    append(fields, 20, 2);
    append(fields, 0, 8);  // no flags, stored, no time
    append(fields,
           ::crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())), 4);
    append(fields, content.size(), 4);
    append(fields, content.size(), 4);
    append(fields, std::strlen(name), 2);
    append(fields, 0, 2);
    directory += "PK\x01\x02";
    append(directory, 20, 2);
    directory += fields;
    append(directory, 0, 6);  // no comment, first disk, no attributes
    append(directory, 0, 4);
    append(directory, out.size(), 4);
    directory += name;
    out += "PK\x03\x04" + fields + name + std::string(content);
  }
  const std::size_t begin = out.size();
  out += directory + "PK\x05\x06";
  append(out, 0, 4);
  append(out, std::size(kNames), 2);
  append(out, std::size(kNames), 2);
  append(out, directory.size(), 4);
  append(out, begin, 4);
  append(out, 0, 2);
  return out;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = sotto::fuzz::text_of(data, size);
  check(std::string(bytes));
  check(archive_of(bytes));
  return 0;
}
