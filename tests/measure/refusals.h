#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "sotto/error.h"

namespace sotto::test {

inline constexpr char kCanary[] = "zanzibarcanary";  // stands in bad input, and may be quoted by no message

// The message names `expected` but never the text.
inline void expect_refused(const std::function<void()>& action, const std::string& expected) {
  try {
    action();
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find(kCanary), std::string::npos) << error.what();
  }
}

}  // namespace sotto::test
