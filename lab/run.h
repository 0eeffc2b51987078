#pragma once
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "html/plot.h"
#include "lab/data_folder.h"
#include "lab/points.h"
#include "sotto/model.h"

namespace sotto::lab {

enum class Extent { full, quick };

// What every experiment is told, and the folder that it fills.
struct RunRequest {
  std::filesystem::path data = {};
  std::filesystem::path output = {};
  std::filesystem::path model = {};  // a .sotto file
  std::filesystem::path cache = {};  // where certificates are kept; empty: nowhere
  std::size_t words = 0;             // the domain: the model's most frequent words; 0: all
  Extent extent = Extent::full;
  std::size_t trials = 0;  // 0: the experiment's own number
  std::size_t folds = 0;   // of cross-validation; 0: the experiment's own number
  unsigned threads = 0;    // 0: one per core
  std::uint64_t seed = 1;
  std::string command = {};  // as it was typed
  // Which parts of the experiment to run, by name. Empty: all. The parts of one run share its folder.
  std::vector<std::string> parts = {};

  [[nodiscard]] bool has_part(std::string_view part) const;
};

// One run of an experiment: its data, model and output folder, where run.json says what made the points
// (versions, model, seed, settings). A folder with another run's points is refused; the same run goes on.
class Run {
 public:
  // `settings`: what besides the request decides the points, as texts (not the number of trials: a run with
  // more trials goes on where one with fewer ended).
  using Settings = std::vector<std::pair<std::string, std::string>>;
  Run(RunRequest request, std::string_view experiment, const Settings& settings);

  [[nodiscard]] const RunRequest& request() const noexcept { return request_; }
  [[nodiscard]] const DataFolder& data() const noexcept { return data_; }
  // Only the words of the domain. Certificates are kept with it.
  [[nodiscard]] const std::shared_ptr<const Model>& model() const noexcept { return model_; }
  [[nodiscard]] unsigned threads() const noexcept;

  // <output>/<name>.csv
  [[nodiscard]] Points points(std::string_view name, Points::Layout layout) const;
  // <output>/<name>.svg, replaced.
  void save_figure(std::string_view name, const html::Plot& plot) const;
  // <output>/<name>, replaced.
  void save_text(std::string_view name, std::string_view text) const;
  // A seed for the randomness of one point: depends on the run's seed and the texts alone, so that a resumed
  // run repeats what an uninterrupted one does.
  [[nodiscard]] std::uint64_t seed_of(std::initializer_list<std::string_view> names) const;

 private:
  RunRequest request_;
  DataFolder data_;
  std::shared_ptr<const Model> model_;
};

// One line about progress on standard error, with the time since the start.
void tell(std::string_view line);

}  // namespace sotto::lab
