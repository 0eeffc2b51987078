#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sotto/answer.h"
#include "text/verify.h"

// Do the claims of a report follow from the model and the parameters that it names?
namespace sotto::api {

struct VerifyRequest {
  std::shared_ptr<const Model> model;
  std::string report;                      // its text; may come from anyone
  std::vector<std::string> released = {};  // SHA-256 of files, in hexadecimal: the report must name each
};

// The text of a report in a file ("-": standard input).
std::string read_report(const std::filesystem::path& path);

struct VerifyAnswer {
  VerifyResult result;

  // Nothing is wrong.
  [[nodiscard]] bool follows() const { return result.follows(); }
  // One sentence. It never only approves of a release that can be read.
  [[nodiscard]] std::string verdict() const;
};
// "ok", "WRONG" or "not checked"
std::string_view outcome_name(VerifyCheck::Outcome outcome);

// Throws Error(bad_data) if it is no report.
VerifyAnswer verify(const VerifyRequest& request, const Work& work);
Json to_json(const VerifyAnswer& answer);

}  // namespace sotto::api
