#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "cli/ledger/flags.h"
#include "shared/command_line.h"

namespace sotto::cli {

struct VectorsArguments {
  std::string input = "-";
  std::string output = "-";
  MechanismChoice choice = {.model = {}, .mechanism = "privemb", .parameters = {}};
  std::string unknown_word;
  std::string report;
  unsigned threads = 0;  // 0: one per core
  std::optional<std::uint64_t> seed_not_private;
  LedgerFlags ledger;
  bool force = false;
  bool json = false;
  bool quiet = false;
};

}  // namespace sotto::cli
