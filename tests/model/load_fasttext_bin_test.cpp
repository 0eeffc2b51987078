#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "model/import.h"
#include "model/model_fixtures.h"
#include "sotto/rng.h"

namespace sotto::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

template <typename Number>
void append(std::string& out, Number number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out.append(bytes, sizeof number);
}

// A model as fastText writes it. What the file states can be made to differ from what it holds.
struct TinyModel {
  std::int32_t version = 12;
  std::int32_t kind = 2;  // 1 cbow, 2 skip-gram, 3 supervised
  std::int32_t dim = 2;
  std::int32_t bucket = 0;
  std::int32_t minn = 0;
  std::int32_t maxn = 0;
  std::vector<std::string> words;
  std::vector<std::string> labels;
  std::vector<std::vector<float>> rows;  // of the input matrix: words, then buckets
  std::int64_t pruned = -1;
  std::int8_t quantised = 0;
  std::int64_t more_rows = 0;     // stated but not there
  std::int64_t more_cols = 0;     // likewise
  std::int32_t more_entries = 0;  // likewise

  [[nodiscard]] std::string file() const {
    std::string out;
    append(out, std::int32_t{793712314});
    append(out, version);
    for (const std::int32_t number : {dim, 5, 1, 1, 5, 1, 2, kind, bucket, minn, maxn, 100})
      append(out, number);
    append(out, 1e-4);
    const auto word_count = static_cast<std::int32_t>(words.size()) + more_entries;
    const auto label_count = static_cast<std::int32_t>(labels.size());
    for (const std::int32_t number : {word_count + label_count, word_count, label_count}) append(out, number);
    append(out, std::int64_t{1000});
    append(out, pruned);
    for (const auto& [list, type] : {std::pair(&words, 0), std::pair(&labels, 1)}) {
      for (const std::string& word : *list) {
        out.append(word).push_back('\0');
        append(out, std::int64_t{17});
        append(out, static_cast<std::int8_t>(type));
      }
    }
    append(out, quantised);
    append(out, static_cast<std::int64_t>(rows.size()) + more_rows);
    append(out, dim + more_cols);
    for (const auto& row : rows) {
      for (const float value : row) append(out, value);
    }
    append(out, std::int8_t{0});
    append(out, std::int64_t{1});  // the output matrix
    append(out, std::int64_t{dim});
    const std::size_t values = rows.empty() ? 0 : rows[0].size();
    for (std::size_t i = 0; i < values; ++i) append(out, 0.0F);
    return out;
  }
};

ImportOptions as_fasttext() {
  ImportOptions options = ascii_options();
  options.format = VectorFormat::fasttext_bin;
  return options;
}

std::string fasttext_refusal(const std::string& file) {
  return error_of(ErrorCode::bad_data, [&] { import_bytes(file, as_fasttext()); });
}

TinyModel small_model() {
  TinyModel model;
  model.bucket = 2;
  model.minn = 2;
  model.maxn = 3;
  model.words = {"The", "canary"};
  model.rows = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
  return model;
}

// With these rows the vector shows how often each bucket was hit: the first value is the word's own row,
// value 1 + b belongs to bucket b.
TinyModel counting_model(std::vector<std::string> words) {
  TinyModel model;
  model.bucket = 7;
  model.dim = 8;
  model.words = std::move(words);
  for (std::size_t i = 0; i < model.words.size() + 7; ++i) {
    std::vector<float> row(8);
    row[i < model.words.size() ? 0 : i - model.words.size() + 1] = 1;
    model.rows.push_back(row);
  }
  return model;
}

