#include "lab/tem/imdb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "core/sha256.h"
#include "core/temporary_folder.h"
#include "lab/tem/corpus.h"
#include "sotto/error.h"

namespace sotto::lab {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void write(const fs::path& file, std::string_view text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

constexpr char kTable[] =
    "id\tlabel\trating\tjia_split\ttext\n"
    "a\t1\t9\tdev\tA good film.<br /><br />Really good\n"
    "b\t0\t2\ttrain\tbad \xC2\x85 film\n";

std::shared_ptr<const Model> model() {
  return Model::from_words({"good", "bad", "film", "something", "an"}, {1, 2, 3, 4, 5}, 1);
}

void expect_error(const DataFolder& data, ErrorCode code, const std::string& part) {
  try {
    (void)ImdbPart(data, "train").read();
    FAIL() << part;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_THAT(error.what(), HasSubstr(part));
    EXPECT_THAT(error.what(), ::testing::Not(HasSubstr("secret")));
  }
}

TEST(Imdb, ReadsTheTable) {
  const test::TemporaryFolder folder;
  write(folder.path() / "imdb/imdb_train.tsv", kTable);
  const LabelledTexts read = ImdbPart(DataFolder(folder.path()), "train").read();
  EXPECT_THAT(read.texts, ElementsAre("A good film.<br /><br />Really good", "bad \xC2\x85 film"));
  EXPECT_THAT(read.labels, ElementsAre(1, 0));
}

TEST(Imdb, ReadsThePublishedFolders) {
  const test::TemporaryFolder folder;
  write(folder.path() / "aclImdb/train/neg/0_2.txt", "bad film");
  write(folder.path() / "aclImdb/train/pos/1_9.txt", "good\nfilm");
  write(folder.path() / "aclImdb/train/pos/0_8.txt", "good");
  write(folder.path() / "aclImdb/train/pos/notes.md", "no review");
  const LabelledTexts read = ImdbPart(DataFolder(folder.path()), "train").read();
  EXPECT_THAT(read.texts, ElementsAre("good", "good\nfilm", "bad film"));
  EXPECT_THAT(read.labels, ElementsAre(1, 1, 0));
}

TEST(Imdb, SaysWhereAMissingSetIsPublished) {
  const test::TemporaryFolder folder;
  expect_error(DataFolder(folder.path()), ErrorCode::input_output, "Stanford");
  expect_error(DataFolder(folder.path()), ErrorCode::input_output, "imdb/imdb_train.tsv");
  fs::create_directories(folder.path() / "aclImdb/train/pos");  // without neg
  expect_error(DataFolder(folder.path()), ErrorCode::input_output, "aclImdb/train/neg");
}

TEST(Imdb, BadLinesAreNamedAndNotQuoted) {
  const test::TemporaryFolder folder;
  const DataFolder data(folder.path());
  const fs::path file = folder.path() / "imdb/imdb_train.tsv";
  write(file, "id\tlabel\ttext\n1\t1\tsecret\n2\tsecret\ttext\n");
  expect_error(data, ErrorCode::bad_data, "line 3");
  write(file, "id\tlabel\ttext\n1\tsecret\n");
  expect_error(data, ErrorCode::bad_data, "line 2");
  write(file, "id\ttext\n1\tsecret\n");
  expect_error(data, ErrorCode::bad_data, "`label`");
  write(file, "id\tlabel\ttext\n");
  expect_error(data, ErrorCode::bad_data, "no reviews");
}

TEST(Imdb, TokensAreThoseOfPrivatize) {
  const LabelledTexts texts{.texts = {"A good film.<br /><br />Really GOOD", ""}, .labels = {1, 0}};
  const Corpus corpus = tokenise(texts, model(), 1);
  // a -> an (the model has no one-letter words); `really` is unknown: the anchor.
  EXPECT_THAT(corpus.words, ElementsAre(word_id(4), word_id(0), word_id(2), word_id(3), word_id(0)));
  EXPECT_THAT(corpus.ends, ElementsAre(5U, 5U));
  EXPECT_EQ(corpus.unknown, 1U);
  EXPECT_TRUE(corpus.document(1).empty());
}

TEST(Imdb, TokensAreKeptInAFileOfTheOwnersAlone) {
  const test::TemporaryFolder folder;
  write(folder.path() / "imdb/imdb_train.tsv", kTable);
  const fs::path output = folder.path() / "out";
  fs::create_directory(output);
  const auto read = [&] {
    return cached_corpus(ImdbPart(DataFolder(folder.path()), "train"), model(), output, 1);
  };
  const auto files = [&] {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(output)) out.push_back(entry.path());
    return out;
  };
  const Corpus first = read();
  ASSERT_EQ(files().size(), 1U);
  const fs::path kept = files()[0];
  struct stat facts {};
  ASSERT_EQ(::stat(kept.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  EXPECT_EQ(read(), first);

  // A changed byte, a cut file: made again, not believed.
  std::fstream(kept, std::ios::in | std::ios::out | std::ios::binary).seekp(120).put('\x7F');
  EXPECT_EQ(read(), first);
  fs::resize_file(kept, 100);
  EXPECT_EQ(read(), first);

  // A word that the model does not have, an end outside the words, a label that is none, too many documents:
  // made again, although the checksum is right.
  const std::string honest = test::contents(kept);
  const std::size_t counts = honest.find('\n', honest.find('\n') + 1) + 1;
  const std::size_t words = counts + 3 * sizeof(std::uint64_t);
  const std::size_t ends = words + first.words.size() * sizeof(WordId);
  const std::size_t labels = ends + first.ends.size() * sizeof(std::size_t);
  for (const std::size_t at : {counts, counts + 8, words, ends, labels}) {
    std::string forged = honest.substr(0, honest.size() - 64);
    forged[at] = '\x7F';
    Sha256 hash;
    hash.add(forged.data(), forged.size());
    test::put(kept, forged + hex_text(hash.digest()));
    EXPECT_EQ(read(), first) << at;
  }

  // Other data have a file of their own.
  write(folder.path() / "imdb/imdb_train.tsv", "label\ttext\n1\tgood\n");
  EXPECT_EQ(read().words.size(), 1U);
  EXPECT_EQ(files().size(), 2U);
}

TEST(Imdb, HalvesShareNothingAndAreBalanced) {
  Corpus corpus;
  for (std::size_t i = 0; i < 100; ++i) {
    corpus.ends.push_back(0);
    corpus.labels.push_back(i % 4 == 0 ? 1 : 0);
  }
  for (const std::size_t most : {std::size_t{50}, std::size_t{20}}) {
    const Halves halves = random_halves(corpus, most, 3);
    std::vector<int> seen(100);
    for (const auto* half : {&halves.first, &halves.second}) {
      std::size_t positive = 0;
      for (const std::uint32_t document : *half) {
        ++seen[document];
        positive += corpus.labels[document];
      }
      EXPECT_EQ(positive, most == 50 ? 12U : 10U);
    }
    EXPECT_EQ(*std::ranges::max_element(seen), 1);
    EXPECT_EQ(halves.first.size(), halves.second.size());
    EXPECT_EQ(halves.first, random_halves(corpus, most, 3).first);
    EXPECT_NE(halves.first, random_halves(corpus, most, 4).first);
  }
}

}  // namespace
}  // namespace sotto::lab
