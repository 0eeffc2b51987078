#include "cli/certify/kept.h"

#include <fstream>
#include <string>

#include "certify/certificate_store.h"
#include "core/private_folder.h"
#include "shared/answer.h"
#include "shared/model_choice.h"

namespace sotto::cli {

namespace {

namespace fs = std::filesystem;

// The first line is JSON, the figures of the certificate among them (certify/certificate_store.cpp).
std::optional<KeptFile::Stated> read_stated(const fs::path& path) {
  constexpr std::size_t kLongest = 100'000;
  std::ifstream file(path, std::ios::binary);
  std::string line(kLongest, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(file.gcount()));
  const std::size_t end = line.find('\n');
  if (end == std::string::npos) return std::nullopt;
  try {
    const Json header = Json::parse(line.substr(0, end));
    if (header.at("schema") != kCertificateSchema) return std::nullopt;
    return KeptFile::Stated{.epsilon = header.at("realised_epsilon").get<double>(),
                            .largest_loss = header.at("largest_loss").get<double>()};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<fs::file_time_type> KeptFile::written_now() const {
  std::error_code error;
  if (path.empty() || !fs::is_regular_file(path, error)) return std::nullopt;
  const auto time = fs::last_write_time(path, error);
  return error ? std::nullopt : std::optional(time);
}

KeptFile find_kept_file(const MechanismChoice& choice) {
  const Setting setting = parse_setting(choice.mechanism, choice.parameters);
  const auto model = open_model(choice.model);
  if (setting.info->law_request == nullptr) return {};
  const LawRequest request = setting.info->law_request(*model, setting.parameters);
  KeptFile file{.path = CertificateStore(Space::make(model, request.metric), request).file()};
  // A folder that others may write to is neither read nor written.
  std::error_code ignored;
  const fs::path folder = file.path.parent_path();
  if (fs::exists(folder, ignored) && !is_ours_alone(folder)) return {};
  file.written = file.written_now();
  if (file.written) file.stated = read_stated(file.path);
  return file;
}

}  // namespace sotto::cli
