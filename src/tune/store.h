#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tune/bench.h"

namespace sotto {

// Finished points in a file that the user names (mode 0600: the prior may come from private text), so that a
// search that was stopped can go on. Replaced whole after each batch.
class TuneStore {
 public:
  // Reads the file if it is there. Throws bad_data if it is damaged or holds a value that no measurement
  // gives, usage if it answers another question (another model, prior, labels, loss, number of draws, seed or
  // version of the program) or if others may write to it. Quantities that are possible are believed: the file
  // is trusted.
  TuneStore(std::filesystem::path path, const TuneBench& bench);

  [[nodiscard]] const TunePoint* find(const Candidate& candidate) const;
  void keep(const TunePoint& point);

 private:
  void write() const;
  std::filesystem::path path_;
  std::string question_;
  std::vector<TunePoint> points_;
};

}  // namespace sotto
