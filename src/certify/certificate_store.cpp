#include "certify/certificate_store.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "certify/exponential_row.h"
#include "certify/float_certificate.h"
#include "core/output_file.h"
#include "core/parallel.h"
#include "core/private_folder.h"
#include "core/uniform.h"
#include "model/file_bytes.h"
#include "sotto/error.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Raised when a figure would come out otherwise.
constexpr int kEngine = 2;
constexpr std::size_t kCheckedRows = 1000;

// What must be the same for a certificate to be ours.
Json key_of(const Space& space, const LawRequest& request) {
  return {{"schema", kCertificateSchema},
          {"engine", kEngine},
          {"model", space.model().identity()},
          {"words", space.size()},
          {"metric", metric_name(space.metric())},
          {"calibration", calibration_name(request.calibration)},
          {"epsilon", number_text(request.epsilon)},
          {"gamma", number_text(request.gamma)}};
}

Json to_json(const PairLoss& pair) {
  return {index_of(pair.first), index_of(pair.second), pair.distance, pair.loss, pair.epsilon};
}
PairLoss read_pair(const Json& json, std::size_t words) {
  const auto word = [&](std::size_t place) {
    const Json& index = json.at(place);
    if (!index.is_number_unsigned() || index.get<std::uint64_t>() >= words) {
      throw Error(ErrorCode::bad_data, "a word that the model does not have");
    }
    return word_id(index.get<std::uint64_t>());
  };
  return {.first = word(0),
          .second = word(1),
          .distance = json.at(2).get<double>(),
          .loss = json.at(3).get<double>(),
          .epsilon = json.at(4).get<double>()};
}
Json to_json(const std::vector<PairLoss>& pairs) {
  Json out = Json::array();
  for (const PairLoss& pair : pairs) out.push_back(to_json(pair));
  return out;
}
std::vector<PairLoss> read_pairs(const Json& json, std::size_t words) {
  std::vector<PairLoss> pairs;
  for (const Json& pair : json) pairs.push_back(read_pair(pair, words));
  return pairs;
}

// A line of JSON, the arrays, and the checksum of all that.
void write_file(const fs::path& path, const Json& header,
                std::initializer_list<std::span<const double>> arrays) {
  std::string bytes = header.dump() + "\n";
  for (const auto array : arrays) {
    bytes.append(reinterpret_cast<const char*>(array.data()), array.size_bytes());
  }
  const std::uint64_t checksum = XXH3_64bits(bytes.data(), bytes.size());
  bytes.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
  make_private_folder(path.parent_path());
  OutputFile file(path, Overwrite::replace);
  file.write(bytes);
  file.commit();
}

struct Contents {
  Json header;
  std::vector<double> values;
};

// Empty if it is not there, damaged, or in a folder that is not ours alone.
std::optional<Contents> read_file(const fs::path& path) {
  std::error_code error;
  if (path.empty() || !is_ours_alone(path.parent_path()) || !fs::is_regular_file(path, error)) {
    return std::nullopt;
  }
  const FileBytes bytes = FileBytes::map(path);
  const std::string_view text(reinterpret_cast<const char*>(bytes.view().data()), bytes.view().size());
  std::uint64_t checksum = 0;
  if (text.size() < sizeof checksum) return std::nullopt;
  const std::string_view body = text.substr(0, text.size() - sizeof checksum);
  std::memcpy(&checksum, text.data() + body.size(), sizeof checksum);
  const std::size_t line = body.find('\n');
  if (checksum != XXH3_64bits(body.data(), body.size()) || line == std::string_view::npos)
    return std::nullopt;
  const std::string_view rest = body.substr(line + 1);
  if (rest.size() % sizeof(double) != 0) return std::nullopt;
  Contents contents{.header = Json::parse(body.substr(0, line)), .values = {}};
  contents.values.resize(rest.size() / sizeof(double));
  if (!rest.empty()) std::memcpy(contents.values.data(), rest.data(), rest.size());
  return contents;
}