// The plain reading of the paper and of fastText's hash, in double.
std::vector<double> slow_vector(const TinyModel& model, std::size_t index) {
  std::vector<std::string> characters = {"<"};
  for (const char c : model.words[index]) {
    if ((c & 0xC0) == 0x80) {
      characters.back() += c;
    } else {
      characters.emplace_back(1, c);
    }
  }
  characters.emplace_back(">");
  std::vector<std::size_t> used = {index};
  for (std::size_t first = 0; first < characters.size(); ++first) {
    std::string ngram;
    for (std::size_t last = first; last < characters.size(); ++last) {
      ngram += characters[last];
      const auto length = static_cast<std::int32_t>(last - first + 1);
      if (length < model.minn || length > model.maxn || ngram == "<" || ngram == ">") continue;
      std::uint32_t hash = 0x811C9DC5;
      for (const char c : ngram) {
        const std::uint32_t byte = static_cast<unsigned char>(c);
        hash ^= byte < 0x80 ? byte : 0xFFFFFF00 | byte;
        hash *= 0x01000193;
      }
      used.push_back(model.words.size() + hash % static_cast<std::uint32_t>(model.bucket));
    }
  }
  std::vector<double> sum(static_cast<std::size_t>(model.dim));
  for (const std::size_t row : used) {
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += static_cast<double>(model.rows[row][k]);
  }
  for (double& value : sum) value /= static_cast<double>(used.size());
  return sum;
}

TEST(FasttextBin, HashesNgramsAsFasttextDoes) {
  // Buckets that fastText 0.9.2 itself reports for these words with 7 buckets.
  TinyModel model = counting_model({"n\xc3\xa9", "\xe6\x97\xa5\xe6\x9c\xac", "a", "cat", "</s>"});
  model.minn = 2;
  model.maxn = 3;
  const auto counts = [&](const std::string& word, float rows) {
    std::vector<float> vector = vector_of(*import_bytes(model.file()), word);
    for (float& value : vector) value *= rows;
    return vector;
  };
  const auto are = [](const std::vector<float>& expected) { return Pointwise(FloatNear(1e-5F), expected); };
  EXPECT_THAT(counts("n\xc3\xa9", 6), are({1, 2, 0, 2, 0, 1, 0, 0}));                 // 0 4 2 2 0
  EXPECT_THAT(counts("\xe6\x97\xa5\xe6\x9c\xac", 6), are({1, 1, 1, 0, 0, 1, 1, 1}));  // 1 5 0 4 6
  EXPECT_THAT(counts("a", 4), are({1, 0, 0, 1, 1, 1, 0, 0}));                         // 4 2 3
  EXPECT_THAT(counts("cat", 8), are({1, 0, 2, 1, 1, 1, 1, 1}));                       // 1 1 2 4 3 5 6
  EXPECT_THAT(counts("</s>", 1), are({1, 0, 0, 0, 0, 0, 0, 0}));
  model.minn = 1;  // single characters count, but not the marks of begin and end
  model.maxn = 2;
  EXPECT_THAT(counts("a", 4), are({1, 0, 0, 0, 1, 1, 1, 0}));  // 4 5 3
  EXPECT_THAT(counts("n\xc3\xa9", 6), are({1, 3, 0, 1, 0, 0, 1, 0}));
}

TEST(FasttextBin, AgreesWithTheSlowReference) {
  Rng rng = Rng::seeded_not_private(11);
  TinyModel model;
  model.dim = 5;
  model.bucket = 7;
  model.words = {"a", "of", "canary", "na\xc3\xafve", "\xf0\x9f\x98\x80x", "x-ray", "thequickbrownfox"};
  for (std::size_t i = 0; i < model.words.size() + 7; ++i) {
    std::vector<float> row(5);
    for (float& value : row) value = static_cast<float>(rng.bits() % 2001) / 100 - 10;
    model.rows.push_back(row);
  }
  for (const auto& [minn, maxn] : {std::pair(2, 3), std::pair(1, 1), std::pair(3, 6), std::pair(0, 256)}) {
    model.minn = minn;
    model.maxn = maxn;
    const auto imported = import_bytes(model.file());
    ASSERT_EQ(words_of(*imported), model.words);
    for (std::size_t i = 0; i < model.words.size(); ++i) {
      EXPECT_THAT(vector_of(*imported, model.words[i]), Pointwise(FloatNear(1e-5F), slow_vector(model, i)))
          << model.words[i] << ' ' << minn << ' ' << maxn;
    }
  }
}

