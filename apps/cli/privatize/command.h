#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared/command_line.h"

namespace sotto::cli {

struct PrivatizeArguments {
  std::vector<std::string> inputs;
  std::string output = "-";
  MechanismChoice choice;
  ReadingOptions reading;
  std::string unknown = "anchor";
  std::string unknown_word;
  std::string report;
  unsigned threads = 0;  // 0: one per core
  std::optional<std::uint64_t> seed_not_private;
  bool strip_html = false;
  bool public_report = false;
  bool force = false;
  bool allow_weak = false;
  bool certify = false;  // the report gets the certificate, computed if it is missing
  bool json = false;
  bool quiet = false;
};

}  // namespace sotto::cli
