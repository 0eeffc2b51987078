#include "api/lift.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "learn/release_prior.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"
#include "text/vector_rows.h"

namespace sotto::api {
namespace {

constexpr std::string_view kRelease = "release:";

void check_rows(std::size_t rows, const Model& model) {
  if (rows == model.size()) return;
  throw Error(ErrorCode::bad_data,
              fmt::format("the features have {} rows and the model has {} words: there must be one row for "
                          "each word, in the order of the model",
                          rows, model.size()));
}

}  // namespace

Prior prior_for(const AdversaryRequest& request, const Mechanism& mechanism, const Work& work) {
  const auto* text = std::get_if<std::string>(&request.prior);
  const std::shared_ptr<const Model> model = mechanism.space->shared_model();
  if (text == nullptr || !text->starts_with(kRelease)) return resolve(request, model).prior;
  const std::string file = text->substr(kRelease.size());
  const Prior outputs = named_prior(model, "corpus:" + file).value();
  Prior prior = release_prior(mechanism, outputs.weights, work.at("estimating the prior"));
  prior.entries = outputs.entries;
  prior.unknown = outputs.unknown;
  return prior;
}

LiftAnswer lift(const LiftRequest& request, const Work& work) {
  check_rows(request.features.rows, *request.model);
  return lift(build_mechanism(request.setting, request.model, work.at("calibrating")), request, work);
}

LiftAnswer lift(CertifiedMechanism built, const LiftRequest& request, const Work& work) {
  refuse_above("draws", request.draws, kMostDraws);
  check_rows(request.features.rows, built.mechanism.space->model());
  if (request.features.columns == 0) {
    throw Error(ErrorCode::bad_data, "the features have no columns: there is nothing to lift");
  }
  check_finite(request.features.values, request.features.columns, {.before = 0, .counted_from = 1});
  const Prior prior = prior_for(request.adversary, built.mechanism, work);
  const LiftQuestion question{
      .draws = request.draws, .by_draws = request.by_draws, .seed_not_private = request.seed_not_private};
  LiftAnswer answer{.built = std::move(built), .prior = summary_of(prior), .lifted = {}};
  answer.lifted =
      lift_features(answer.built.mechanism, prior, request.features, question, work.at("lifting"));
  return answer;
}

Json to_json(const LiftAnswer& answer) {
  const Mechanism& mechanism = answer.built.mechanism;
  Json out = start_answer("sotto.lift/1");
  out["mechanism"] = mechanism.info->name;
  out["parameters"] = mechanism.parameters.texts();
  out["metric"] = metric_name(mechanism.space->metric());
  out["model"] = model_json(mechanism.space->model());
  out["prior"] = to_json(answer.prior);
  out["rows"] = answer.lifted.features.rows;
  out["columns"] = answer.lifted.features.columns;
  out["closed_law"] = answer.lifted.draws == 0;
  out["impossible_outputs"] = answer.lifted.impossible;
  if (answer.lifted.draws > 0) {
    out["draws"] = answer.lifted.draws;
    out["relative_error"] = finite_or_null(answer.lifted.error);
  }
  return out;
}

FeatureFile read_features(const std::filesystem::path& path, const Model& model) {
  const std::unique_ptr<ByteSource> source = open_source(path);
  NpyReader reader(*source, path == "-" ? "the features" : path.filename().string());
  check_rows(reader.shape().rows, model);
  FeatureFile file{.features = DenseMatrix::zeros(reader.shape().rows, reader.shape().cols),
                   .type = reader.shape().type};
  std::size_t done = 0;
  while (done < file.features.rows) {
    const std::size_t count =
        reader.read(std::span(file.features.values).subspan(done * file.features.columns));
    if (count == 0) break;  // read() has refused a file that ends early
    done += count;
  }
  return file;
}

void write_features(const FeatureFile& file, ByteSink& sink) {
  sink.write(npy_header({.rows = file.features.rows, .cols = file.features.columns, .type = file.type}));
  std::string bytes;
  for (std::size_t i = 0; i < file.features.rows; ++i) {
    append_npy_values(file.features.row(i), file.type, bytes);
    if (bytes.size() < (std::size_t{1} << 20) && i + 1 < file.features.rows) continue;
    sink.write(bytes);
    bytes.clear();
  }
}

}  // namespace sotto::api