TEST(FasttextBin, WithoutNgramsAVectorIsItsRow) {
  TinyModel model;
  model.words = {"The", "of", "</s>"};
  model.rows = {{1, -2}, {0.1F, 4}, {5, 6}};
  const auto plain = import_bytes(model.file());
  EXPECT_THAT(words_of(*plain), ElementsAre("the", "of", "</s>"));
  EXPECT_THAT(vector_of(*plain, "of"), ElementsAre(0.1F, 4));
  EXPECT_EQ(plain->origin().source, "fastText .bin");
  model.maxn = 6;  // but no buckets
  EXPECT_EQ(import_bytes(model.file())->identity(), plain->identity());
  model.maxn = 0;  // buckets, but for pairs of words
  model.bucket = 1;
  model.rows.push_back({9, 9});
  EXPECT_EQ(import_bytes(model.file())->identity(), plain->identity());
}

TEST(FasttextBin, LabelsAreNotWords) {
  TinyModel model;
  model.kind = 3;
  model.words = {"the", "of"};
  model.labels = {"__label__canary"};
  model.rows = {{1, 2}, {3, 4}};
  const auto imported = import_bytes(model.file());
  EXPECT_THAT(words_of(*imported), ElementsAre("the", "of"));
  EXPECT_EQ(imported->origin().rows_read, 2);
}

TEST(FasttextBin, OldClassifiersHadNoNgrams) {
  TinyModel model = small_model();
  model.kind = 3;
  EXPECT_THAT(vector_of(*import_bytes(model.file()), "the"), Each(FloatNear(5, 2)));
  EXPECT_NE(vector_of(*import_bytes(model.file()), "the")[0], 1);
  model.version = 11;
  EXPECT_THAT(vector_of(*import_bytes(model.file()), "the"), ElementsAre(1, 2));
  model.kind = 2;
  EXPECT_NE(vector_of(*import_bytes(model.file()), "the")[0], 1);
}

TEST(FasttextBin, HoldsMatricesOfManyBlocks) {
  // Rows of 60,000 values: 17 to a block, and nearly as wide as the reader's first buffer.
  TinyModel model;
  model.dim = 60000;
  for (int i = 0; i < 40; ++i) {
    model.words.push_back("w" + std::to_string(i));
    model.rows.emplace_back(60000, static_cast<float>(i));
  }
  const auto imported = import_bytes(model.file());
  ASSERT_EQ(imported->size(), 40);
  for (int i = 0; i < 40; ++i) {
    EXPECT_THAT(vector_of(*imported, "w" + std::to_string(i)), Each(static_cast<float>(i)));
  }
}

TEST(FasttextBin, RefusesQuantisedAndPrunedFiles) {
  TinyModel model = small_model();
  model.quantised = 1;
  EXPECT_THAT(fasttext_refusal(model.file()), HasSubstr("quantised"));
  EXPECT_THAT(fasttext_refusal(model.file()), HasSubstr(".vec"));
  model.quantised = 0;
  for (const std::int64_t pruned :
       {std::int64_t{0}, std::int64_t{3}, std::numeric_limits<std::int64_t>::max()}) {
    model.pruned = pruned;
    EXPECT_THAT(fasttext_refusal(model.file()), HasSubstr("quantised"));
  }
}

TEST(FasttextBin, RefusesEveryShorterAndAnyLongerFile) {
  TinyModel model = small_model();
  model.labels = {"canary"};
  const std::string file = model.file();
  EXPECT_EQ(import_bytes(file, as_fasttext())->size(), 2);
  for (std::size_t length = 0; length < file.size(); ++length) fasttext_refusal(file.substr(0, length));
  EXPECT_THAT(fasttext_refusal(file + '\0'), HasSubstr("damaged"));
}

TEST(FasttextBin, SurvivesEveryChangedByte) {
  const std::string file = small_model().file();
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (const char value : {'\x00', '\x01', '\x7f', '\x80', '\xff'}) {
      std::string changed = file;
      changed[at] = value;
      try {
        import_bytes(changed, as_fasttext());
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_data) << at << ' ' << error.what();
      }
    }
  }
}

