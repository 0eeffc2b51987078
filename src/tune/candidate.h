#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sotto/byte_stream.h"
#include "sotto/parameters.h"

namespace sotto {

// A setting to try: a mechanism and its parameters as they are typed, without defaults.
struct Candidate {
  std::string mechanism;
  ParameterTexts parameters = {};
  auto operator<=>(const Candidate&) const = default;

  [[nodiscard]] std::optional<double> epsilon() const;
  // "vickrey, t 0.5": everything but epsilon. Candidates of one family lie on one curve.
  [[nodiscard]] std::string family() const;
  // "vickrey --epsilon 10 --t 0.5": a line that read_candidates() reads.
  [[nodiscard]] std::string line() const;
};

// Lines such as `vickrey --t 0.5 --epsilon 1,2,5,10`: a mechanism and its flags, epsilon a list; blank lines
// and those that begin with '#' are left out. Throws Error(bad_data) with the line.
std::vector<Candidate> read_candidates(ByteSource& source);

}  // namespace sotto
