#include "lab/gumbel/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "sotto/parameters.h"

namespace sotto::lab::gumbel {

namespace {

// Accuracies of the paper in percent: one column of table 2 or 3 for one data set.
struct PaperColumn {
  const char* data;
  const char* mechanism;
  double strength;  // as in our tables; 0: its 4.67 (IMDB) or 4.52 (SNLI), below what the formula allows
  double augmented_clean;
  double certified_adversarial;
  double augmented_adversarial;
};
constexpr std::array<PaperColumn, 20> kPaper = {{
    {"imdb", "truncated-gumbel", 0, 89.80, 35.30, 32.00},
    {"imdb", "truncated-gumbel", 14, 88.10, 47.40, 43.30},
    {"imdb", "truncated-gumbel", 23, 88.30, 70.90, 71.80},
    {"imdb", "truncated-gumbel", 38, 89.20, 79.90, 86.20},
    {"imdb", "truncated-gumbel", 62, 89.40, 80.90, 89.30},
    {"snli", "truncated-gumbel", 0, 78.89, 12.50, 21.05},
    {"snli", "truncated-gumbel", 14, 81.32, 12.98, 16.57},
    {"snli", "truncated-gumbel", 23, 81.77, 24.01, 23.96},
    {"snli", "truncated-gumbel", 38, 82.20, 58.78, 58.58},
    {"snli", "truncated-gumbel", 62, 81.86, 78.18, 80.62},
    {"imdb", "laplace", 9, 87.34, 1.20, 10.20},
    {"imdb", "laplace", 40, 88.60, 38.60, 9.50},
    {"imdb", "laplace", 80, 88.12, 78.50, 32.10},
    {"imdb", "laplace", 150, 88.00, 80.90, 80.50},
    {"imdb", "laplace", 200, 87.76, 81.00, 88.30},
    {"snli", "laplace", 9, 77.07, 2.21, 3.01},
    {"snli", "laplace", 40, 81.38, 9.22, 9.14},
    {"snli", "laplace", 80, 81.75, 46.62, 46.94},
    {"snli", "laplace", 150, 82.17, 78.73, 81.44},
    {"snli", "laplace", 200, 82.00, 79.16, 81.94},
}};

struct PaperClean {
  double normal;
  double certified;
};
PaperClean paper_clean(const std::string& data) {
  return data == "imdb" ? PaperClean{.normal = 89.50, .certified = 81.00}
                        : PaperClean{.normal = 82.68, .certified = 79.19};
}
const PaperColumn* paper_column(const std::string& data, const std::string& mechanism, double strength) {
  for (const PaperColumn& column : kPaper) {
    if (data == column.data && mechanism == column.mechanism && strength == column.strength) return &column;
  }
  return nullptr;
}
std::string paper_text(double percent) {
  return fmt::format("{:.2f}", percent);
}

constexpr const char* kNotRun = "not run";
constexpr const char* kNotTrained = "not trained";  // by choice: the settings leave the column out

std::string share_text(const Points& table, const std::optional<Points::Row>& row,
                       const std::string& column) {
  if (!row) return kNotRun;
  const double value = row->values[table.value(column)];
  const double low = row->values[table.value(column + "_low")];
  const double high = row->values[table.value(column + "_high")];
  return fmt::format("{:.1f} ({:.1f} to {:.1f})", 100 * value, 100 * low, 100 * high);
}

// The columns of one mechanism on one data set.
struct Columns {
  std::string data;
  std::string mechanism;
  std::vector<std::string> strengths;
  std::vector<double> paper;  // strengths as numbers where the paper has the column; otherwise NaN
  std::vector<bool> trained;  // columns with a model that was trained on private copies
};

Columns numbered(const std::string& data, const std::string& mechanism, const std::vector<double>& strengths,
                 const std::vector<double>& trained) {
  Columns columns{.data = data, .mechanism = mechanism, .strengths = {}, .paper = strengths, .trained = {}};
  for (const double strength : strengths) {
    columns.strengths.push_back(number_text(strength));
    columns.trained.push_back(is_one_of(strength, trained));
  }
  return columns;
}

class Writer {
 public:
  Writer(const Settings& settings, const ReportTables& tables) : settings_(settings), tables_(tables) {}

