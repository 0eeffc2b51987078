#include "lab/learn/attackers.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/attack.h"
#include "api/language.h"
#include "lab/data_files.h"
#include "lab/points.h"

namespace sotto::lab::learning {

namespace {

std::vector<std::string> attacker_keys(const Place& place, std::string_view attacker) {
  return {place.task, place.series, place.epsilon(), std::string(attacker)};
}

// The language model of the public reviews; each model has its own.
std::filesystem::path language_model(const Run& run, const Place& place,
                                     const std::shared_ptr<const Model>& model) {
  const std::string bytes = run.data().read(data_files::kUnlabelledReviews);
  std::vector<std::string> texts;
  for (const std::string_view line : lines_of(bytes)) {
    if (!line.empty() && texts.size() < place.public_texts) texts.emplace_back(line);
  }
  const api::LanguageAnswer made = api::train_language_model(
      {.model = model, .text = std::move(texts), .strip_html = true}, {.threads = run.threads()});
  std::filesystem::path path = run.request().output / "public-reviews.lm";
  made.file->save(path, Overwrite::replace);
  return path;
}

void append(std::vector<double>& values, const std::optional<MeasuredError>& error) {
  const MeasuredError none{.value = kNone, .low = kNone, .high = kNone};
  const MeasuredError& one = error ? *error : none;
  values.insert(values.end(), {one.value, one.low, one.high});
}

}  // namespace

// The last attacker of the list is added last, so its row says that the place is finished.
bool is_attacked(const Place& place, const Points& attackers) {
  return attackers.find(attacker_keys(place, "combined")).has_value();
}

void attack_place(const Run& run, const Task& task, const Place& place,
                  const std::shared_ptr<const Model>& model, Points& attackers) {
  if (is_attacked(place, attackers)) return;
  api::AttackRequest request{.model = model,
                             .setting = parse_setting(place.mechanism, place.parameters),
                             .sample = task.attacked,
                             .prior = language_model(run, place, model).string(),
                             .strip_html = true};
  request.seed_not_private = run.seed_of({"attack", place.task, place.series, place.epsilon()});
  const api::AttackAnswer answer = api::attack(request, {.threads = run.threads()});
  for (const api::AttackerAnswer& own : answer.attackers) {
    Points::Row row{.keys = attacker_keys(place, own.attacker->name),
                    .values = {static_cast<double>(answer.documents), static_cast<double>(answer.tokens),
                               static_cast<double>(answer.unknown_tokens)}};
    for (const auto& error : {own.score.error, own.score.error_content, own.score.error_replaced}) {
      append(row.values, error);
    }
    if (!attackers.find(row.keys)) attackers.add(std::move(row));
  }
  tell(fmt::format("{} {} {}: {} tokens attacked, {} errs in {:.3f}", place.task, place.series,
                   place.epsilon(), answer.tokens, answer.best().attacker->name,
                   answer.best().score.error->value));
}

}  // namespace sotto::lab::learning
