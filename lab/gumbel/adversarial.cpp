#include "lab/gumbel/adversarial.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <optional>

#include "core/binomial.h"
#include "core/output_file.h"
#include "core/parallel.h"
#include "lab/gumbel/laplace_draws.h"
#include "lab/gumbel/membership.h"
#include "lab/gumbel/thread_time.h"
#include "lab/gumbel/victims.h"
#include "lab/gumbel/vocabulary.h"
#include "sotto/certificate.h"

namespace sotto::lab::gumbel {

namespace {

namespace fs = std::filesystem;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kTokenBlock = std::size_t{1} << 16;

double number(const std::string& text) {
  return parse_number("epsilon", text, Infinity::refused);
}

// Where a curve of figure 1 has this N_w, along a straight line in ln(strength).
std::optional<double> strength_with(const Curve& curve, const Domain& domain, const Points& deniability,
                                    double unchanged) {
  std::optional<std::pair<double, double>> before;  // ln(strength), N_w
  for (const double strength : curve.strengths) {
    const auto row =
        deniability.find(std::vector<std::string>{domain.name, curve.mechanism, number_text(strength)});
    if (!row || strength <= 0) continue;
    const std::pair<double, double> here = {std::log(strength), row->values[deniability.value("n_w")]};
    if (before && before->second <= unchanged && unchanged <= here.second && here.second > before->second) {
      const double share = (unchanged - before->second) / (here.second - before->second);
      return std::exp(std::lerp(before->first, here.first, share));
    }
    before = here;
  }
  return std::nullopt;
}

// A model to train, with the noises that attack it.
struct ModelPlan {
  std::string training;         // "normal", "certified" or "augmented"
  std::optional<Noise> copies;  // of augmented training
  std::vector<Noise> attackers;
  [[nodiscard]] std::string mechanism() const { return copies ? copies->mechanism : "none"; }
  [[nodiscard]] std::string strength() const { return copies ? copies->strength : "none"; }
};

std::vector<ModelPlan> plans_of(const std::vector<Noise>& noises) {
  std::vector<ModelPlan> plans = {{.training = "normal", .copies = {}, .attackers = noises},
                                  {.training = "certified", .copies = {}, .attackers = noises}};
  for (const Noise& noise : noises) {
    if (!noise.trained) continue;
    plans.push_back({.training = "augmented", .copies = noise, .attackers = {noise}});
  }
  return plans;
}

// The keys of a row of attacks.csv: those of the model, the attacker, and the draws of a mutation.
std::vector<std::string> attack_keys(std::vector<std::string> model, const Noise& noise, std::size_t draws) {
  model.insert(model.end(), {noise.mechanism, noise.strength, fmt::format("{}", draws)});
  return model;
}

// The shares of a table with their 95% intervals.
void add_share(std::vector<double>& values, double share, std::size_t count) {
  const auto draws = static_cast<double>(count);
  const ProbabilityInterval interval = wilson_interval({.hits = std::round(share * draws), .draws = draws});
  values.insert(values.end(), {share, interval.low, interval.high});
}

// One data set with everything that its models share.
class Bench {
 public:
  Bench(const Run& run, const Settings& settings, const TaskSizes& sizes, const Domain& domain)
      : run_(run), settings_(settings), sizes_(sizes), domain_(domain) {
    const Model& vocabulary = domain.space->model();
    const DataSet data = tokenised(sizes.data == "imdb" ? read_imdb(run.data()) : read_snli(run.data()),
                                   domain.space->shared_model(), run.threads());
    training_ = examples_of(data.train, {.most = sizes.training, .length = sizes.length});
    development_ = examples_of(data.dev, {.most = sizes.development, .length = sizes.length});
    test_ = examples_of(data.test, {.most = sizes.test, .length = sizes.length});
    attacked_ = examples_of(data.test, {.most = sizes.attacked, .length = sizes.length});
    allowed_ = read_allowed_words(run.data(), vocabulary);
    classes_ = static_cast<std::int64_t>(data.classes);
    const auto rows = static_cast<std::int64_t>(vocabulary.size());
    const auto columns = static_cast<std::int64_t>(vocabulary.dim());
    vectors_ = at::empty({rows, columns});
    for (std::size_t i = 0; i < vocabulary.size(); ++i) {
      std::ranges::copy(vocabulary.vector(word_id(i)), vectors_.data_ptr<float>() + i * vocabulary.dim());
    }
  }

