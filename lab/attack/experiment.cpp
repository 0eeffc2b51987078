// How often attackers who read whole texts guess words: tem at several epsilons, and four mechanisms at equal
// error of the attacker without context. No paper has these numbers (docs/results/attack.md).
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "api/attack.h"
#include "lab/attack/equal.h"
#include "lab/attack/report.h"
#include "lab/experiments.h"

namespace sotto::lab {

namespace attack {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// One release that is attacked.
struct Target {
  const Corpus* corpus;
  std::size_t documents;
  const Rival* rival;
  std::string level;  // or kChosen
  std::string epsilon;
};

std::vector<std::string> keys_of(const Target& target, std::string_view attacker) {
  return {target.corpus->name, target.rival->mechanism, target.level, target.epsilon, std::string(attacker)};
}

std::vector<double> three(const std::optional<MeasuredError>& share) {
  if (!share) return {kNone, kNone, kNone};
  return {share->value, share->low, share->high};
}

Points::Row row_of(const Target& target, const api::AttackAnswer& answer, const api::AttackerAnswer& own) {
  const AttackScore& score = own.score;
  Points::Row row{.keys = keys_of(target, own.attacker->name),
                  .values = {static_cast<double>(answer.documents), static_cast<double>(answer.tokens),
                             static_cast<double>(answer.unknown_tokens),
                             score.error_replaced ? static_cast<double>(score.error_replaced->tokens) : 0}};
  for (const auto& share : {score.error, score.error_content, score.error_replaced}) {
    const std::vector<double> values = three(share);
    row.values.insert(row.values.end(), values.begin(), values.end());
  }
  row.values.push_back(score.error_unknown ? score.error_unknown->value : kNone);
  row.values.push_back(score.log_loss.value_or(kNone));
  row.values.push_back(own.equivalent_epsilon.value_or(kNone));
  row.values.push_back(static_cast<double>(answer.channel_draws));
  return row;
}

// The last attacker of the list is added last, so its row says that the target is finished.
void attack_target(const Run& run, const Target& target, Points& attacks) {
  if (attacks.find(keys_of(target, "combined"))) return;
  ParameterTexts texts = target.rival->parameters;
  texts["epsilon"] = target.epsilon;
  api::AttackRequest request{.model = run.model(),
                             .setting = parse_setting(target.rival->mechanism, texts),
                             .sample = target.corpus->sample,
                             .prior = target.corpus->lm_path.string()};
  request.sample.resize(std::min(request.sample.size(), target.documents));
  request.seed_not_private =
      run.seed_of({"attack", target.corpus->name, target.rival->mechanism, target.level, target.epsilon});
  const api::AttackAnswer answer = api::attack(request, {.threads = run.threads()});
  for (const api::AttackerAnswer& own : answer.attackers) {
    const Points::Row row = row_of(target, answer, own);
    if (!attacks.find(row.keys)) attacks.add(row);
  }
  tell(fmt::format("{}, {} at epsilon {}: {} tokens, {} errs in {:.3f}", target.corpus->name,
                   target.rival->mechanism, target.epsilon, answer.tokens, answer.best().attacker->name,
                   answer.best().score.error->value));
}

}  // namespace

void run_experiment(const RunRequest& request, const Settings& settings) {
  const Run run(request, "attack", record_of(settings));
  Points attacks = run.points("attacks", attacks_layout());
  Points levels = run.points("levels", levels_layout());
  const Corpus from_reviews = reviews(run, settings);
  if (request.has_part(kEpsilons)) {
    for (const double epsilon : settings.epsilons) {
      attack_target(run,
                    {.corpus = &from_reviews,
                     .documents = settings.reviews,
                     .rival = &settings.rivals.front(),
                     .level = kChosen,
                     .epsilon = number_text(epsilon)},
                    attacks);
      report(run, settings, attacks, levels);
    }
  }
  if (!request.has_part(kEqual)) return;
  const Corpus from_tweets = tweets(run, settings);
  for (const Corpus* corpus : {&from_tweets, &from_reviews}) {
    find_epsilons(run, settings, *corpus, levels);
    for (const double level : settings.levels) {
      for (const Rival& rival : settings.rivals) {
        const auto found = levels.find(std::vector{corpus->name, rival.mechanism, number_text(level)});
        if (!found || found->values[levels.value("reached")] == 0) continue;
        attack_target(run,
                      {.corpus = corpus,
                       .documents = corpus == &from_tweets ? settings.tweets : settings.equal_reviews,
                       .rival = &rival,
                       .level = number_text(level),
                       .epsilon = number_text(found->values[levels.value("epsilon")])},
                      attacks);
      }
    }
    report(run, settings, attacks, levels);
  }
}

}  // namespace attack

void run_attack(const RunRequest& request) {
  attack::run_experiment(request, attack::settings_of(request));
}

}  // namespace sotto::lab