  std::string columns_table(const Columns& columns) const {
    std::string out = fmt::format("| {} |", columns.mechanism);
    std::string rule = "\n|---|";
    for (const std::string& strength : columns.strengths) {
      out += fmt::format(" {} |", strength == "0" ? "smallest" : strength);
      rule += "---|";
    }
    out += rule + "\n";
    const auto line = [&](const std::string& name, const auto& cell) {
      out += fmt::format("| {} |", name);
      for (std::size_t i = 0; i < columns.strengths.size(); ++i) out += fmt::format(" {} |", cell(i));
      out += '\n';
    };
    const auto paper = [&](std::size_t i, auto member) {
      const PaperColumn* found = paper_column(columns.data, columns.mechanism, columns.paper[i]);
      return found == nullptr ? std::string() : paper_text(found->*member);
    };
    const bool in_paper = paper_column(columns.data, columns.mechanism, columns.paper.front()) != nullptr;
    line("ε", [&](std::size_t i) { return epsilon_text(columns, i); });
    line("words unchanged in the copies", [&](std::size_t i) { return unchanged_text(columns, i); });
    line("clean, augmented", [&](std::size_t i) { return clean_text(columns, i); });
    if (in_paper) {
      line("clean, augmented, paper", [&](std::size_t i) { return paper(i, &PaperColumn::augmented_clean); });
    }
    for (const char* training : {"normal", "certified", "augmented"}) {
      line(fmt::format("under attack, {}", training),
           [&](std::size_t i) { return attack_text(columns, training, i, settings_.draws.front()); });
      if (!in_paper || std::string_view(training) == "normal") continue;
      line(fmt::format("under attack, {}, paper", training), [&](std::size_t i) {
        return paper(i, std::string_view(training) == "certified" ? &PaperColumn::certified_adversarial
                                                                  : &PaperColumn::augmented_adversarial);
      });
    }
    for (std::size_t j = 1; j < settings_.draws.size(); ++j) {
      for (const char* training : {"normal", "certified", "augmented"}) {
        line(fmt::format("under attack by {} draw, {}", settings_.draws[j], training),
             [&](std::size_t i) { return attack_text(columns, training, i, settings_.draws[j]); });
      }
    }
    return out;
  }

  // All mechanisms at the N_w of truncated-gumbel at each of `strengths`, a row each.
  std::string equal_table(const std::string& data, const std::vector<double>& strengths,
                          const TrainedColumns& trained) const {
    std::string out =
        "| N_w as at ln ε | mechanism | ε | words unchanged in the copies | clean, augmented | under attack, "
        "normal | under attack, certified | under attack, augmented |\n|---|---|---|---|---|---|---|---|\n";
    const std::size_t draws = settings_.draws.front();
    for (const double strength : strengths) {
      const auto add = [&](const Columns& columns) {
        out += fmt::format(
            "| {} | {} | {} | {} | {} | {} | {} | {} |\n", strength == 0 ? "smallest" : number_text(strength),
            columns.mechanism, epsilon_text(columns, 0), unchanged_text(columns, 0), clean_text(columns, 0),
            attack_text(columns, "normal", 0, draws), attack_text(columns, "certified", 0, draws),
            attack_text(columns, "augmented", 0, draws));
      };
      add(numbered(data, "truncated-gumbel", {strength}, trained.table2));
      for (const auto& [mechanism, is_trained] : kRivals) {
        Columns columns = numbered(data, std::string(mechanism), {strength},
                                   is_trained ? trained.beyond : std::vector<double>());
        columns.strengths[0] = "as " + columns.strengths[0];
        add(columns);
      }
    }
    return out;
  }

  std::string clean_table() const {
    std::string out =
        "| data | training | clean | clean, paper | certified | membership AUC | epochs | minutes |\n"
        "|---|---|---|---|---|---|---|---|\n";
    for (const std::string data : {"imdb", "snli"}) {
      for (const std::string training : {"normal", "certified"}) {
        const auto row = tables_.models.find(std::vector<std::string>{data, training, "none", "none"});
        const PaperClean paper = paper_clean(data);
        out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", data, training,
                           share_text(tables_.models, row, "clean"),
                           paper_text(training == "normal" ? paper.normal : paper.certified),
                           share_text(tables_.models, row, "certified"), membership_text(row),
                           row ? fmt::format("{:.0f}", row->values[tables_.models.value("epochs")]) : kNotRun,
                           row ? fmt::format("{:.1f}", minutes(*row)) : kNotRun);
      }
    }
    return out;
  }

  std::string membership_table() const {
    std::string out =
        "| data | training | mechanism | strength | words unchanged in the copies | clean | membership AUC "
        "|\n"
        "|---|---|---|---|---|---|---|\n";
    for (const Points::Row& row : tables_.models.rows()) {
      const double unchanged = row.values[tables_.models.value("unchanged")];
      out += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", row.keys[0], row.keys[1], row.keys[2],
                         row.keys[3] == "0" ? "smallest" : row.keys[3],
                         std::isnan(unchanged) ? "" : fmt::format("{:.3f}", unchanged),
                         share_text(tables_.models, row, "clean"), membership_text(row));
    }
    return out;
  }

