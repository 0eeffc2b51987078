#include "cli/model/summary.h"

#include <fmt/format.h>

#include "shared/console.h"

namespace sotto::cli {

Json model_summary(std::string_view schema, const Model& model) {
  const ModelOrigin& origin = model.origin();
  Json out = start_answer(schema);
  out["name"] = origin.name;
  out["words"] = model.size();
  out["dimension"] = model.dim();
  out["identity"] = model.identity();
  out["source"] = origin.source;
  out["licence"] = origin.licence.empty() ? Json(nullptr) : Json(origin.licence);
  out["rows_read"] = origin.rows_read;
  out["dropped"] = {{"not_a_word", origin.dropped_not_a_word},
                    {"collision", origin.dropped_collision},
                    {"bad_vector", origin.dropped_bad_vector},
                    {"by_request", origin.dropped_by_request}};
  return out;
}

std::string dropped_text(const ModelOrigin& origin) {
  return fmt::format("{} not a word, {} folded to a word already there, {} with a bad vector, {} by request",
                     grouped(origin.dropped_not_a_word), grouped(origin.dropped_collision),
                     grouped(origin.dropped_bad_vector), grouped(origin.dropped_by_request));
}

}  // namespace sotto::cli
