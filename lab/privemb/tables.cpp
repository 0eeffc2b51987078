#include <fmt/format.h>

#include <array>
#include <cmath>

#include "lab/privemb/report.h"
#include "lab/statistics.h"
#include "sotto/parameters.h"

namespace sotto::lab {

namespace {

// Table 1 of privemb-2021 in per cent, 300-d GloVe, epsilon 10, beta .9.
struct PublishedRow {
  std::string_view task;
  double infersent;
  double skipthought;
  double m1_train;
  double m1_test;
  double m2_train;
  double m2_test;
};
constexpr std::array kPublished = {
    PublishedRow{"MR", 81.10, 79.40, 58.10, 55.61, 57.76, 58.11},
    PublishedRow{"CR", 86.30, 83.10, 68.32, 63.97, 72.52, 71.02},
    PublishedRow{"MPQA", 90.20, 89.30, 78.76, 77.98, 77.84, 78.86},
    PublishedRow{"SST-5", 46.30, 44.80, 31.24, 31.90, 32.70, 32.49},
    PublishedRow{"TREC-6", 88.20, 88.40, 60.54, 53.20, 62.53, 73.00},
};

// The mean and the half width of its interval.
struct Digits {
  int count = 1;
  double factor = 1;
};
std::string cell(const std::vector<double>& values, Digits digits) {
  const TrialMean mean = trial_mean(values);
  if (mean.trials == 0 || std::isnan(mean.mean)) return "";
  const double half = digits.factor * (mean.interval.high - mean.mean);
  const std::string value = fmt::format("{:.{}f}", digits.factor * mean.mean, digits.count);
  return std::isnan(half) ? value : fmt::format("{} ± {:.{}f}", value, half, digits.count);
}
constexpr Digits kPercent{.count = 1, .factor = 100};
constexpr Digits kLength{.count = 2};
constexpr Digits kShare{.count = 3};

void add_row(std::string& out, const std::vector<std::string>& cells) {
  for (const std::string& cell : cells) out += fmt::format("| {} ", cell);
  out += "|\n";
}

void add_head(std::string& out, const std::vector<std::string>& cells) {
  add_row(out, cells);
  for (std::size_t i = 0; i < cells.size(); ++i) out += "|---";
  out += "|\n";
}

std::string dimension_text(const std::vector<double>& dimensions) {
  return dimensions.empty() ? "" : fmt::format("{:.0f}", dimensions.front());
}

void add_pairs(std::string& out, const PrivembLab& lab, const Points& points, Digits digits) {
  std::vector<std::string> head = {"series", "dimension"};
  for (const std::string& epsilon : lab.plan.pair_epsilons) {
    head.push_back("eps " + epsilon);
    head.emplace_back("sd of pairs");
    head.emplace_back("correlation");
  }
  add_head(out, head);
  for (const VectorSeries& series : pair_series(*lab.store.model(), lab.plan)) {
    std::vector<std::string> row = {
        series.name,
        dimension_text(trial_values(points, {series.name, lab.plan.pair_epsilons[0]}, "dimension"))};
    for (const std::string& epsilon : lab.plan.pair_epsilons) {
      const std::vector<std::string> keys = {series.name, epsilon};
      row.push_back(cell(trial_values(points, keys, "mean"), digits));
      row.push_back(
          fmt::format("{:.{}f}", trial_mean(trial_values(points, keys, "deviation")).mean, digits.count));
      row.push_back(cell(trial_values(points, keys, "correlation"), kShare));
    }
    add_row(out, row);
  }
}

void add_published(std::string& out, const PrivembLab& lab, const Points& points) {
  const auto at = [&](const VectorSeries& series, const std::string& task, std::string_view column) {
    return cell(trial_values(points, {"table", series.name, lab.plan.table_epsilon, task}, column), kPercent);
  };
  const VectorSeries m2 = printed_series(lab.plan.table_beta);
  add_head(out, {"task", "InferSent (paper)", "SkipThought (paper)", "M1 train / test (paper)",
                 "M2 train / test (paper)", "M1 train", "M1 dev", "M1 test", m2.name + " train",
                 m2.name + " dev", m2.name + " test", "pure noise test", "no noise test"});
  for (const PublishedRow& row : kPublished) {
    const std::string task(row.task);
    add_row(out,
            {task, fmt::format("{:.1f}", row.infersent), fmt::format("{:.1f}", row.skipthought),
             fmt::format("{:.1f} / {:.1f}", row.m1_train, row.m1_test),
             fmt::format("{:.1f} / {:.1f}", row.m2_train, row.m2_test), at(laplace_series(), task, "train"),
             at(laplace_series(), task, "dev"), at(laplace_series(), task, "test"), at(m2, task, "train"),
             at(m2, task, "dev"), at(m2, task, "test"), at(pure_noise_series(), task, "test"),
             at(no_noise_series(), task, "test")});
  }
}

void add_sentences(std::string& out, const PrivembLab& lab, const PrivembPoints& points) {
  std::vector<std::string> head = {"release", "series", "epsilon"};
  head.insert(head.end(), lab.plan.tasks.begin(), lab.plan.tasks.end());
  add_head(out, head);
  std::vector<SentencePoint> all = table_points(lab);
  for (const SentencePoint& point : further_points(lab, points.privacy)) all.push_back(point);
  for (const SentencePoint& point : all) {
    const std::string release = release_name(point.release);
    std::vector<std::string> row = {release, point.series.name, point.epsilon};
    for (const std::string& task : lab.plan.tasks) {
      const std::vector<std::string> keys = {release, point.series.name, point.epsilon, task};
      row.push_back(cell(trial_values(points.sentences, keys, "test"), kPercent));
    }
    add_row(out, row);
  }
}

}  // namespace

std::string word_table(const PrivembPlan& plan, const std::vector<VectorSeries>& all, const Points& words,
                       std::string_view column) {
  std::string out;
  std::vector<std::string> head = {"series", "dimension"};
  for (const std::string& epsilon : plan.lexicon_epsilons) head.push_back("eps " + epsilon);
  add_head(out, head);
  for (const VectorSeries& series : all) {
    std::vector<std::string> row = {
        series.name,
        dimension_text(trial_values(words, {series.name, plan.lexicon_epsilons[0]}, "dimension"))};
    for (const std::string& epsilon : plan.lexicon_epsilons) {
      row.push_back(cell(trial_values(words, {series.name, epsilon}, column), kShare));
    }
    add_row(out, row);
  }
  return out;
}

std::string privacy_table(const PrivembPlan& plan, const std::vector<VectorSeries>& all,
                          const PrivacyPoints& privacy) {
  std::string out;
  std::vector<std::string> head = {"series", "dimension", "sensitivity"};
  for (const std::string& epsilon : plan.lexicon_epsilons) head.push_back("eps " + epsilon);
  add_head(out, head);
  const Points& errors = privacy.errors;
  const auto value = [&](const Points::Row& row, std::string_view column) {
    return row.values[errors.value(column)];
  };
  for (const VectorSeries& series : all) {
    std::vector<std::string> row = {series.name, "", ""};
    bool is_measured = false;
    for (const std::string& epsilon : plan.lexicon_epsilons) {
      const auto found = errors.find(std::vector{series.name, epsilon});
      if (!found) {  // smaller than one at which E_opt is nearly 1
        row.emplace_back("");
        continue;
      }
      is_measured = true;
      row[1] = fmt::format("{:.0f}", value(*found, "dimension"));
      row[2] = fmt::format("{:.3g}", value(*found, "sensitivity"));
      row.push_back(fmt::format("{:.3f} ± {:.3f}", value(*found, "e_opt"),
                                (value(*found, "e_opt_high") - value(*found, "e_opt_low")) / 2));
    }
    if (is_measured) add_row(out, row);
  }
  return out;
}

std::string equal_table(const PrivembPlan& plan, const std::vector<VectorSeries>& compared,
                        const PrivacyPoints& privacy, const Points& words, const Points* sentences) {
  std::string out;
  std::vector<std::string> head = {"E_opt",          "series",           "epsilon",
                                   "E_opt measured", "lexicon accuracy", "lexicon AUC"};
  const std::vector<std::string> tasks = sentences == nullptr ? std::vector<std::string>{} : plan.tasks;
  head.insert(head.end(), tasks.begin(), tasks.end());
  add_head(out, head);
  for (const double target : plan.error_targets) {
    for (const WordTaskPoint& point : equal_points(compared, privacy, target)) {
      const std::vector<std::string> keys = {point.series.name, point.epsilon};
      const auto error = privacy.errors.find(keys);
      std::vector<std::string> row = {
          number_text(target),
          keys[0],
          keys[1],
          error ? fmt::format("{:.3f}", error->values[privacy.errors.value("e_opt")]) : "",
          cell(trial_values(words, keys, "accuracy"), kShare),
          cell(trial_values(words, keys, "auc"), kShare)};
      for (const std::string& task : tasks) {
        row.push_back(cell(trial_values(*sentences, {"table", keys[0], keys[1], task}, "test"), kPercent));
      }
      add_row(out, row);
    }
  }
  return out;
}

void save_tables(const PrivembLab& lab, const PrivembPoints& points) {
  const Model& model = *lab.store.model();
  std::string out = fmt::format(
      "# privemb-2021, measured again\n\nVectors: {}, {} words, {} dimensions. M1: noise in the full "
      "dimension, pure epsilon. M2: as printed, (epsilon, 1e-6). The rest is pure epsilon. ±: 95% interval "
      "of the mean over runs.\n",
      model.origin().name, model.size(), model.dim());
  if (!points.pairs.distance.rows().empty()) {
    out += "\n## Figure 1: mean of |w_i - w_j| - |x_i - x_j|\n\n";
    add_pairs(out, lab, points.pairs.distance, kLength);
    out += "\n## Figure 2: mean of |<w_i, w_j> - <x_i, x_j>|\n\n";
    add_pairs(out, lab, points.pairs.inner_product, {.count = 1});
  }
  const std::vector<VectorSeries> series = word_task_series(model, lab.plan);
  if (!points.words.rows().empty()) {
    out += "\n## Figure 3: linear SVM on the opinion lexicon, accuracy\n\n";
    out += word_table(lab.plan, series, points.words, "accuracy");
    out += "\n## Figure 3: linear SVM on the opinion lexicon, AUC\n\n";
    out += word_table(lab.plan, series, points.words, "auc");
  }
  if (!points.sentences.rows().empty()) {
    out += fmt::format("\n## Table 1: epsilon {}, beta {}, {} folds, per cent\n\n", lab.plan.table_epsilon,
                       lab.plan.table_beta, lab.plan.folds);
    add_published(out, lab, points.sentences);
    out += "\n## Sentence tasks, every release, test accuracy in per cent\n\n";
    add_sentences(out, lab, points);
  }
  if (!points.privacy.errors.rows().empty()) {
    out += "\n## E_opt of who sees the released vector of a word\n\n";
    out += privacy_table(lab.plan, series, points.privacy);
    out += "\n## At equal E_opt\n\n";
    out += equal_table(lab.plan, compared_series(model, lab.plan), points.privacy, points.words,
                       &points.sentences);
  }
  lab.run.save_text("tables.md", out);
}

}  // namespace sotto::lab
