#pragma once
// Model files that state another model's identity.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "model/model_file.h"
#include "model/model_header.h"
#include "sotto/model.h"

namespace sotto::test {

inline std::string file_contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline ModelHeader header_of(const std::string& file) {
  ModelHeader header{};
  std::memcpy(&header, file.data(), sizeof header);
  return header;
}

// Rewrites the model file `path` so that it states the identity of the model file `other`, with a right
// checksum. Words and vectors stay as they are.
inline void copy_identity(const std::filesystem::path& path, const std::filesystem::path& other) {
  std::string file = file_contents(path);
  const Sha256Digest identity = header_of(file_contents(other)).identity;
  std::memcpy(file.data() + offsetof(ModelHeader, identity), identity.data(), identity.size());
  set_model_file_checksum(std::as_writable_bytes(std::span(file)));
  std::ofstream(path, std::ios::binary) << file;
}

}  // namespace sotto::test
