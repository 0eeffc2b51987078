#pragma once
#include <stdexcept>
#include <string>

namespace sotto {

// The values are the exit codes of every program of this project (docs/cli.md).
enum class ErrorCode : int { usage = 2, bad_data = 3, input_output = 4, internal = 70 };

// The only exception type that leaves the library. The message says what was given, what is
// allowed and what to try; it never quotes text, words or cells of the user's input.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace sotto
