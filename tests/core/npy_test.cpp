#include "core/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "core/infinity.h"
#include "sotto/error.h"

namespace sotto {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

// Gives at most `step` bytes at a time, as pipes do.
class DribblingSource final : public ByteSource {
 public:
  DribblingSource(std::string bytes, std::size_t step)
      : inner_(source_of_string(std::move(bytes))), step_(step) {}
  std::size_t read(char* buffer, std::size_t capacity) override {
    return inner_->read(buffer, std::min(capacity, step_));
  }
  [[nodiscard]] std::uint64_t consumed() const override { return inner_->consumed(); }
  [[nodiscard]] std::uint64_t total() const override { return inner_->total(); }

 private:
  std::unique_ptr<ByteSource> inner_;
  std::size_t step_;
};

// What numpy.save writes before the values: the text is padded with spaces to 128 bytes in all.
std::string numpy_header(const std::string& dictionary, int version = 1) {
  const std::size_t length = version == 1 ? 118 : 116;
  std::string out = "\x93NUMPY";
  out += {static_cast<char>(version), '\0', static_cast<char>(length), '\0'};
  if (version > 1) out += {'\0', '\0'};
  out += dictionary;
  out.resize(127, ' ');
  return out + '\n';
}
std::string numpy_header(const std::string& descr, const std::string& shape,
                         const std::string& order = "False") {
  return numpy_header("{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }");
}

// The bytes of 1.5, -2.25 and so on, written out by shifts: independent of the host's order.
template <typename Bits, typename Float>
std::string npy_bytes(const std::vector<Float>& values, bool is_big_endian) {
  std::string out;
  for (const Float value : values) {
    const Bits bits = std::bit_cast<Bits>(value);
    for (std::size_t i = 0; i < sizeof bits; ++i) {
      const std::size_t shift = 8 * (is_big_endian ? sizeof bits - 1 - i : i);
      out.push_back(static_cast<char>(bits >> shift & 0xff));
    }
  }
  return out;
}
std::string float64_bytes(const std::vector<double>& values) {
  return npy_bytes<std::uint64_t>(values, false);
}

std::vector<double> all_rows(ByteSource& source, std::size_t rows_at_once) {
  NpyReader reader(source, "the file");
  std::vector<double> piece(rows_at_once * reader.shape().cols + (rows_at_once > 1 ? 1 : 0));
  std::vector<double> all;
  while (const std::size_t rows = reader.read(piece)) {
    EXPECT_LE(rows, rows_at_once);
    all.insert(all.end(), piece.begin(), piece.begin() + static_cast<long>(rows * reader.shape().cols));
  }
  EXPECT_EQ(reader.read(piece), 0U);  // the end stays the end
  return all;
}
std::vector<double> npy_values(const std::string& bytes, std::size_t rows_at_once = 100) {
  return all_rows(*source_of_string(bytes), rows_at_once);
}

std::string npy_refusal(const std::string& bytes) {
  try {
    npy_values(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("the file: "));
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(Npy, ReadsEveryTypeByteOrderAndVersion) {
  const std::vector<double> values = {1.5, -2.25, 0, 1e30, -0.0, 7};
  const std::vector<float> narrow(values.begin(), values.end());
  const std::vector<double> rounded(narrow.begin(), narrow.end());
  for (const bool is_big : {false, true}) {
    const std::string order = is_big ? ">" : "<";
    EXPECT_EQ(npy_values(numpy_header(order + "f8", "(2, 3)") + npy_bytes<std::uint64_t>(values, is_big)),
              values);
    EXPECT_EQ(npy_values(numpy_header(order + "f4", "(2, 3)") + npy_bytes<std::uint32_t>(narrow, is_big)),
              rounded);
  }
  for (const int version : {1, 2, 3}) {
    const std::string header =
        numpy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", version);
    EXPECT_EQ(npy_values(header + float64_bytes(values)), values) << version;
  }
}

TEST(Npy, StatesTheShape) {
  const auto source = source_of_string(numpy_header("<f4", "(2, 3)") + std::string(24, '\0'));
  const NpyReader reader(*source, "the file");
  EXPECT_EQ(reader.shape().rows, 2U);
  EXPECT_EQ(reader.shape().cols, 3U);
  EXPECT_EQ(reader.shape().type, NpyShape::Type::float32);
}

TEST(Npy, PassesNanAndInfinityOn) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto values = npy_values(numpy_header("<f8", "(1, 3)") + float64_bytes({nan, kInfinity, -kInfinity}));
  ASSERT_EQ(values.size(), 3U);
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_EQ(values[1], kInfinity);
  EXPECT_EQ(values[2], -kInfinity);
}

TEST(Npy, TransposesFortranOrder) {
  const std::string file = numpy_header("<f8", "(2, 3)", "True") + float64_bytes({11, 21, 12, 22, 13, 23});
  for (const std::size_t rows : {1UL, 2UL, 5UL}) {
    EXPECT_THAT(npy_values(file, rows), ElementsAre(11, 12, 13, 21, 22, 23)) << rows;
  }
}

TEST(Npy, DoesNotDependOnTheSizeOfReads) {
  // More values than one piece of the reader's own buffer, and rows that do not divide it.
  std::vector<double> values(std::size_t{7} * 3001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) / 3;
  for (const std::string order : {"False", "True"}) {
    const std::string file = numpy_header("<f8", "(3001, 7)", order) + float64_bytes(values);
    const std::vector<double> whole = npy_values(file, 3001);
    EXPECT_EQ(whole[1], order == "True" ? values[3001] : values[1]);
    for (const std::size_t step : {1UL, 13UL, 70000UL}) {
      for (const std::size_t rows : {1UL, 1000UL, 4000UL}) {
        DribblingSource source(file, step);
        EXPECT_EQ(all_rows(source, rows), whole) << step << ' ' << rows << ' ' << order;
      }
    }
  }
}

TEST(Npy, ReadsAnyDictionaryThatPythonWouldWrite) {
  const std::string values = float64_bytes({1, 2});
  for (const std::string dictionary : {
           "{'shape': (1, 2), 'fortran_order': False, 'descr': '<f8'}",
           "{\"descr\":\"<f8\",\"fortran_order\":False,\"shape\":(1,2)}",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (1L, 2L), }",  // Python 2
           " { 'descr' : '<f8' , 'fortran_order' : False , 'shape' : ( 1 , 2 , ) , } ",
       }) {
    EXPECT_THAT(npy_values(numpy_header(dictionary) + values), ElementsAre(1, 2)) << dictionary;
  }
}

TEST(Npy, RefusesWhatIsNotThatDictionary) {
  for (const std::string dictionary : {
           "",
           "{",
           "{}",
           "[]",
           "{'descr': '<f8', 'fortran_order': False}",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), 'descr': '<f4'}",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), 'more': 1}",
           "{'descr': '<f8', 'fortran_order': 0, 'shape': (1, 2)}",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2)}",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 99999999999999999999)}",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (1 2)}",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (1,, 2)}",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2}",
           "{'descr': '<f8, 'fortran_order': False, 'shape': (1, 2)}",
           "{'descr': [('a', '<f8'), 'fortran_order': False, 'shape': (1, 2)}",
           "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)} canary",
           "{'descr': '<f8' 'fortran_order': False, 'shape': (1, 2)}",
       }) {
    const std::string message = npy_refusal(numpy_header(dictionary) + float64_bytes({1, 2}));
    EXPECT_THAT(message, HasSubstr("header is damaged")) << dictionary;
    EXPECT_THAT(message, ::testing::Not(HasSubstr("canary")));
  }
}

