#include "sotto/adversary.h"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "../core/temporary_folder.h"
#include "sotto/error.h"

namespace sotto::api {
namespace {

using Texts = std::vector<std::string>;

std::shared_ptr<const Model> animals() {
  return Model::from_words({"cat", "dog", "bird", "fish"}, {0, 1, 2, 3}, 1);
}

Error refusal_of(const AdversaryRequest& request) {
  try {
    (void)resolve(request, animals());
  } catch (const Error& error) {
    return error;
  }
  return {ErrorCode::internal, "not refused"};
}

TEST(Adversary, AnEmptyRequestKnowsTheRanksAndWithWordsOnlyThem) {
  EXPECT_EQ(resolve({}, animals()).prior.weights, frequency_rank_prior(*animals()).weights);
  EXPECT_FALSE(resolve({}, animals()).labels);
  const Adversary two = resolve({.words = Texts{"dog", "fish"}}, animals());
  EXPECT_EQ(two.prior.weights, (std::vector<double>{0, 0.5, 0, 0.5}));
}

TEST(Adversary, FilesAndMemoryMeanTheSame) {
  const test::TemporaryFolder folder;
  test::put(folder / "counts.tsv", "Cat\t3\nDOG\t1\nfish\t4\nzanzibarcanary\t9\n");
  test::put(folder / "words.txt", "cat\ndog\nnone\n");
  test::put(folder / "labels.tsv", "cat\tpet\ndog\tpet\nfish\twild\nnone\twild\ndog\twild\n");
  const Adversary file = resolve({.prior = "counts:" + (folder / "counts.tsv").string(),
                                  .words = folder / "words.txt",
                                  .labels = folder / "labels.tsv"},
                                 animals());
  const Adversary memory =
      resolve({.prior = std::vector<WordWeight>{{"Cat", 3}, {"DOG", 1}, {"fish", 4}, {"zanzibarcanary", 9}},
               .words = Texts{"cat", "dog", "none"},
               .labels =
                   std::vector<WordLabel>{
                       {"cat", "pet"}, {"dog", "pet"}, {"fish", "wild"}, {"none", "wild"}, {"dog", "wild"}}},
              animals());
  EXPECT_EQ(memory.prior.weights, (std::vector<double>{0.75, 0.25, 0, 0}));
  EXPECT_EQ(memory.prior.weights, file.prior.weights);
  EXPECT_EQ(memory.labels->of, file.labels->of);
  // All counts, of entries and of those that are unknown among them.
  Json first = to_json(summary_of(memory.prior));
  Json second = to_json(summary_of(file.prior));
  EXPECT_EQ(first["unknown"], 1);
  first.erase("description");
  second.erase("description");
  EXPECT_EQ(first, second);
  EXPECT_EQ(to_json(*summary_of(memory.labels)), to_json(*summary_of(file.labels)));
  EXPECT_EQ(to_json(*summary_of(memory.labels))["conflicts"], 1);
}

TEST(Adversary, LabelTextsAreOneTableOrNamedLists) {
  const test::TemporaryFolder folder;
  test::put(folder / "labels.tsv", "cat\tpet\nfish\twild\n");
  test::put(folder / "pet.txt", "cat\n");
  test::put(folder / "wild.txt", "fish\n");
  const Labels table = resolve({.labels = Texts{(folder / "labels.tsv").string()}}, animals()).labels.value();
  const Labels lists =
      resolve(
          {.labels = Texts{"pet=" + (folder / "pet.txt").string(), "wild=" + (folder / "wild.txt").string()}},
          animals())
          .labels.value();
  EXPECT_EQ(table.of, lists.of);
  EXPECT_EQ(table.names, lists.names);
  for (const Texts& mixed : {Texts{"pet=", "wild=x"}, Texts{"a.tsv", "b.tsv"}, Texts{"=x"}}) {
    const Error error = refusal_of({.labels = mixed});
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_EQ(std::string(error.what()).find("`labels` is either"), 0U) << error.what();
  }
}

// Options are named without dashes, and no word of the data is quoted.
TEST(Adversary, RefusesWhatMeansNothing) {
  const Error name = refusal_of({.prior = "zipf"});
  EXPECT_EQ(name.code(), ErrorCode::usage);
  EXPECT_STREQ(name.what(), "`prior` zipf: it must be uniform, rank, counts:FILE or corpus:FILE");
  const std::vector<std::function<Error()>> data = {
      [] {
        return refusal_of({.prior = std::vector<WordWeight>{{"zanzibarcanary", 1}}});
      },
      [] {
        return refusal_of({.prior = std::vector<WordWeight>{{"zanzibarcanary", -1}}});
      },
      [] { return refusal_of({.words = Texts{"zanzibarcanary"}}); },
      [] { return refusal_of({.words = Texts{}}); },
      [] {
        return refusal_of({.prior = std::vector<WordWeight>{{"cat", 1}}, .words = Texts{"dog"}});
      },
      [] {
        return refusal_of({.labels = std::vector<WordLabel>{{"zanzibarcanary", "zanzibarcanary"}}});
      },
  };
  for (const auto& refused : data) {
    const Error error = refused();
    EXPECT_EQ(error.code(), ErrorCode::bad_data) << error.what();
    EXPECT_EQ(std::string(error.what()).find("zanzibarcanary"), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find("--"), std::string::npos) << error.what();
  }
  EXPECT_EQ(refusal_of({.prior = "counts:/no/such/file"}).code(), ErrorCode::input_output);
}

}  // namespace
}  // namespace sotto::api
