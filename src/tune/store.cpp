#include "tune/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/output_file.h"
#include "core/sha256.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kSchema[] = "sotto.tune-points/2";
constexpr std::array kKinds = {QuantityKind::exact, QuantityKind::sampled, QuantityKind::bracket,
                               QuantityKind::unavailable};
constexpr std::array<std::string_view, 3> kCertifiedBy = {"", "certificate", "theorem"};
constexpr std::array kStatuses = {Status::proven, Status::refuted, Status::not_private};

std::string question_of(const TuneBench& bench) {
  const TuneQuestion& question = bench.question();
  Sha256 hash;
  const auto add = [&](const std::string& text) { hash.add(text.data(), text.size()); };
  add(fmt::format("{}\n{}\n{}\n{}\n{}\n", kSchema, bench.model()->identity(), loss_name(question.loss),
                  question.draws, question.seed));
  if (question.task) add(question.task->identity + "\n");
  hash.add(question.prior.weights.data(), question.prior.weights.size() * sizeof(double));
  if (question.labels) {
    for (const std::string& name : question.labels->names) add(name + "\n");
    hash.add(question.labels->of.data(), question.labels->of.size() * sizeof(std::int32_t));
  }
  return hex_text(hash.digest());
}

// JSON has no infinity.
Json number_json(double value) {
  return std::isfinite(value) ? Json(value) : Json(number_text(value));
}
double json_number(const Json& value) {
  return value.is_string() ? parse_number("a number", value.get<std::string>(), Infinity::allowed)
                           : value.get<double>();
}
Json bounds_json(const Bounds& bounds) {
  return Json::array({bounds.low, bounds.high});
}
// A value out of range. The caller says which file it is; nothing of the file is quoted.
void require(bool condition) {
  if (!condition) throw Error(ErrorCode::bad_data, "");
}
Bounds json_bounds(const Json& value) {
  const Bounds bounds{.low = value.at(0).get<double>(), .high = value.at(1).get<double>()};
  require(bounds.low <= bounds.high);
  return bounds;
}
// The member of `known` with that name.
template <typename T, std::size_t N>
T json_choice(const Json& value, const std::array<T, N>& known, std::string_view (*name_of)(T)) {
  const auto found = std::ranges::find(known, value.get<std::string>(), name_of);
  require(found != known.end());
  return *found;
}

Json point_json(const TunePoint& point) {
  Json out = {{"mechanism", point.candidate.mechanism},
              {"parameters", point.candidate.parameters},
              {"status", status_name(point.status)},
              {"nominal", number_json(point.nominal_epsilon)},
              {"certified_by", point.certified_by},
              {"metric", point.metric},
              {"draws", point.draws},
              {"stopped_early", point.stopped_early}};
  if (point.certified_epsilon) out["certified"] = number_json(*point.certified_epsilon);
  out["figures"] = Json::array();
  for (const Quantity& quantity : point.quantities) {
    Json row = {{"name", quantity.name},
                {"kind", quantity_kind_name(quantity.kind)},
                {"interval", bounds_json(quantity.interval)},
                {"meaning", quantity.meaning}};
    if (quantity.value) row["value"] = *quantity.value;
    if (quantity.bracket) row["bracket"] = bounds_json(*quantity.bracket);
    out["figures"].push_back(std::move(row));
  }
  return out;
}

