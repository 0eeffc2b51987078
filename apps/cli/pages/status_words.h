#pragma once
#include <string>

#include "sotto/mechanism.h"

namespace sotto::cli {

// A status with what it means. Readers took "proven" for "safe": a proven formula may still hide nothing.
inline std::string status_words(Status status) {
  std::string name(status_name(status));
  switch (status) {
    case Status::proven:
      return name + " (the formula is right; how much it hides is another question)";
    case Status::refuted:
      return name + " (the published formula is false)";
    case Status::not_private:
      break;
  }
  return name;
}

}  // namespace sotto::cli