TEST(Npy, SaysWhatToDoWithOtherArrays) {
  const auto of_type = [](const std::string& descr) {
    return npy_refusal(numpy_header(descr, "(1, 1)") + std::string(16, '\0'));
  };
  for (const char* descr : {"<i8", "|u1", "|b1"}) {
    EXPECT_THAT(of_type(descr), HasSubstr("integers")) << descr;
    EXPECT_THAT(of_type(descr), HasSubstr("astype(\"float32\")")) << descr;
  }
  for (const char* descr : {"<f2", "<f16", "<c8"}) EXPECT_THAT(of_type(descr), HasSubstr("astype")) << descr;
  EXPECT_THAT(of_type("|O"), HasSubstr("runs code"));
  EXPECT_THAT(of_type("<U5"), HasSubstr("text"));
  EXPECT_THAT(of_type("<M8[D]"), HasSubstr("plain numbers"));
  EXPECT_THAT(of_type(""), HasSubstr("plain numbers"));
  EXPECT_THAT(
      npy_refusal(numpy_header("{'descr': [('a]', '<f4')], 'fortran_order': False, 'shape': (2, 2), }")),
      HasSubstr("named fields"));
  const auto of_shape = [](const std::string& shape) {
    return npy_refusal(numpy_header("<f8", shape) + std::string(64, '\0'));
  };
  EXPECT_THAT(of_shape("(8,)"),
              HasSubstr("1 dimension, but a matrix has two, rows and columns; a.reshape(1, -1)"));
  EXPECT_THAT(of_shape("(2, 2, 2)"), HasSubstr("3 dimensions, but a matrix has two"));
  EXPECT_THAT(of_shape("()"), HasSubstr("single number"));
  EXPECT_THAT(of_shape("(8, 0)"), HasSubstr("0 columns"));
}

