#pragma once
#include <string>
#include <string_view>

namespace sotto::test {

// One entry of a ustar archive, written independently of the reader under test.
inline std::string tar_entry(std::string_view name, std::string_view bytes, char type = '0') {
  std::string header(512, '\0');
  const auto octal = [&](std::size_t offset, int digits, std::size_t value) {
    for (int i = digits - 1; i >= 0; --i, value /= 8) header[offset + i] = static_cast<char>('0' + value % 8);
  };
  header.replace(0, name.size(), name);
  octal(100, 7, 0644);
  octal(124, 11, bytes.size());
  header[156] = type;
  header.replace(257, 5, "ustar");
  header.replace(263, 2, "00");
  header.replace(148, 8, 8, ' ');
  std::size_t sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  octal(148, 6, sum);
  header[154] = '\0';
  return header + std::string(bytes) + std::string((512 - bytes.size() % 512) % 512, '\0');
}

inline std::string tar_end() {
  return std::string(1024, '\0');
}

}  // namespace sotto::test
