// A release or vector report from anyone, judged against a model of four words.
#include "text/verify.h"

#include "expect.h"

using sotto::fuzz::accepts;
using sotto::fuzz::expect;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The model of tests/cli/verify.transcript, so that the seeds are about it.
  static const auto kModel = sotto::Model::from_words({"zero", "one", "two", "four"}, {0, 1, 2.5, 4}, 1);
  sotto::VerifyResult result;
  if (!accepts(
          [&] { result = sotto::verify_report(sotto::fuzz::text_of(data, size), kModel, {.threads = 1}); })) {
    return 0;
  }
  expect(result.checks.size() > 1, "a report is judged");
  for (const sotto::VerifyCheck& check : result.checks) {
    expect(!check.name.empty() && !check.reason.empty(), "each judgement has a name and a reason");
  }
  return 0;
}