TEST(Npy, RefusesOtherFiles) {
  EXPECT_THAT(npy_refusal(""), HasSubstr("not an .npy file"));
  EXPECT_THAT(npy_refusal("good 1 2 3\nbad 4 5 6\n"), HasSubstr("not an .npy file"));
  std::string newer = numpy_header("<f8", "(1, 1)") + float64_bytes({1});
  newer[6] = 4;
  EXPECT_THAT(npy_refusal(newer), HasSubstr("version"));
  EXPECT_THAT(npy_refusal(std::string("\x93NUMPY\x02\x00\xff\xff\xff\x7f", 12)),
              HasSubstr("2147483647 bytes"));
}

TEST(Npy, RefusesEveryShorterAndAnyLongerFile) {
  for (const std::string order : {"False", "True"}) {
    const std::string file = numpy_header("<f8", "(2, 2)", order) + float64_bytes({1, 2, 3, 4});
    for (std::size_t length = 0; length < file.size(); ++length) npy_refusal(file.substr(0, length));
    EXPECT_THAT(npy_refusal(file + '\0'), HasSubstr("bytes follow the 2 rows"));
  }
  const std::string rows = numpy_header("<f8", "(3, 2)") + float64_bytes({1, 2, 3, 4, 5});
  EXPECT_THAT(npy_refusal(rows), HasSubstr("ends after 2 of the 3 rows"));
}

TEST(Npy, NeverAllocatesByTheHeader) {
  // 8 petabytes: std::bad_alloc, which is not our error, if the header were believed.
  for (const std::string order : {"False", "True"}) {
    EXPECT_THAT(npy_refusal(numpy_header("<f8", "(1099511627776, 1024)", order) + float64_bytes({1, 2})),
                HasSubstr("ends after 0"));
    EXPECT_THAT(npy_refusal(numpy_header("<f8", "(1, 1048577)", order)), HasSubstr("1048577 columns"));
    // 2^61 rows of 8 columns of 8 bytes: the product is 0 in 64 bits.
    EXPECT_THAT(npy_refusal(numpy_header("<f8", "(2305843009213693952, 8)", order)),
                HasSubstr("more than a file"));
  }
}

TEST(Npy, ReadsAnArrayWithoutRows) {
  EXPECT_TRUE(npy_values(numpy_header("<f8", "(0, 3)")).empty());
  EXPECT_TRUE(npy_values(numpy_header("<f8", "(0, 3)", "True")).empty());
  EXPECT_THAT(npy_refusal(numpy_header("<f8", "(0, 3)") + 'x'), HasSubstr("bytes follow"));
}

TEST(Npy, WritesWhatItReads) {
  const std::vector<double> values = {1.5, -2.25, 0.1, 1e300, -0.0, kInfinity};
  for (const auto type : {NpyShape::Type::float32, NpyShape::Type::float64}) {
    std::string file = npy_header({3, 2, type});
    EXPECT_EQ(file.size() % 64, 0U);
    EXPECT_EQ(file.back(), '\n');
    append_npy_values(std::span(values).first(2), type, file);
    append_npy_values(std::span(values).subspan(2), type, file);
    std::vector<double> expected = values;
    if (type == NpyShape::Type::float32) {
      expected[2] = static_cast<double>(0.1F);
      expected[3] = kInfinity;
    }
    EXPECT_EQ(npy_values(file), expected);
  }
}

TEST(Npy, WritesTheHeaderThatNumpyWrites) {
  EXPECT_EQ(npy_header({2, 3, NpyShape::Type::float32}), numpy_header("<f4", "(2, 3)"));
  EXPECT_EQ(npy_header({123456789, 300, NpyShape::Type::float64}), numpy_header("<f8", "(123456789, 300)"));
}

}  // namespace
}  // namespace sotto