  std::string time_text() const {
    double training = 0;
    double attacking = 0;
    double longest = 0;
    for (const Points::Row& row : tables_.models.rows()) {
      training += minutes(row);
      longest = std::max(longest, minutes(row));
    }
    for (const Points::Row& row : tables_.attacks.rows()) {
      const double spent = row.values[tables_.attacks.value("seconds")] / 60;
      attacking += spent;
      longest = std::max(longest, spent);
    }
    return fmt::format(
        "{} models took {:.1f} minutes of processor time to train, {} attacks {:.1f} minutes; the longest "
        "cell "
        "took {:.1f} minutes.\n",
        tables_.models.rows().size(), training, tables_.attacks.rows().size(), attacking, longest);
  }

 private:
  [[nodiscard]] std::optional<Points::Row> model(const Columns& columns, const std::string& training,
                                                 std::size_t i) const {
    const bool own = training == "augmented";
    return tables_.models.find(std::vector<std::string>{
        columns.data, training, own ? columns.mechanism : "none", own ? columns.strengths[i] : "none"});
  }
  [[nodiscard]] std::optional<Points::Row> attack(const Columns& columns, const std::string& training,
                                                  std::size_t i, std::size_t draws) const {
    const bool own = training == "augmented";
    return tables_.attacks.find(std::vector<std::string>{
        columns.data, training, own ? columns.mechanism : "none", own ? columns.strengths[i] : "none",
        columns.mechanism, columns.strengths[i], fmt::format("{}", draws)});
  }
  [[nodiscard]] std::string clean_text(const Columns& columns, std::size_t i) const {
    return columns.trained[i] ? share_text(tables_.models, model(columns, "augmented", i), "clean")
                              : kNotTrained;
  }
  [[nodiscard]] std::string attack_text(const Columns& columns, const std::string& training, std::size_t i,
                                        std::size_t draws) const {
    if (training == "augmented" && !columns.trained[i]) return kNotTrained;
    return share_text(tables_.attacks, attack(columns, training, i, draws), "adversarial");
  }
  [[nodiscard]] std::string epsilon_text(const Columns& columns, std::size_t i) const {
    const auto row = attack(columns, "normal", i, settings_.draws.front());
    if (!row) return kNotRun;
    return fmt::format("{:.5g}", row->values[tables_.attacks.value("epsilon")]);
  }
  [[nodiscard]] std::string unchanged_text(const Columns& columns, std::size_t i) const {
    if (!columns.trained[i]) return kNotTrained;
    const auto row = model(columns, "augmented", i);
    return row ? fmt::format("{:.3f}", row->values[tables_.models.value("unchanged")]) : kNotRun;
  }
  [[nodiscard]] std::string membership_text(const std::optional<Points::Row>& row) const {
    if (!row) return kNotRun;
    return fmt::format("{:.3f} ({:.3f} to {:.3f})", row->values[tables_.models.value("membership_auc")],
                       row->values[tables_.models.value("membership_low")],
                       row->values[tables_.models.value("membership_high")]);
  }
  [[nodiscard]] double minutes(const Points::Row& row) const {
    return (row.values[tables_.models.value("seconds_privatising")] +
            row.values[tables_.models.value("seconds_training")]) /
           60;
  }

  const Settings& settings_;
  const ReportTables& tables_;
};

}  // namespace

std::string adversarial_text(const Settings& settings, const ReportTables& tables) {
  const Writer writer(settings, tables);
  std::string out = "\n## Models without private copies\n\n" + writer.clean_table();
  for (const std::string data : {"imdb", "snli"}) {
    const auto task = std::ranges::find(settings.tasks, data, &TaskSizes::data);
    const TrainedColumns trained = task == settings.tasks.end() ? TrainedColumns{} : task->trained;
    if (!settings.table2.empty()) {
      out += fmt::format(
          "\n## Table 2 on {}: ln ε\n\n{}", data,
          writer.columns_table(numbered(data, "truncated-gumbel", settings.table2, trained.table2)));
    }
    if (!settings.table3.empty()) {
      out += fmt::format("\n## Table 3 on {}: ε\n\n{}", data,
                         writer.columns_table(numbered(data, "laplace", settings.table3, trained.table3)));
    }
    if (settings.beyond.empty()) continue;
    out += fmt::format("\n## At the N_w of truncated-gumbel, on {}\n\n{}", data,
                       writer.equal_table(data, settings.beyond, trained));
  }
  return out + "\n## Membership inference\n\n" + writer.membership_table() + "\n## Time\n\n" +
         writer.time_text();
}

}  // namespace sotto::lab::gumbel