  void measure(const ModelPlan& plan, AdversarialTables tables) const {
    std::unique_ptr<TextModel> model;
    const std::vector<std::string> keys = {sizes_.data, plan.training, plan.mechanism(), plan.strength()};
    if (!tables.models.find(keys)) model = train_row(plan, keys, tables.models);
    for (const Noise& noise : plan.attackers) {
      for (const std::size_t draws : settings_.draws) {
        std::vector<std::string> row = attack_keys(keys, noise, draws);
        if (tables.attacks.find(row)) continue;
        if (!model) model = kept_model(plan, keys);
        attack_row(*model, noise, {.draws = draws}, std::move(row), tables.attacks);
      }
    }
  }

 private:
  [[nodiscard]] std::uint64_t seed_of(const char* use, const std::vector<std::string>& keys) const {
    std::string joined;
    for (const std::string& key : keys) joined += key + "/";
    return run_.seed_of({use, joined});
  }
  [[nodiscard]] std::unique_ptr<TextModel> new_model(std::uint64_t seed) const {
    const ModelShape shape{.hidden = sizes_.hidden, .classes = classes_};
    const at::Generator generator = at::detail::createCPUGenerator(seed);
    return test_.premises.empty() ? new_cnn(vectors_, shape, generator)
                                  : new_bag_of_words(vectors_, shape, generator);
  }
  // One for all models, so that what a mechanism prepares at a word's first draw is prepared once.
  [[nodiscard]] std::shared_ptr<const WordMechanism> mechanism_of(const Noise& noise) const {
    const std::scoped_lock lock(guard_);
    std::shared_ptr<const WordMechanism>& kept = mechanisms_[noise.mechanism + "/" + noise.epsilon];
    if (kept) return kept;
    if (noise.mechanism == LaplaceDraws::kMechanism &&
        LaplaceDraws::helps(*domain_.space, number(noise.epsilon))) {
      return kept = std::make_shared<LaplaceDraws>(domain_.space, number(noise.epsilon));
    }
    return kept = build_mechanism(noise.mechanism, domain_.space->shared_model(),
                                  {{"epsilon", noise.epsilon}}, {.threads = 1})
                      .mechanism.words;
  }

  struct Trained {
    std::unique_ptr<TextModel> model;
    TrainingReport report;
    double unchanged = kNone;
    double privatising = 0;
    double training = 0;
  };
  [[nodiscard]] Trained trained(const ModelPlan& plan, const std::vector<std::string>& keys) const {
    ThreadTime watch;
    Trained out{.model = new_model(seed_of("weights", keys)), .report = {}};
    TrainingPlan training{.epochs = sizes_.normal_epochs,
                          .batch = sizes_.batch,
                          .dropout = sizes_.dropout,
                          .seed = seed_of("training", keys)};
    const Examples* examples = &training_;
    Augmented augmented;
    if (plan.copies) {
      augmented = with_private_copies(training_, *mechanism_of(*plan.copies), settings_.copies,
                                      seed_of("copies", keys));
      out.unchanged = augmented.unchanged;
      examples = &augmented.examples;
      training.epochs = sizes_.augmented_epochs;
    } else if (plan.training == "certified") {
      training.epochs = sizes_.certified_epochs;
      training.ramp = sizes_.ramp;
    }
    out.privatising = watch.seconds();
    out.report = train(*out.model, *examples, development_, allowed_, training);
    out.training = watch.seconds();
    return out;
  }

  std::unique_ptr<TextModel> train_row(const ModelPlan& plan, const std::vector<std::string>& keys,
                                       Points& table) const {
    Trained result = trained(plan, keys);
    keep(*result.model, keys);
    const double clean = clean_accuracy(*result.model, test_);
    const double certified = certified_accuracy(*result.model, test_, allowed_);
    const MembershipInference membership = membership_inference(*result.model, training_, test_);
    std::vector<double> values = {plan.copies ? number(plan.copies->epsilon) : kNone, result.unchanged,
                                  static_cast<double>(result.report.epochs), result.report.development};
    add_share(values, clean, test_.size());
    add_share(values, certified, test_.size());
    values.insert(values.end(),
                  {membership.area, membership.low, membership.high, result.privatising, result.training});
    tell(fmt::format("{} {} {} {}: clean {:.4f}, certified {:.4f}, membership AUC {:.3f}, {:.0f} s", keys[0],
                     keys[1], keys[2], keys[3], clean, certified, membership.area,
                     result.privatising + result.training));
    table.add({.keys = keys, .values = std::move(values)});
    return std::move(result.model);
  }