TEST(FasttextBin, NeverAllocatesByWhatIsStated) {
  const auto changed = [](const auto& change) {
    TinyModel model = small_model();
    change(model);
    return fasttext_refusal(model.file());
  };
  EXPECT_THAT(changed([](TinyModel& m) { m.more_entries = 2147483000; }), HasSubstr("dictionary"));
  EXPECT_THAT(changed([](TinyModel& m) { m.more_entries = -3; }), HasSubstr("dictionary"));
  // Petabytes of rows; refused because they do not fit the dictionary, or because the file ends.
  EXPECT_THAT(changed([](TinyModel& m) { m.more_rows = std::int64_t{1} << 50; }), HasSubstr("input matrix"));
  EXPECT_THAT(changed([](TinyModel& m) { m.more_rows = -100; }), HasSubstr("input matrix"));
  EXPECT_THAT(changed([](TinyModel& m) {
                m.dim = 60000;
                m.rows.clear();
                m.bucket = 2147483647;
                m.more_rows = 2147483649;
              }),
              HasSubstr("ends in its input matrix"));
  EXPECT_THAT(changed([](TinyModel& m) { m.bucket = 3; }), HasSubstr("input matrix"));
  EXPECT_THAT(changed([](TinyModel& m) { m.bucket = -1; }), HasSubstr("n-grams"));
  EXPECT_THAT(changed([](TinyModel& m) { m.maxn = 2147483647; }), HasSubstr("n-grams"));
  for (const std::int32_t dim : {-2147483647, -1, 0, 2147483647}) {
    EXPECT_THAT(changed([&](TinyModel& m) {
                  m.dim = dim;
                  m.rows.clear();
                }).substr(0, 100),
                HasSubstr("dimensions"));
  }
  EXPECT_THAT(changed([](TinyModel& m) { m.more_cols = 1; }), HasSubstr("input matrix"));
  EXPECT_THAT(changed([](TinyModel& m) { m.version = 13; }), HasSubstr("version 13"));
  EXPECT_THAT(changed([](TinyModel& m) { m.words[0] = std::string(1 << 17, 'x'); }), HasSubstr("dictionary"));
}

TEST(FasttextBin, RefusesAnOutputMatrixThatLies) {
  std::string file = small_model().file();
  const std::size_t place = file.size() - 2 * sizeof(float) - 2 * sizeof(std::int64_t);
  for (const std::int64_t rows : {std::int64_t{-1}, std::int64_t{2}, std::int64_t{1} << 32,
                                  std::int64_t{1} << 61, std::numeric_limits<std::int64_t>::max()}) {
    std::memcpy(file.data() + place, &rows, sizeof rows);
    EXPECT_THAT(fasttext_refusal(file), HasSubstr("output matrix")) << rows;
  }
}

TEST(FasttextBin, RefusesWordsWithoutAnEnd) {
  std::string file = small_model().file();
  const std::size_t dictionary = file.find("The");
  EXPECT_THAT(fasttext_refusal(file.substr(0, dictionary) + std::string(100, 'x')),
              HasSubstr("ends in its dictionary"));
  EXPECT_THAT(fasttext_refusal(file.substr(0, dictionary) + std::string(1 << 18, 'x')), HasSubstr("damaged"));
}

TEST(FasttextBin, RefusesOtherFiles) {
  EXPECT_THAT(fasttext_refusal("2 2\nthe 1 2\nof 3 4\n"), HasSubstr(".vec files are word2vec"));
  EXPECT_THAT(fasttext_refusal(""), HasSubstr("not a fastText .bin"));
}

TEST(FasttextBin, AppliesTheRulesOfEveryImport) {
  TinyModel model;
  model.words = {"The", "the", "two words", "\xff", "", "of", "end"};
  model.rows = {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}, {7, 7}};
  ImportOptions options = ascii_options();
  options.limit = 2;
  const auto imported = import_bytes(model.file(), options);
  EXPECT_THAT(words_of(*imported), ElementsAre("the", "of"));
  EXPECT_THAT(vector_of(*imported, "the"), ElementsAre(1, 1));
  EXPECT_EQ(imported->origin().dropped_not_a_word, 3);
  EXPECT_EQ(imported->origin().dropped_collision, 1);
  EXPECT_EQ(imported->origin().dropped_by_request, 1);
  EXPECT_EQ(imported->origin().rows_read, 7);
}

TEST(FasttextBin, NamesTheRecordOfABadVector) {
  TinyModel model = small_model();
  model.rows[1][0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(fasttext_refusal(model.file()), HasSubstr("record 2"));
}

}  // namespace
}  // namespace sotto::test
