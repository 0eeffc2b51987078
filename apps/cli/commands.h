#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared/command_line.h"

// What each command was asked to do, and the commands themselves. A command throws
// sotto::Error, or returns 0, or 1 if it ran and the answer is no.
namespace sotto::cli {

struct ModelImportArguments {
  std::string input;
  std::string output;
  std::string words;  // of an .npy file
  std::string vocabulary;
  std::string format = "detect";
  std::string name;
  std::size_t limit = 0;  // 0: all
  bool alphabetic_only = false;
  bool force = false;
  bool json = false;
};
int model_import(const ModelImportArguments& arguments);

struct ModelInfoArguments {
  std::string model;
  bool verify = false;
  bool json = false;
};
int model_info(const ModelInfoArguments& arguments);

struct ModelFetchArguments {
  bool json = false;
};
int model_fetch(const ModelFetchArguments& arguments);

struct ModelPrepareArguments {
  std::string model;  // empty: the default model
  std::string metric = "euclidean";
  std::size_t words = 50'000;  // 0: all
  unsigned threads = 0;
  bool quiet = false;
  bool json = false;
};
int model_prepare(const ModelPrepareArguments& arguments);

struct MechanismsArguments {
  std::string name;  // empty: all
  bool json = false;
  bool markdown = false;
};
int list_mechanisms(const MechanismsArguments& arguments);

struct PrivatizeArguments {
  std::vector<std::string> inputs;
  std::string output = "-";
  MechanismChoice choice;
  std::string format;
  std::vector<std::string> columns;
  std::string tsv_quotes;  // empty: not said
  std::string short_rows;  // empty: not said
  std::vector<std::string> fields;
  std::string missing_field;  // empty: not said
  std::string unknown = "anchor";
  std::string unknown_word;
  std::string report;
  unsigned threads = 0;  // 0: one per core
  std::optional<std::uint64_t> seed_not_private;
  bool header = false;
  bool no_header = false;
  bool strip_html = false;
  bool public_report = false;
  bool force = false;
  bool allow_weak = false;
  bool certify = false;  // the report gets the certificate, computed if it is missing
  bool json = false;
  bool quiet = false;
};
int privatize(const PrivatizeArguments& arguments);

struct VectorsArguments {
  std::string input = "-";
  std::string output = "-";
  MechanismChoice choice = {.model = {}, .mechanism = "privemb", .parameters = {}};
  std::string unknown_word;
  std::string report;
  unsigned threads = 0;  // 0: one per core
  std::optional<std::uint64_t> seed_not_private;
  bool force = false;
  bool json = false;
  bool quiet = false;
};
int vectors(const VectorsArguments& arguments);

struct ExplainArguments {
  std::string word;
  MechanismChoice choice;
  std::string unknown_word;
  std::size_t top = 10;   // 0: all
  std::size_t draws = 0;  // 0: as many as take a few seconds
  bool json = false;
};
int explain(const ExplainArguments& arguments);

}  // namespace sotto::cli
