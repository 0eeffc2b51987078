#pragma once
#include <string>
#include <vector>

#include "shared/command_line.h"
#include "sotto/work.h"

namespace sotto::cli {

struct CertifyArguments {
  MechanismChoice choice;
  std::string html;  // empty: no page
  unsigned threads = 0;
  bool verify = false;
  bool force = false;
  bool json = false;
  bool quiet = false;
  std::vector<std::string> command;  // as typed, for the page
};

// privemb: the sensitivity that its noise is made for, against the stretch of its projection.
int certify_vectors(const CertifyArguments& arguments);

}  // namespace sotto::cli
