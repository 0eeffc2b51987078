#pragma once
#include "lab/privemb/pairs.h"
#include "lab/privemb/privacy.h"
#include "lab/privemb/sentences.h"

namespace sotto::lab {

struct PrivembPoints {
  PairPoints pairs;
  PrivacyPoints privacy;
  Points words;
  Points sentences;
};

// A figure of experiment 3: accuracy or area under the curve against epsilon.
struct WordFigure {
  std::string name;  // of the file
  std::string title;
  std::string column;  // of lexicon.csv
};
void save_word_figure(const PrivembLab& lab, const std::vector<VectorSeries>& series, const Points& words,
                      const WordFigure& figure);
// E_opt against epsilon, and the SVM's accuracy against E_opt: the comparison at equal empirical privacy.
void save_privacy_figures(const PrivembLab& lab, const std::vector<VectorSeries>& series,
                          const PrivacyPoints& privacy, const Points& words);

// The same as Markdown. At equal E_opt the sentence tasks are added where they were measured.
std::string word_table(const PrivembPlan& plan, const std::vector<VectorSeries>& series, const Points& words,
                       std::string_view column);
std::string privacy_table(const PrivembPlan& plan, const std::vector<VectorSeries>& series,
                          const PrivacyPoints& privacy);
std::string equal_table(const PrivembPlan& plan, const std::vector<VectorSeries>& compared,
                        const PrivacyPoints& privacy, const Points& words, const Points* sentences);

// Figures 1 to 3, E_opt against epsilon, and accuracy against E_opt, as SVG files.
void save_figures(const PrivembLab& lab, const PrivembPoints& points);
// The tables as Markdown: means with 95% intervals over the runs, the paper's table 1 beside ours.
void save_tables(const PrivembLab& lab, const PrivembPoints& points);

}  // namespace sotto::lab
