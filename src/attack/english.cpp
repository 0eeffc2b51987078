#include "attack/english.h"

#include <fmt/format.h>

#include "attack/sphinx_lm.h"
#include "core/private_folder.h"
#include "core/sha256.h"
#include "model/file_bytes.h"
#include "model/process.h"
#include "sotto/error.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

constexpr char kOtherwise[] =
    "or make a language model of your own public text with `sotto lm train`, and give it to `prior`";

fs::path program(std::string_view name, const EnglishPackage& package, const EnglishOptions& options) {
  auto found = find_program(name, options.search_path);
  if (found) return *found;
  throw Error(
      ErrorCode::input_output,
      fmt::format("{} was not found; on Debian and its relatives it gets the package {}. Elsewhere get "
                  "the file {} of that package and run `sotto lm import` on it, {}",
                  name, package.package, fs::path(package.file).filename().string(), kOtherwise));
}

void run(const Command& command, const EnglishPackage& package) {
  const int status = run_quietly(command);
  if (status == 0) return;
  throw Error(
      ErrorCode::input_output,
      fmt::format("{} could not get the package {} (its exit status is {}); check the network and the "
                  "free space, run `sudo apt-get update` or `sudo apt-get install {}` and try again, {}",
                  command.program.filename().string(), package.package, status, package.package, kOtherwise));
}

// The file of the package, downloaded into the folder.
fs::path download(const EnglishPackage& package, const EnglishOptions& options, const fs::path& folder) {
  Command command{.program = program("apt-get", package, options),
                  .arguments = {"download", "-qq", package.package},
                  .environment = options.environment,
                  .folder = folder};
  const fs::path unpack = program("dpkg-deb", package, options);
  run(command, package);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() != ".deb") continue;
    command.program = unpack;
    command.arguments = {"-x", entry.path().string(), (folder / "files").string()};
    run(command, package);
    return folder / "files" / package.file;
  }
  throw Error(ErrorCode::input_output,
              fmt::format("apt-get left no file of the package {}, {}", package.package, kOtherwise));
}

ImportedLanguage checked_import(const fs::path& path, const EnglishPackage& package,
                                const std::shared_ptr<const Model>& model, std::string_view anchor) {
  const FileBytes bytes = FileBytes::map(path);
  Sha256 hash;
  hash.add(bytes.view().data(), bytes.view().size());
  const std::string found = hex_text(hash.digest());
  if (found != package.sha256) {
    throw Error(
        ErrorCode::bad_data,
        fmt::format("the package {} is not the expected one: the SHA-256 of {} is {}, and should be {}; "
                    "`sotto lm import` takes the file nevertheless",
                    package.package, fs::path(package.file).filename().string(), found, package.sha256));
  }
  return import_sphinx_lm(bytes.view(), model, anchor);
}

}  // namespace

fs::path english_path(const Model& model) {
  const fs::path folder = model.derived_folder();
  return folder.empty() ? fs::path() : folder / "english.lm";
}

const EnglishPackage& english_package() {
  static const EnglishPackage kPackage{
      .package = "pocketsphinx-en-us",
      .file = "usr/share/pocketsphinx/model/en-us/en-us.lm.bin",
      .sha256 = "db21d0642286677699e6dbc859d2e5395570222361999387ce60f6e1d01995d6"};
  return kPackage;
}

ImportedLanguage fetch_english(const EnglishPackage& package, const EnglishOptions& options,
                               const std::shared_ptr<const Model>& model, std::string_view anchor) {
  const auto tell = [&](const std::string& step) {
    if (options.on_step) options.on_step(step);
  };
  std::error_code ignored;
  const fs::path installed = options.root / package.file;
  if (fs::exists(installed, ignored)) {
    tell(fmt::format("reading {}", installed.string()));
    return checked_import(installed, package, model, anchor);
  }
  const PrivateFolder folder(options.folder);
  tell(fmt::format("downloading the Debian package {} with apt-get", package.package));
  const fs::path file = download(package, options, folder.path());
  tell("checking and reading it");
  return checked_import(file, package, model, anchor);
}

}  // namespace sotto
