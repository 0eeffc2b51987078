#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "attack/back_off.h"
#include "sotto/model.h"

namespace sotto {

// True if the file begins as a binary language model of CMU Sphinx does.
bool is_sphinx_lm(const std::filesystem::path& path);

// Reads the binary language models of CMU Sphinx ("Trie Language Model", as of sphinxbase 5prealpha), orders
// 2 and 3, little-endian. BackOffBuilder says what is made of it. Sphinx's own converter to ARPA cannot be
// used: that of Debian 12 stops at a failed assertion on Debian's own English model. Throws Error(bad_data)
// that starts with "the Sphinx language model"; whatever the bytes are, nothing outside them is read.
ImportedLanguage import_sphinx_lm(std::span<const std::byte> bytes, const std::shared_ptr<const Model>& model,
                                  std::string_view anchor);
ImportedLanguage import_sphinx_lm(const std::filesystem::path& path,
                                  const std::shared_ptr<const Model>& model, std::string_view anchor);

}  // namespace sotto