bool has_key(const Json& header, const Json& key) {
  return std::all_of(key.items().begin(), key.items().end(), [&](const auto& item) {
    const auto found = header.find(item.key());
    return found != header.end() && *found == item.value();
  });
}

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

struct Read {
  CalibratedLaw law;
  std::vector<double> log_partitions;  // by word
};

// Throws what Json throws, or Error(bad_data).
std::optional<Read> parse(const Contents& contents, const Space& space, const LawRequest& request) {
  const Json& header = contents.header;
  const std::size_t words = space.size();
  Read read;
  ExponentialLaw& law = read.law.law;
  law.slope = parse_number("slope", header.at("slope").get<std::string>(), Infinity::refused);
  law.gamma = request.gamma;
  const bool weighted = kCalibrations[static_cast<std::size_t>(request.calibration)].has_weights;
  if (contents.values.size() != words * (weighted ? 2 : 1) || !all_finite(contents.values))
    return std::nullopt;
  const auto middle = contents.values.begin() + static_cast<std::ptrdiff_t>(words);
  read.log_partitions.assign(contents.values.begin(), middle);
  law.base_weights.assign(middle, contents.values.end());
  if (!std::all_of(law.base_weights.begin(), law.base_weights.end(), [](double c) { return c > 0; })) {
    return std::nullopt;
  }
  Certificate& certificate = read.law.certified.certificate;
  certificate.worst_pairs = read_pairs(header.at("worst_pairs"), words);
  certificate.bands = read_pairs(header.at("bands"), words);
  certificate.realised_epsilon = header.at("realised_epsilon").get<double>();
  certificate.additive_loss = header.at("additive_loss").get<double>();
  certificate.largest_loss = header.at("largest_loss").get<double>();
  certificate.smallest_distance = header.at("smallest_distance").get<double>();
  certificate.largest_distance = header.at("largest_distance").get<double>();
  certificate.median_nearest = header.at("median_nearest").get<double>();
  certificate.mean_unchanged = header.at("mean_unchanged").get<double>();
  if (!certificate.worst_pairs.empty()) {
    certificate.worst_first = certificate.worst_pairs.front().first;
    certificate.worst_second = certificate.worst_pairs.front().second;
  }
  const double unchanged = *certificate.mean_unchanged;
  const bool possible = unchanged >= 0 && unchanged <= 1 && certificate.smallest_distance >= 0 &&
                        certificate.largest_distance >= 0 && certificate.median_nearest >= 0;
  if (!possible) return std::nullopt;
  const bool slope_fits = is_searched(request.calibration)
                              ? law.slope > 0 && certificate.realised_epsilon <= request.epsilon
                              : law.slope == request.epsilon / 2;
  return slope_fits ? std::optional(std::move(read)) : std::nullopt;
}

bool is_near(double one, double other) {
  return std::abs(one - other) <= 1e-9 * std::max(1.0, std::abs(one));
}

// The normalisers and the losses of some rows, from nothing but the model and the law.
class Check {
 public:
  Check(const std::shared_ptr<const Space>& space, const Read& read)
      : pairs_(space),
        certificate_(read.law.certified.certificate),
        law_(read.law.law),
        gamma_(usable_gamma(law_.gamma, law_.slope)),
        weights_(row_weights(pairs_, law_)),
        logs_(pairs_.rows()),
        log_error_(stored_log_error(pairs_, law_)),
        question_(loss_question(*space, law_, {})) {
    for (std::size_t w = 0; w < space->size(); ++w) {
      const double log = read.log_partitions[w];
      const std::size_t row = pairs_.row(word_id(w));
      if (pairs_.word(row) == word_id(w)) logs_[row] = log;
      rows_agree_ = rows_agree_ && log == logs_[row];
    }
  }

