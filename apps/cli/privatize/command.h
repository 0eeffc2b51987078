#pragma once
#include <string>
#include <vector>

#include "cli/ledger/flags.h"
#include "shared/command_line.h"
#include "sotto/release.h"

namespace sotto::cli {

struct PrivatizeArguments {
  std::vector<std::string> inputs;
  std::string output = "-";
  MechanismChoice choice;
  api::ReleaseRequest request;  // all but the mechanism and the ledger
  LedgerFlags ledger;
  std::vector<std::string> reports;  // JSON, or a page if the name ends in .html
  std::string attack_result;         // a file
  unsigned threads = 0;              // 0: one per core
  bool public_report = false;
  bool force = false;
  bool json = false;
  bool quiet = false;
};

}  // namespace sotto::cli
