#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/npy.h"
#include "learn/lift.h"
#include "sotto/adversary.h"
#include "sotto/answer.h"
#include "sotto/certificate.h"

namespace sotto {
class ByteSink;
}  // namespace sotto

// "What are the expected features of the input word, given the output word?" The first step of every learner
// that reads private text: it replaces the features of a released word by those of the word that was likely
// there before. It is post-processing of a release and costs no privacy.
namespace sotto::api {

struct LiftRequest {
  std::shared_ptr<const Model> model = {};
  Setting setting = {};
  DenseMatrix features = {};  // a row for each word of the model, in its order
  // As in MeasureRequest (rank, uniform, counts:FILE, corpus:FILE, or weights), or "release:FILE": estimated
  // from a release by this mechanism, plain text with one document per line.
  AdversaryRequest adversary = {};
  std::size_t draws = 0;  // where only draws are known; 0: kLiftDraws
  bool by_draws = false;  // use draws only, also where the law is known
  std::optional<std::uint64_t> seed_not_private = {};
};

struct LiftAnswer {
  CertifiedMechanism built;
  PriorSummary prior;
  Lifted lifted;
};

// In the stages "calibrating", "estimating the prior" and "lifting". Throws Error(bad_data) if `features` has
// another number of rows than the model has words, or a value that is not finite.
LiftAnswer lift(const LiftRequest& request, const Work& work);
// The same for a mechanism that is built already; `model` and `setting` of the request are not looked at.
LiftAnswer lift(CertifiedMechanism built, const LiftRequest& request, const Work& work);

// The prior that a request names, "release:FILE" included.
Prior prior_for(const AdversaryRequest& request, const Mechanism& mechanism, const Work& work);

// Without the features.
Json to_json(const LiftAnswer& answer);

// The matrix of an .npy file, and the type of its numbers. Throws Error(bad_data) if its rows are not one for
// each word of the model, before more than the header was read.
struct FeatureFile {
  DenseMatrix features;
  NpyShape::Type type = NpyShape::Type::float64;
};
FeatureFile read_features(const std::filesystem::path& path, const Model& model);
// An .npy file of the same type. The sink is the caller's to finish.
void write_features(const FeatureFile& file, ByteSink& sink);

}  // namespace sotto::api