  [[nodiscard]] bool holds(const Work& work) const {
    if (!rows_agree_) return false;
    const std::size_t rows = pairs_.rows();
    if (rows == 1) return is_zero();
    if (certificate_.additive_loss != question_.allowance) return false;
    const auto& worst = certificate_.worst_pairs;
    std::vector<std::size_t> chosen;  // the worst pair first, whose ln Z must be exact
    if (!worst.empty()) chosen = {pairs_.row(worst.front().first), pairs_.row(worst.front().second)};
    Rng rng = Rng::fresh();  // a forger cannot know which rows
    for (std::size_t i = 0; i < std::min(kCheckedRows, rows); ++i) {
      chosen.push_back(rows <= kCheckedRows ? i : uniform_below(rng, rows));
    }
    const std::size_t exact = worst.empty() ? 0 : 2;
    std::atomic<bool> all = true;
    pairs_.visit_rows(chosen, work, [&](std::size_t i, std::span<const double> distances) {
      if (!row_holds(chosen[i], distances, i < exact ? 0.0 : log_error_)) all = false;
    });
    return all && (worst.empty() || worst_pair_holds(worst.front()));
  }

 private:
  // `log_error`: how far the stored ln Z may be from the one recomputed here.
  [[nodiscard]] bool row_holds(std::size_t row, std::span<const double> distances, double log_error) const {
    thread_local std::vector<double> scratch;
    scratch.resize(distances.size());
    const double log = std::log(exponential_weights(
        {.distances = distances, .base = weights_, .slope = law_.slope, .gamma = gamma_}, scratch));
    if (!is_near(log, logs_[row]) && !(std::abs(log - logs_[row]) <= log_error)) return false;
    for (std::size_t y = 0; y < distances.size(); ++y) {
      if (y == row) continue;
      // Without margins: the stored figures must be bounds also of what is recomputed here.
      const double loss = law_.slope * std::min(distances[y], gamma_) + std::abs(log - logs_[y]);
      const double bound = certificate_.realised_epsilon * distances[y] + certificate_.additive_loss;
      if (loss > certificate_.largest_loss || loss > bound) return false;
    }
    return true;
  }
  [[nodiscard]] bool is_zero() const {
    return certificate_.worst_pairs.empty() && certificate_.realised_epsilon == 0 &&
           certificate_.additive_loss == 0 && certificate_.largest_loss == 0;
  }
  // Its rows are among those checked above.
  [[nodiscard]] bool worst_pair_holds(const PairLoss& worst) const {
    const double d = pairs_.space().distance(worst.first, worst.second);
    if (d != worst.distance || worst.epsilon > certificate_.realised_epsilon) return false;
    const double gap = logs_[pairs_.row(worst.first)] - logs_[pairs_.row(worst.second)];
    const double loss = question_.loss(d, gap);
    const std::optional<double> epsilon = question_.epsilon(d, loss);
    return epsilon && is_near(loss, worst.loss) && is_near(*epsilon, worst.epsilon);
  }

  AllPairs pairs_;
  const Certificate& certificate_;
  const ExponentialLaw& law_;
  double gamma_;
  std::vector<double> weights_;
  std::vector<double> logs_;  // as stored, by row
  double log_error_;
  AllPairs::LossQuestion question_;
  bool rows_agree_ = true;
};

}  // namespace

CertificateStore::CertificateStore(std::shared_ptr<const Space> space, const LawRequest& request)
    : space_(std::move(space)), request_(request) {
  const fs::path folder = space_->model().derived_folder();
  if (folder.empty()) return;
  file_ = folder / fmt::format("tem-{}-{}-epsilon-{}-gamma-{}.certificate", metric_name(space_->metric()),
                               calibration_name(request_.calibration), number_text(request_.epsilon),
                               number_text(request_.gamma));
}

std::optional<CalibratedLaw> CertificateStore::load(const Work& work) const {
  try {
    const std::optional<Contents> contents = read_file(file_);
    if (!contents || !has_key(contents->header, key_of(*space_, request_))) return std::nullopt;
    std::optional<Read> read = parse(*contents, *space_, request_);
    if (!read || !Check(space_, *read).holds(work)) return std::nullopt;
    return std::move(read->law);
  } catch (const Error&) {  // cannot be read: a cache that is not there
  } catch (const Json::exception&) {
  }
  return std::nullopt;
}