  void attack_row(const TextModel& model, const Noise& noise, const AttackPlan& attack,
                  std::vector<std::string> keys, Points& table) const {
    ThreadTime watch;
    const Robustness robust =
        attack_all(model, attacked_, *mechanism_of(noise), attack, seed_of("attack", keys));
    const auto count = static_cast<double>(robust.examples);
    std::vector<double> values = {number(noise.epsilon), count, static_cast<double>(robust.right) / count};
    add_share(values, static_cast<double>(robust.withstood) / count, robust.examples);
    const double seconds = watch.seconds();
    values.insert(values.end(), {robust.generations, seconds});
    tell(fmt::format("{} {} {} {} attacked by {} {}, draws {}: {:.4f} before, {:.4f} after, {:.0f} s",
                     keys[0], keys[1], keys[2], keys[3], keys[4], keys[5], keys[6], values[2], values[3],
                     seconds));
    table.add({.keys = std::move(keys), .values = std::move(values)});
  }

  [[nodiscard]] fs::path weights_path(const std::vector<std::string>& keys) const {
    std::string name = fmt::format("weights-{}.bin", fmt::join(keys, "-"));
    std::ranges::replace(name, ' ', '-');
    return run_.request().output / name;
  }
  void keep(const TextModel& model, const std::vector<std::string>& keys) const {
    OutputFile out(weights_path(keys), Overwrite::replace);
    for (const at::Tensor& parameter : model.parameters()) {
      const at::Tensor values = parameter.detach().contiguous();
      out.write({static_cast<const char*>(values.data_ptr()), values.nbytes()});
    }
    out.commit();
  }
  // The weights of an earlier run, or the model trained again, which gives the same.
  [[nodiscard]] std::unique_ptr<TextModel> kept_model(const ModelPlan& plan,
                                                      const std::vector<std::string>& keys) const {
    std::error_code ignored;
    const fs::path path = weights_path(keys);
    std::unique_ptr<TextModel> model = new_model(0);
    const std::vector<at::Tensor> parameters = model->parameters();
    std::size_t size = 0;
    for (const at::Tensor& parameter : parameters) size += parameter.nbytes();
    const std::string bytes = fs::exists(path, ignored) ? read_whole(path) : std::string();
    if (bytes.size() != size) return trained(plan, keys).model;
    std::vector<at::Tensor> values;
    const char* from = bytes.data();
    for (const at::Tensor& parameter : parameters) {
      values.push_back(at::empty(parameter.sizes()));
      std::memcpy(values.back().data_ptr(), from, parameter.nbytes());
      from += parameter.nbytes();
    }
    model->set_parameters(values);
    return model;
  }

