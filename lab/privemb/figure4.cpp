#include "lab/privemb/figure4.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/descriptor.h"
#include "core/output_file.h"
#include "core/uniform.h"
#include "lab/data_files.h"
#include "lab/letter_words.h"
#include "lab/privemb/report.h"
#include "sotto/error.h"

namespace sotto::lab {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFullDimension = 300;

// A dimension of the figure, and the beta that gives M2 this dimension.
struct Reduction {
  std::size_t dim;
  std::string beta;
};

struct Figure4Plan {
  PrivembPlan common = {};
  std::vector<Reduction> reductions = {};
  std::size_t reviews = 0;  // to train on, 0: all
};

Figure4Plan plan_of(const RunRequest& request) {
  if (request.extent == Extent::quick) {
    return {.common = privemb_plan(request), .reductions = {{50, "0.93"}}, .reviews = 2500};
  }
  return {.common = privemb_plan(request), .reductions = {{50, "0.93"}, {100, "0.66"}, {200, "0.468"}}};
}

void write_training_text(const DataFolder& data, std::size_t most, const fs::path& path) {
  const std::string bytes = data.read(data_files::kUnlabelledReviews);
  OutputFile out(path, Overwrite::replace);
  std::size_t count = 0;
  for (const std::string_view line : lines_of(bytes)) {
    if (most != 0 && count++ == most) break;
    std::string words = letter_words(line, 0) + "\n";
    std::ranges::transform(words, words.begin(), [](unsigned char c) { return std::tolower(c); });
    out.write(words);
  }
  out.commit();
}

// The models of these dimensions, trained if they are not there.
class TrainedModels {
 public:
  TrainedModels(const RunRequest& request, const Figure4Plan& plan)
      : request_(request), plan_(plan), folder_(request.output / "figure4") {
    std::vector<std::size_t> missing;
    if (!fs::exists(path(kFullDimension))) missing.push_back(kFullDimension);
    for (const Reduction& one : plan.reductions) {
      if (!fs::exists(path(one.dim))) missing.push_back(one.dim);
    }
    if (!missing.empty()) train(missing);
  }

  [[nodiscard]] const fs::path& folder() const { return folder_; }
  // The number of reviews is in the name: a quick run's vectors are not a full run's.
  [[nodiscard]] fs::path path(std::size_t dim) const {
    return folder_ / fmt::format("vectors-{}{}.sotto", dim,
                                 plan_.reviews == 0 ? "" : fmt::format("-of-{}", plan_.reviews));
  }

 private:
  void train(const std::vector<std::size_t>& dims) const {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) {
      throw Error(ErrorCode::input_output,
                  fmt::format("cannot make the folder {}: {}", shown(folder_.string()), error.message()));
    }
    GuardedFolder work(folder_);
    const fs::path text = work.path() / "reviews.txt";
    write_training_text(DataFolder(request_.data), plan_.reviews, text);
    for (const std::size_t dim : dims) train_skipgram(text, {.dim = dim}, work, path(dim));
  }

  const RunRequest& request_;
  const Figure4Plan& plan_;
  fs::path folder_;
};

// What is released from one of the models.
struct ModelSeries {
  std::shared_ptr<const Model> model = {};
  std::vector<VectorSeries> series = {};
};

VectorSeries named(VectorSeries series, std::string name) {
  series.name = std::move(name);
  return series;
}

ModelSeries projected(const std::shared_ptr<const Model>& model, const Figure4Plan& plan) {
  ModelSeries out{.model = model, .series = {named(laplace_series(), "M1 300")}};
  for (const Reduction& one : plan.reductions) {
    out.series.push_back(named(printed_series(one.beta), fmt::format("M2 {}", one.dim)));
    out.series.push_back(pca_series_of(one.dim));
  }
  out.series.push_back(named(no_noise_series(), "no noise 300"));
  out.series.push_back(pure_noise_series());
  out.series.push_back(same_vector_series());
  return out;
}

ModelSeries trained(const std::shared_ptr<const Model>& model) {
  return {.model = model,
          .series = {named(laplace_series(), fmt::format("A1 {}", model->dim())),
                     named(no_noise_series(), fmt::format("no noise {}", model->dim()))}};
}

// Those that are private and depend on the word.
std::vector<VectorSeries> compared_of(const std::vector<VectorSeries>& series) {
  std::vector<VectorSeries> out;
  for (const VectorSeries& one : series) {
    if (!is_flat(one) && one.kind != VectorSeries::Kind::pure_noise) out.push_back(one);
  }
  return out;
}

// The mean distance of 10,000 pairs of words by chance: what an epsilon is worth differs with it.
double mean_distance(const Model& model, std::uint64_t seed) {
  constexpr int kPairs = 10'000;
  Rng rng = Rng::seeded_not_private(seed);
  double sum = 0;
  for (int i = 0; i < kPairs; ++i) {
    const auto a = model.vector(word_id(uniform_below(rng, model.size())));
    const auto b = model.vector(word_id(uniform_below(rng, model.size())));
    double squares = 0;
    for (std::size_t j = 0; j < a.size(); ++j) squares += (double{a[j]} - b[j]) * (double{a[j]} - b[j]);
    sum += std::sqrt(squares);
  }
  return sum / kPairs;
}