std::optional<StatedCertificate> CertificateStore::stated() const {
  constexpr std::size_t kLongest = 100'000;
  std::error_code error;
  if (file_.empty() || !is_ours_alone(file_.parent_path()) || !fs::is_regular_file(file_, error)) {
    return std::nullopt;
  }
  std::ifstream file(file_, std::ios::binary);
  std::string line(kLongest, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(file.gcount()));
  const std::size_t end = line.find('\n');
  if (end == std::string::npos) return StatedCertificate{};
  try {
    const Json header = Json::parse(line.substr(0, end));
    if (header.at("schema") != kCertificateSchema) return StatedCertificate{};
    return StatedCertificate{.realised_epsilon = header.at("realised_epsilon").get<double>(),
                             .largest_loss = header.at("largest_loss").get<double>()};
  } catch (const Json::exception&) {
    return StatedCertificate{};
  }
}

void CertificateStore::forget() const {
  std::error_code ignored;
  if (!file_.empty() && is_ours_alone(file_.parent_path())) fs::remove(file_, ignored);
}

void CertificateStore::save(const AllPairs& pairs, const CalibratedLaw& law) const {
  if (file_.empty()) return;
  const Certificate& certificate = law.certified.certificate;
  Json header = key_of(*space_, request_);
  header["slope"] = number_text(law.law.slope);
  header["realised_epsilon"] = certificate.realised_epsilon;
  header["additive_loss"] = certificate.additive_loss;
  header["largest_loss"] = certificate.largest_loss;
  header["smallest_distance"] = certificate.smallest_distance;
  header["largest_distance"] = certificate.largest_distance;
  header["median_nearest"] = certificate.median_nearest;
  header["mean_unchanged"] = certificate.mean_unchanged.value_or(0);
  header["worst_pairs"] = to_json(certificate.worst_pairs);
  header["bands"] = to_json(certificate.bands);
  std::vector<double> logs(space_->size());
  for (std::size_t w = 0; w < logs.size(); ++w) {
    logs[w] = law.certified.log_partitions[pairs.row(word_id(w))];
  }
  try {
    write_file(file_, header, {logs, law.law.base_weights});
  } catch (const Error&) {  // a full disk: the next run computes it again
  }
}

namespace {

fs::path state_file(const fs::path& file) {
  fs::path state = file;
  return state += ".partial";
}

}  // namespace

CalibrationState CertificateStore::load_state() const {
  CalibrationState state;
  if (file_.empty()) return state;
  try {
    std::optional<Contents> contents = read_file(state_file(file_));
    if (!contents || !has_key(contents->header, key_of(*space_, request_))) return state;
    const double slope = contents->header.at("slope").get<double>();
    state.witnesses = read_pairs(contents->header.at("witnesses"), space_->size());
    const bool usable = slope > 0 && slope <= 1e6 * request_.epsilon && all_finite(contents->values) &&
                        std::all_of(contents->values.begin(), contents->values.end(),
                                    [](double weight) { return weight > 0; });
    if (!usable) return {};
    state.slope = slope;
    state.weights = std::move(contents->values);
  } catch (const Error&) {
    return {};
  } catch (const Json::exception&) {
    return {};
  }
  return state;
}

void CertificateStore::save_state(const CalibrationState& state) const {
  if (file_.empty()) return;
  Json header = key_of(*space_, request_);
  header["slope"] = state.slope;
  header["witnesses"] = to_json(state.witnesses);
  try {
    write_file(state_file(file_), header, {state.weights});
  } catch (const Error&) {  // it cannot be resumed, then
  }
}

void CertificateStore::forget_state() const {
  std::error_code ignored;
  if (!file_.empty()) fs::remove(state_file(file_), ignored);
}

}  // namespace sotto