TunePoint json_point(const Json& value) {
  TunePoint point{.candidate = {.mechanism = value.at("mechanism").get<std::string>()}};
  for (const auto& [name, text] : value.at("parameters").items()) {
    point.candidate.parameters[name] = text.get<std::string>();
  }
  require(find_mechanism(point.candidate.mechanism).build != nullptr);
  (void)parse_setting(point.candidate.mechanism, point.candidate.parameters);
  point.status = json_choice(value.at("status"), kStatuses, status_name);
  point.nominal_epsilon = json_number(value.at("nominal"));
  require(point.nominal_epsilon >= 0);
  if (value.contains("certified")) {
    point.certified_epsilon = json_number(value.at("certified"));
    require(*point.certified_epsilon >= 0);
  }
  point.certified_by = value.at("certified_by").get<std::string>();
  require(std::ranges::find(kCertifiedBy, point.certified_by) != kCertifiedBy.end());
  point.metric = value.at("metric").get<std::string>();
  (void)parse_metric(point.metric);
  require(value.at("draws").is_number_unsigned());
  point.draws = value.at("draws").get<std::size_t>();
  point.stopped_early = value.at("stopped_early").get<bool>();
  for (const Json& row : value.at("figures")) {
    Quantity quantity{.name = row.at("name").get<std::string>(),
                      .interval = json_bounds(row.at("interval")),
                      .meaning = row.at("meaning").get<std::string>()};
    quantity.kind = json_choice(row.at("kind"), kKinds, quantity_kind_name);
    if (row.contains("value")) quantity.value = row.at("value").get<double>();
    if (row.contains("bracket")) quantity.bracket = json_bounds(row.at("bracket"));
    point.quantities.push_back(std::move(quantity));
  }
  return point;
}

// The file is believed, so nobody else may have written it.
void check_owner(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return;  // opening it tells why
  if (status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0) return;
  throw Error(
      ErrorCode::usage,
      fmt::format("others may write to {}, and its figures would be shown as measured: run `chmod 600` "
                  "on it if you trust it, or name another file",
                  path.string()));
}

std::string read_all(const std::filesystem::path& path) {
  const auto source = open_source(path);
  std::string text;
  std::array<char, 65536> buffer{};
  while (const std::size_t got = source->read(buffer.data(), buffer.size())) text.append(buffer.data(), got);
  return text;
}

}  // namespace

TuneStore::TuneStore(std::filesystem::path path, const TuneBench& bench)
    : path_(std::move(path)), question_(question_of(bench)) {
  std::error_code ignored;
  const bool exists = std::filesystem::exists(path_, ignored);
  if (exists) check_owner(path_);
  const std::string text = exists ? read_all(path_) : std::string();
  if (text.empty()) {
    // OutputFile keeps the mode of what it replaces.
    const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0) {
      throw Error(ErrorCode::input_output,
                  fmt::format("cannot write the file of `resume` ({})", path_.string()));
    }
    ::close(file);
    write();
    return;
  }
  std::string question;
  try {
    const Json stored = Json::parse(text);
    if (stored.at("schema").get<std::string>() != kSchema) throw Error(ErrorCode::bad_data, "");
    question = stored.at("question").get<std::string>();
    for (const Json& point : stored.at("points")) points_.push_back(json_point(point));
  } catch (const std::exception&) {  // no what(): it may quote the file
    throw Error(ErrorCode::bad_data,
                fmt::format("{} is not a file that `sotto tune --resume` wrote: name another, or remove it",
                            path_.string()));
  }
  if (question != question_) {
    throw Error(
        ErrorCode::usage,
        fmt::format("{} holds the points of another question (model, prior, words, labels, loss, draws "
                    "or seed differ): name another file, or repeat that question",
                    path_.string()));
  }
}

const TunePoint* TuneStore::find(const Candidate& candidate) const {
  const auto found = std::ranges::find(points_, candidate, &TunePoint::candidate);
  return found == points_.end() ? nullptr : &*found;
}

void TuneStore::keep(const TunePoint& point) {
  std::erase_if(points_, [&](const TunePoint& own) { return own.candidate == point.candidate; });
  points_.push_back(point);
  write();
}

void TuneStore::write() const {
  Json out = {{"schema", kSchema}, {"question", question_}, {"points", Json::array()}};
  for (const TunePoint& point : points_) out["points"].push_back(point_json(point));
  OutputFile file(path_, Overwrite::replace);
  file.write(out.dump(1));
  file.commit();
}

}  // namespace sotto
