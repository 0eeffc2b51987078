#pragma once
#include <cstddef>
#include <vector>

#include "cli/privatize/command.h"
#include "shared/answer.h"
#include "sotto/forecast.h"
#include "sotto/privatizer.h"
#include "sotto/rng.h"
#include "text/report.h"

namespace sotto::cli {

// Everything that one run gathers.
struct Run {
  const PrivatizeArguments& arguments;
  Privatizer privatizer;
  RandomSource random;
  ReleaseFacts facts;
  std::size_t files_done = 0;
  std::size_t files_skipped = 0;
  double seconds = 0;

  [[nodiscard]] const Mechanism& mechanism() const { return privatizer.mechanism(); }
  [[nodiscard]] Strength strength() const { return strength_of(facts.expected_unchanged); }
  [[nodiscard]] Status status() const {
    return facts.seeded_not_private ? Status::not_private : privatizer.status();
  }
};

// Standard error, before anything is read: the promise, the forecast and the warnings.
void announce(const Run& run);

enum class Decision { go_on, stop };
// Warns if most words are expected to stay, and says why a run stops if nearly all are.
Decision judge(const Run& run);

// What must be equal for the files of a folder to be of one release.
Json folder_settings(const Run& run);

// After the work, also with --quiet: the records that an option allowed to pass in clear, counted.
void warn_of_passed_records(const Run& run);
// After the work: for a person, and for a program.
void summarise(const Run& run);
Json answer_of(const Run& run);

}  // namespace sotto::cli
