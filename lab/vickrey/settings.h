#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/points.h"
#include "lab/run.h"

// The lab's experiments of vickrey-2021: figures 1, 2 and 3.
namespace sotto::lab::vickrey {

// How the output is chosen among the words nearest to a noisy vector.
struct Rule {
  // two: the first or the second, by vickrey's t. rank: always the one of that rank, 1 is the nearest.
  enum class Choice { two, rank } choice = Choice::rank;
  double t = 0;
  std::size_t rank = 1;
  // excluded: line 5 of the paper's Algorithm 1, which is not private. For comparisons only.
  enum class Input { candidate, excluded } input = Input::candidate;

  // How many of the nearest words it looks at.
  [[nodiscard]] std::size_t looked_at() const;
};

// The shape of the noise. lambda: of mahalanobis; empty: spherical, as laplace has it.
struct Noise {
  std::optional<double> lambda = {};
  [[nodiscard]] std::string name() const;  // "laplace", "mahalanobis 0.2"
};

// A curve of the figures.
struct Series {
  std::string name;
  Rule rule = {};
};
// All curves of one noise. They are drawn from the same noisy vectors.
struct Group {
  Noise noise = {};
  std::vector<Series> series;
};

// A data set with a downstream task: film reviews or tweets, classified by a bidirectional LSTM.
struct TaskSettings {
  std::string name;              // "imdb", "twitter"
  std::size_t train = 0;         // most texts to learn from, of the 90%
  std::size_t test = 0;          // most texts to test on, of the 10%
  std::size_t words = 0;         // of each text, the first ones
  std::size_t domain_words = 0;  // twitter: the embedding's most frequent words are redacted
  std::size_t epochs = 0;
  // Where the model is also trained on redacted text: with the first embedding, laplace and every t.
  std::vector<double> retrained = {};
};

struct Settings {
  std::vector<std::string> vectors;  // embeddings, by name; each serves every data set
  std::vector<double> product_epsilons;
  std::vector<double> laplace_epsilons;  // a closer curve of laplace, read at the E_opt of vickrey's points
  std::size_t product_draws = 0;         // N; 4N are drawn
  std::vector<double> task_epsilons;
  std::size_t task_draws = 0;  // N of the tasks
  std::vector<TaskSettings> tasks;
  std::size_t hidden = 0;  // units of the LSTM, each way
};

inline constexpr std::string_view kFigure1 = "figure1";
inline constexpr std::string_view kProducts = "products";
inline constexpr std::string_view kChoices = "choices";
// Names of embeddings. kGlove is the run's model.
inline constexpr char kGlove[] = "glove";
inline constexpr char kStandIn[] = "fasttext-stand-in";
inline constexpr char kWord2vec[] = "word2vec";
// The series of the clear text.
inline constexpr char kNoRedaction[] = "no redaction";
// What a task's model was trained on.
inline constexpr char kClean[] = "clean";
inline constexpr char kRedacted[] = "redacted";

Settings settings_of(const RunRequest& request);
// What run.json says of them.
Run::Settings record_of(const Settings& settings);

// The curves of figure 2; with those of figure 3 and of line 5 beside them where `all`.
enum class Curves { figure2, all };
std::vector<Group> groups(Curves curves);
std::string series_of_t(double t);
std::string series_of_rank(std::size_t rank);
std::string as_printed(const std::string& series);

// privacy.csv: what holds of a mechanism on a vocabulary. tasks.csv: what a task loses. choices.csv: what
// Algorithm 2 chooses. figure1.csv: the law of each word by the place of the noisy vector.
Points::Layout privacy_layout();
Points::Layout tasks_layout();
Points::Layout choices_layout();
Points::Layout figure1_layout();

// The experiment with settings other than those of the program, for tests.
void run_experiment(const RunRequest& request, const Settings& settings);

}  // namespace sotto::lab::vickrey
