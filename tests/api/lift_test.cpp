#include "api/lift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "sotto/byte_stream.h"
#include "sotto/error.h"
#include "support/models.h"

namespace sotto::api {
namespace {

LiftRequest lift_request(const char* mechanism) {
  LiftRequest request{.model = test::gaussian_model({.words = 40, .dim = 3}),
                      .setting = parse_setting(mechanism, {{"epsilon", "3"}}),
                      .seed_not_private = 7};
  request.features = DenseMatrix::zeros(40, 2);
  for (std::size_t w = 0; w < 40; ++w) request.features.row(w)[w % 2] = static_cast<double>(w);
  return request;
}

std::optional<ErrorCode> code_of(const LiftRequest& request) {
  try {
    (void)lift(request, {});
  } catch (const Error& error) {
    return error.code();
  }
  return std::nullopt;
}

TEST(Lift, JsonSaysHowItWasComputed) {
  const Json exact = to_json(lift(lift_request("tem"), {}));
  EXPECT_EQ(exact["schema"], "sotto.lift/1");
  EXPECT_EQ(exact["rows"], 40);
  EXPECT_EQ(exact["columns"], 2);
  EXPECT_EQ(exact["closed_law"], true);
  EXPECT_FALSE(exact.contains("draws"));
  LiftRequest sampled = lift_request("laplace");
  sampled.draws = 5000;
  const Json drawn = to_json(lift(sampled, {}));
  EXPECT_EQ(drawn["closed_law"], false);
  EXPECT_GE(drawn["draws"].get<int>(), 4900);
  EXPECT_GT(drawn["relative_error"].get<double>(), 0);
  EXPECT_LT(drawn["relative_error"].get<double>(), 1);
}

TEST(Lift, RefusesOtherRowsAndNan) {
  LiftRequest request = lift_request("tem");
  request.features = DenseMatrix::zeros(39, 2);
  EXPECT_EQ(code_of(request), ErrorCode::bad_data);
  request.features = DenseMatrix::zeros(40, 2);
  request.features.row(5)[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(code_of(request), ErrorCode::bad_data);
  request.features = DenseMatrix::zeros(40, 0);
  EXPECT_EQ(code_of(request), ErrorCode::bad_data);
  request = lift_request("tem");
  request.adversary.prior = "nonsense";
  EXPECT_EQ(code_of(request), ErrorCode::usage);
  request.adversary.prior = "release:no_such_file";
  EXPECT_EQ(code_of(request), ErrorCode::input_output);
}

}  // namespace
}  // namespace sotto::api