  const Run& run_;
  const Settings& settings_;
  const TaskSizes& sizes_;
  const Domain& domain_;
  Examples training_;
  Examples development_;
  Examples test_;
  Examples attacked_;
  AllowedWords allowed_;
  std::int64_t classes_ = 0;
  at::Tensor vectors_;
  mutable std::mutex guard_;
  mutable std::map<std::string, std::shared_ptr<const WordMechanism>> mechanisms_;
};

bool is_finished(const Settings& settings, const TaskSizes& task, const ModelPlan& plan,
                 const AdversarialTables& tables) {
  const std::vector<std::string> keys = {task.data, plan.training, plan.mechanism(), plan.strength()};
  if (!tables.models.find(keys)) return false;
  return std::ranges::all_of(plan.attackers, [&](const Noise& noise) {
    return std::ranges::all_of(settings.draws, [&](std::size_t draws) {
      return tables.attacks.find(attack_keys(keys, noise, draws)).has_value();
    });
  });
}

}  // namespace

std::vector<Noise> noises_of(const RunRequest& request, const Settings& settings, const TaskSizes& task,
                             const Domain& domain, const Points& deniability) {
  std::vector<Noise> noises;
  const auto add = [&](std::string_view mechanism, double strength, std::string name, bool trained) {
    const Curve& curve = curve_of(settings, mechanism);
    noises.push_back({.mechanism = std::string(mechanism),
                      .strength = std::move(name),
                      .epsilon = epsilon_text(curve, strength, domain),
                      .trained = trained});
  };
  if (request.has_part(kTable2)) {
    for (const double column : settings.table2) {
      add("truncated-gumbel", column, number_text(column), is_one_of(column, task.trained.table2));
    }
  }
  if (request.has_part(kTable3)) {
    for (const double column : settings.table3) {
      add("laplace", column, number_text(column), is_one_of(column, task.trained.table3));
    }
  }
  if (!request.has_part(kBeyond)) return noises;
  for (const double column : settings.beyond) {
    const auto row =
        deniability.find(std::vector<std::string>{domain.name, "truncated-gumbel", number_text(column)});
    for (const auto& [mechanism, is_trained] : kRivals) {
      const std::optional<double> strength =
          row ? strength_with(curve_of(settings, mechanism), domain, deniability,
                              row->values[deniability.value("n_w")])
              : std::nullopt;
      if (strength) {
        add(mechanism, *strength, fmt::format("as {}", number_text(column)),
            is_trained && is_one_of(column, task.trained.beyond));
      } else {
        tell(
            fmt::format("{}: the curve of {} in deniability.csv (--part figures) does not reach the N_w of "
                        "truncated-gumbel at {}",
                        domain.name, mechanism, column));
      }
    }
  }
  return noises;
}

Augmented with_private_copies(const Examples& examples, const WordMechanism& mechanism, std::size_t copies,
                              std::uint64_t seed) {
  Augmented out{.examples = examples};
  std::vector<WordId> in;
  for (const std::vector<WordId>& text : examples.texts) in.insert(in.end(), text.begin(), text.end());
  std::vector<WordId> drawn(in.size());
  const RandomSource source = RandomSource::seeded_not_private(seed);
  std::size_t same = 0;
  std::uint64_t stream = 0;
  for (std::size_t copy = 0; copy < copies; ++copy) {
    for (std::size_t at = 0; at < in.size(); at += kTokenBlock) {
      const std::size_t count = std::min(kTokenBlock, in.size() - at);
      Rng rng = source.stream(stream++);
      mechanism.sample_batch(std::span(in).subspan(at, count), std::span(drawn).subspan(at, count), rng);
    }
    for (std::size_t i = 0; i < in.size(); ++i) same += in[i] == drawn[i] ? 1 : 0;
    auto from = drawn.begin();
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const auto to = from + static_cast<std::ptrdiff_t>(examples.texts[i].size());
      out.examples.texts.emplace_back(from, to);
      out.examples.labels.push_back(examples.labels[i]);
      if (!examples.premises.empty()) out.examples.premises.push_back(examples.premises[i]);
      from = to;
    }
  }
  out.unchanged =
      static_cast<double>(same) / static_cast<double>(std::max<std::size_t>(copies * in.size(), 1));
  return out;
}

Points::Layout models_layout() {
  return {.keys = {"data", "training", "mechanism", "strength"},
          .values = {"epsilon", "unchanged", "epochs", "development", "clean", "clean_low", "clean_high",
                     "certified", "certified_low", "certified_high", "membership_auc", "membership_low",
                     "membership_high", "seconds_privatising", "seconds_training"}};
}

Points::Layout attacks_layout() {
  return {.keys = {"data", "training", "trained_on", "trained_strength", "mechanism", "strength", "draws"},
          .values = {"epsilon", "examples", "clean", "adversarial", "adversarial_low", "adversarial_high",
                     "generations", "seconds"}};
}

void measure_adversarial(const Run& run, const Settings& settings, const std::vector<Domain>& domains,
                         const Points& deniability, AdversarialTables tables) {
  for (const TaskSizes& task : settings.tasks) {
    const auto domain = std::ranges::find(domains, task.data, &Domain::name);
    std::vector<ModelPlan> plans = plans_of(noises_of(run.request(), settings, task, *domain, deniability));
    std::erase_if(plans, [&](const ModelPlan& plan) { return is_finished(settings, task, plan, tables); });
    if (plans.empty()) continue;
    const Bench bench(run, settings, task, *domain);
    parallel_blocks(plans.size(), 1, run.threads(),
                    [&](std::size_t begin, std::size_t /*end*/) { bench.measure(plans[begin], tables); });
  }
}

}  // namespace sotto::lab::gumbel