std::vector<VectorSeries> panel_series(const std::vector<ModelSeries>& models, std::size_t dim) {
  const std::string number = std::to_string(dim);
  const std::vector<std::string> names = {"A1 " + number, "M2 " + number,           "pca " + number,
                                          "M1 300",       "no noise " + number,     "no noise 300",
                                          "pure noise",   same_vector_series().name};
  std::vector<VectorSeries> out;
  for (const std::string& name : names) {
    for (const ModelSeries& model : models) {
      const auto found = std::ranges::find(model.series, name, &VectorSeries::name);
      if (found != model.series.end()) out.push_back(*found);
    }
  }
  return out;
}

struct Figure4Points {
  Points words;
  PrivacyPoints privacy;
};

// Accuracies at the epsilons of the plan, E_opt there, and accuracies at equal E_opt.
void measure(const PrivembLab& lab, const std::vector<VectorSeries>& series, Figure4Points& points) {
  const std::vector<VectorSeries> compared = compared_of(series);
  measure_word_task(lab, word_task_grid(series, lab.plan), points.words);
  measure_privacy(lab, series, compared, points.privacy);
  std::vector<WordTaskPoint> equal;
  for (const double target : lab.plan.error_targets) {
    for (const WordTaskPoint& point : equal_points(compared, points.privacy, target)) equal.push_back(point);
  }
  measure_word_task(lab, equal, points.words);
}

void save_report(const PrivembLab& lab, const std::vector<ModelSeries>& models, const Figure4Points& points) {
  const SkipGramTraining training{.dim = kFullDimension};
  std::string text = fmt::format(
      "# privemb-2021, figure 4, measured again\n\nVectors: {} words. `{}` and the same with other "
      "dimensions. M1, pca and A1: pure epsilon, A1 for distances of its own vectors. M2: as printed, "
      "(epsilon, 1e-6). ±: 95% interval of the mean over runs.\n\n| dimension | mean distance of two words "
      "|\n|---|---|\n",
      lab.run.model()->size(), skipgram_command(training));
  std::vector<VectorSeries> all;
  for (const ModelSeries& one : models) {
    text += fmt::format("| {} | {:.3f} |\n", one.model->dim(),
                        mean_distance(*one.model, lab.run.seed_of({"mean distance"})));
    all.insert(all.end(), one.series.begin(), one.series.end());
  }
  const std::vector<VectorSeries> compared = compared_of(all);
  for (const ModelSeries& one : models) {
    const std::size_t dim = one.model->dim();
    if (dim == kFullDimension) continue;
    const std::string title =
        fmt::format("Trained in {0} dimensions (A1) or projected to {0} (M2, pca)", dim);
    const std::vector<VectorSeries> series = panel_series(models, dim);
    save_word_figure(lab, series, points.words,
                     {fmt::format("figure-4-{}-accuracy", dim), title, "accuracy"});
    save_word_figure(lab, series, points.words, {fmt::format("figure-4-{}-auc", dim), title, "auc"});
  }
  save_privacy_figures(lab, compared, points.privacy, points.words);
  const PrivembPlan& plan = lab.plan;
  text += "\n## Figure 4: accuracy\n\n" + word_table(plan, all, points.words, "accuracy");
  text += "\n## Figure 4: AUC\n\n" + word_table(plan, all, points.words, "auc");
  text +=
      "\n## E_opt of who sees the released vector of a word\n\n" + privacy_table(plan, all, points.privacy);
  text += "\n## At equal E_opt\n\n" + equal_table(plan, compared, points.privacy, points.words, nullptr);
  lab.run.save_text("tables.md", text);
}

}  // namespace

void run_figure4(const RunRequest& request) {
  const Figure4Plan plan = plan_of(request);
  const TrainedModels files(request, plan);
  RunRequest own = request;
  own.output = files.folder();
  own.model = files.path(kFullDimension);
  own.words = 0;
  const Run run(own, "privemb figure 4",
                {{"training", skipgram_command({.dim = kFullDimension})},
                 {"reviews", plan.reviews == 0 ? "all" : std::to_string(plan.reviews)},
                 {"classifiers", std::string(kPrivembClassifiers)},
                 {"delta", "1e-6"}});
  std::vector<ModelSeries> models = {projected(run.model(), plan)};
  for (const Reduction& one : plan.reductions) {
    models.push_back(trained(Model::open(files.path(one.dim), request.cache)));
  }
  Figure4Points points{.words = word_task_points(run), .privacy = privacy_points(run)};
  for (const ModelSeries& one : models) {
    ReleaserStore store(one.model);
    measure({.run = run, .plan = plan.common, .store = store}, one.series, points);
  }
  ReleaserStore store(run.model());
  save_report({.run = run, .plan = plan.common, .store = store}, models, points);
}

}  // namespace sotto::lab
