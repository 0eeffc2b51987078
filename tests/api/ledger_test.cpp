// A release with a ledger: drawn, debited, then given away.
#include "api/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "api/vectors.h"
#include "core/temporary_folder.h"
#include "sotto/error.h"
#include "sotto/release.h"
#include "support/models.h"

namespace sotto::api {
namespace {

using sotto::test::TemporaryFolder;
using ::testing::HasSubstr;

class ReleaseWithLedger : public ::testing::Test {
 protected:
  ReleaseRequest request(LedgerUse use = {}) {
    use.ledger = ledger_;
    ReleaseRequest out{
        .built = build_mechanism("tem", sotto::test::line_model({0, 1, 2.5, 4}), {{"epsilon", "0.3"}})};
    out.allow_weak = true;
    out.ledger = std::move(use);
    return out;
  }
  std::string spent(AccountRole role, const std::string& id) {
    const LedgerShowAnswer shown = show_ledger({.ledger = ledger_, .query = {.role = role, .id = id}});
    return shown.rows.empty() ? "none" : shown.rows[0].balance.spent.text();
  }

  TemporaryFolder folder_;
  std::shared_ptr<Ledger> ledger_ =
      std::make_shared<Ledger>(LedgerOptions{.location = (folder_ / "ledger.db").string()});
};

TEST_F(ReleaseWithLedger, TextsAreDebitedInOneCallOrNotAtAll) {
  Release release(request({.subject = "patient"}));
  const std::vector<std::string_view> texts = {"w0 w1 w2", "w3"};
  EXPECT_EQ(release.texts(texts, {}, {}, {.documents = {"a", "b"}}).texts.size(), 2U);
  EXPECT_EQ(spent(AccountRole::subject, "patient"), "1.200000");  // 4 words
  EXPECT_EQ(spent(AccountRole::document, "a"), "0.300000");
  EXPECT_EQ(release.answer().spent.size(), 3U);
  // "b" again: nothing of the call is released or debited.
  EXPECT_THROW(release.texts(texts, {}, {}, {.subject = "other", .documents = {"c", "b"}}), LimitReached);
  EXPECT_EQ(spent(AccountRole::document, "c"), "none");
  EXPECT_EQ(spent(AccountRole::subject, "other"), "none");
  EXPECT_THROW(release.texts(texts, {}, {}, {.documents = {"c"}}), Error);
  EXPECT_EQ(ledger_->head().count, 3);
}

TEST_F(ReleaseWithLedger, WithoutNamesItCountsUnderTheAnonymousAccount) {
  Release release(request());
  const std::vector<std::string_view> texts = {"w0 w1", ""};
  (void)release.texts(texts, {});
  EXPECT_EQ(spent(AccountRole::anonymous, ""), "0.600000");
  (void)release.texts({}, {});  // nothing is released, nothing is debited
  EXPECT_EQ(ledger_->head().count, 1);
}

TEST_F(ReleaseWithLedger, AReplayOfTheAnswersAgreesWithTheLedger) {
  Release release(request({.subject = "patient"}));
  Amount sum;
  for (int i = 0; i < 20; ++i) {
    const std::string text = i % 3 == 0 ? "w0" : i % 3 == 1 ? "w0 w1 w2 w3" : "w2 unknownword";
    const std::vector<std::string_view> one = {text};
    const PrivateTexts released = release.texts(one, {});
    sum = sum.plus(Amount::charge(0.3, released.counts.tokens));
    EXPECT_EQ(release.answer().spent.at(0).spent, sum);
  }
  EXPECT_EQ(spent(AccountRole::subject, "patient"), sum.text());
  EXPECT_TRUE(verify_ledger({.ledger = ledger_}).holds());
}

// A sink that shows bytes at once, and what was spent when the first of them left.
class OpenSink final : public ByteSink {
 public:
  explicit OpenSink(Ledger& ledger) : ledger_(&ledger) {}
  void write(std::string_view bytes) override {
    if (bytes_.empty() && !bytes.empty()) debits_before_ = ledger_->head().count;
    bytes_ += bytes;
  }
  void finish() override {}
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::int64_t debits_before() const { return debits_before_; }

 private:
  Ledger* ledger_;
  std::string bytes_;
  std::int64_t debits_before_ = -1;
};

TEST_F(ReleaseWithLedger, AStreamIsDebitedBeforeItsFirstByteLeaves) {
  OpenSink sink(*ledger_);
  const auto source = source_of_string("w0 w1\nw2\n");
  const ReleaseAnswer answer =
      release_stream(*source, sink, request({.subject = "patient", .document = "letter"}));
  EXPECT_EQ(sink.debits_before(), 2);
  EXPECT_EQ(spent(AccountRole::subject, "patient"), "0.900000");
  EXPECT_EQ(spent(AccountRole::document, "letter"), "0.300000");
  EXPECT_EQ(to_json(answer)["spent"][0]["spent"], "0.300000");

  OpenSink refused(*ledger_);
  const auto again = source_of_string("w0 w1\nw2\n");
  EXPECT_THROW(release_stream(*again, refused, request({.document = "letter"})), LimitReached);
  EXPECT_EQ(refused.bytes(), "");
}

TEST_F(ReleaseWithLedger, APartThatABudgetDoesNotAllowDoesNotLeave) {
  std::string text;
  for (int i = 0; i < 150'000; ++i) text += "w0 w1\n";  // several chunks
  OpenSink sink(*ledger_);
  const auto source = source_of_string(text);
  const Amount budget = Amount::charge(0.3, 100'000);
  EXPECT_THROW(release_stream(*source, sink, request({.subject = "patient", .subject_budget = budget})),
               LimitReached);
  const auto words = static_cast<std::uint64_t>(2 * std::ranges::count(sink.bytes(), '\n'));
  EXPECT_GT(words, 0U);
  EXPECT_EQ(spent(AccountRole::subject, "patient"), Amount::charge(0.3, words).text());
}

TEST_F(ReleaseWithLedger, WhatCannotBeCountedIsRefused) {
  ReleaseRequest seeded = request();
  seeded.seed_not_private = 1;
  EXPECT_THROW(Release{seeded}, Error);
  ReleaseRequest kept = request();
  kept.texts.unknown = UnknownWords::keep;
  EXPECT_THROW(Release{kept}, Error);
  ReleaseRequest identity = request();
  identity.built = build_mechanism("identity", sotto::test::line_model({0, 1, 2.5, 4}), {});
  EXPECT_THROW(Release{identity}, Error);
}

TEST_F(ReleaseWithLedger, VectorsCountByRow) {
  const VectorInput input{.dim = 3};
  VectorRelease release(
      {.mechanism = build_vector_mechanism("privemb", input, {{"epsilon", "2"}, {"dimension", "2"}}),
       .ledger = LedgerUse{.ledger = ledger_, .subject = "patient"}});
  const std::vector<double> values(12, 0.5);
  EXPECT_EQ(release.array({.values = values, .columns = 3}, {}).size(), 8U);
  const LedgerShowAnswer shown = show_ledger({.ledger = ledger_});
  ASSERT_EQ(shown.rows.size(), 1U);
  EXPECT_EQ(shown.rows[0].balance.spent.text(), "8.000000");
  EXPECT_EQ(shown.rows[0].account.scope.kind, "vectors");
  EXPECT_EQ(shown.rows[0].account.scope.model, "none");
}

}  // namespace
}  // namespace sotto::api
