#include "lab/run.h"

#include <fmt/format.h>
#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/descriptor.h"
#include "core/output_file.h"
#include "core/parallel.h"
#include "core/sha256.h"
#include "lab/subset.h"
#include "sotto/error.h"
#include "sotto_commit.h"

namespace sotto::lab {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr char kRecord[] = "run.json";

fs::path made_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw Error(ErrorCode::input_output,
                fmt::format("cannot make the folder {}: {}", shown(folder.string()), error.message()));
  }
  return folder;
}

void write_file(const fs::path& path, std::string_view text) {
  OutputFile out(path, Overwrite::replace);
  out.write(text);
  out.commit();
}

std::shared_ptr<const Model> domain_of(const RunRequest& request) {
  std::shared_ptr<const Model> model = Model::open(request.model, request.cache);
  if (request.words == 0 || request.words >= model->size()) return model;
  std::vector<WordId> words;
  for (std::size_t i = 0; i < request.words; ++i) words.push_back(word_id(i));
  return subset_of(*model, words, fmt::format(", its {} most frequent words", request.words),
                   {.path = made_folder(request.output) / "domain.sotto", .cache = request.cache});
}

// What decides the points, besides the data.
Json decisive(const RunRequest& request, std::string_view experiment, const Model& model,
              const Run::Settings& settings) {
  Json record = {{"schema", "sotto.lab/1"},
                 {"experiment", experiment},
                 {"extent", request.extent == Extent::quick ? "quick" : "full"},
                 {"model", model.origin().name},
                 {"model_identity", model.identity()},
                 {"words", model.size()},
                 {"dimension", model.dim()},
                 {"seed", request.seed}};
  for (const auto& [name, value] : settings) record["settings"][name] = value;
  return record;
}

void check_same_run(const fs::path& folder, const Json& record) {
  std::error_code ignored;
  const fs::path path = folder / kRecord;
  if (!fs::exists(path, ignored)) return;
  const Json kept = Json::parse(read_whole(path), nullptr, false);
  for (const auto& [name, value] : record.items()) {
    if (kept.is_object() && kept.contains(name) && kept[name] == value) continue;
    throw Error(ErrorCode::usage,
                fmt::format("{} holds another run ({} differs); choose another --output, or give the same "
                            "options to go on with it",
                            shown(folder.string()), name));
  }
}

}  // namespace

bool RunRequest::has_part(std::string_view part) const {
  return parts.empty() || std::ranges::find(parts, part) != parts.end();
}

Run::Run(RunRequest request, std::string_view experiment, const Settings& settings)
    : request_(std::move(request)), data_(request_.data), model_(domain_of(request_)) {
  Json record = decisive(request_, experiment, *model_, settings);
  check_same_run(made_folder(request_.output), record);
  record["sotto_version"] = SOTTO_VERSION;
  record["commit"] = SOTTO_COMMIT;
  record["libtorch"] = TORCH_VERSION;
  record["compiler"] = __VERSION__;
  record["command"] = request_.command;
  write_file(request_.output / kRecord, record.dump(2) + "\n");
}

unsigned Run::threads() const noexcept {
  return thread_count(request_.threads);
}

Points Run::points(std::string_view name, Points::Layout layout) const {
  return {request_.output / fmt::format("{}.csv", name), std::move(layout)};
}

void Run::save_figure(std::string_view name, const html::Plot& plot) const {
  write_file(request_.output / fmt::format("{}.svg", name), html::svg(plot));
}

void Run::save_text(std::string_view name, std::string_view text) const {
  write_file(request_.output / name, text);
}

std::uint64_t Run::seed_of(std::initializer_list<std::string_view> names) const {
  std::string text = fmt::format("{}", request_.seed);
  for (const std::string_view name : names) text += fmt::format("\n{}", name);
  Sha256 hash;
  hash.add(text.data(), text.size());
  const Sha256Digest digest = hash.digest();
  std::uint64_t seed = 0;
  for (std::size_t i = 0; i < sizeof seed; ++i) seed = seed << 8 | digest[i];
  return seed;
}

void tell(std::string_view line) {
  static const auto started = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  std::fputs(fmt::format("sotto-lab: {:6.0f} s  {}\n", seconds, line).c_str(), stderr);
}

}  // namespace sotto::lab
