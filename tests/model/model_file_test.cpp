#include "model/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>

#include "model/model_fixtures.h"
#include "model/model_header.h"

namespace sotto::test {
namespace {

using ::testing::HasSubstr;

std::string tiny_file() {
  return file_of(*Model::from_words({"canary", "b", "cc"}, {1, 2, 3, 4, 5, 6}, 2,
                                    {.name = "tiny", .source = "", .licence = ""}));
}

void set_checksum(std::string& file) {
  set_model_file_checksum({reinterpret_cast<std::byte*>(file.data()), file.size()});
}

template <typename T>
void patch(std::string& file, std::size_t offset, T value) {
  ASSERT_LE(offset + sizeof value, file.size());
  std::memcpy(file.data() + offset, &value, sizeof value);
}

ModelHeader header_of(const std::string& file) {
  ModelHeader header{};
  std::memcpy(&header, file.data(), sizeof header);
  return header;
}

std::string refusal(const std::string& file) {
  return error_of(ErrorCode::bad_data, [&] { Model::from_bytes(bytes_of(file)); });
}

// Reads everything there is to read; under ASan a wrong bound would end the test.
void use(const Model& model) {
  for (std::size_t i = 0; i < model.size(); ++i) {
    EXPECT_EQ(model.find(model.word(word_id(i))), word_id(i));
    for (const float value : model.vector(word_id(i))) EXPECT_EQ(value, value);
  }
  EXPECT_EQ(model.find("absent"), std::nullopt);
  EXPECT_EQ(model.identity().size(), 64);
}

// A forged file may be legal (other vectors, say); the number accepted.
std::size_t use_or_refuse(const std::string& file) {
  try {
    use(*Model::from_bytes(bytes_of(file)));
    return 1;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    return 0;
  }
}

TEST(ModelFile, IsRefusedAtEveryShorterLength) {
  const std::string file = tiny_file();
  for (std::size_t length = 0; length < file.size(); ++length) refusal(file.substr(0, length));
  refusal(file + '\0');
}

TEST(ModelFile, IsRefusedWithAnyBitFlipped) {
  std::string file = tiny_file();
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    file[bit / 8] = static_cast<char>(file[bit / 8] ^ (1 << bit % 8));
    refusal(file);
    file[bit / 8] = static_cast<char>(file[bit / 8] ^ (1 << bit % 8));
  }
}

TEST(ModelFile, IsSafeWithAnyBitFlippedUnderARightChecksum) {
  const std::string good = tiny_file();
  std::size_t accepted = 0;
  for (std::size_t bit = 8 * kChecksumEnd; bit < 8 * good.size(); ++bit) {
    std::string file = good;
    file[bit / 8] = static_cast<char>(file[bit / 8] ^ (1 << bit % 8));
    set_checksum(file);
    accepted += use_or_refuse(file);
  }
  EXPECT_GT(accepted, 0);  // bits of vectors are free, so the loop did get past the checksum
}

TEST(ModelFile, IsSafeWithExtremeHeaderFieldsUnderARightChecksum) {
  const std::string good = tiny_file();
  const std::vector<std::uint64_t> extremes = {0,          1,          2,          5,          63,
                                               64,         1U << 16,   1ULL << 31, 1ULL << 32, 1ULL << 61,
                                               1ULL << 62, 1ULL << 63, ~0ULL,      ~0ULL - 63};
  for (std::size_t offset = kChecksumEnd; offset < offsetof(ModelHeader, identity); offset += 4) {
    for (const std::uint64_t value : extremes) {
      std::string wide = good;
      patch(wide, offset, value);
      std::string narrow = good;
      patch(narrow, offset, static_cast<std::uint32_t>(value));
      for (std::string* file : {&wide, &narrow}) {
        set_checksum(*file);
        use_or_refuse(*file);
      }
    }
  }
}

TEST(ModelFile, RefusesForgedContents) {
  const std::string good = tiny_file();
  const ModelHeader header = header_of(good);
  const auto forged = [&](std::uint64_t offset, auto value) {
    std::string file = good;
    patch(file, offset, value);
    set_checksum(file);
    return refusal(file);
  };
  EXPECT_THAT(forged(header.rows.offset, 0x7fc00000U), HasSubstr("NaN"));
  EXPECT_THAT(forged(header.rows.offset + 64, 0xff800000U), HasSubstr("infinity"));
  EXPECT_THAT(forged(header.rows.offset + 8, 1U), HasSubstr("padding"));
  EXPECT_THAT(forged(header.rows.offset + 188, 0x80000000U), HasSubstr("padding"));
  EXPECT_THAT(forged(header.word_ends.offset, 0U), HasSubstr("word ends"));
  EXPECT_THAT(forged(header.word_ends.offset, 0xffffffffU), HasSubstr("word ends"));
  EXPECT_THAT(forged(header.word_ends.offset + 4, 5U), HasSubstr("word ends"));
  EXPECT_THAT(forged(header.word_ends.offset + 8, 8U), HasSubstr("word ends"));
  EXPECT_THAT(forged(header.word_bytes.offset + 6, '\xff'), HasSubstr("words"));
  EXPECT_THAT(forged(header.word_bytes.offset + 6, '\n'), HasSubstr("words"));
  EXPECT_THAT(forged(header.origin.offset, '['), HasSubstr("description"));
  EXPECT_THAT(forged(offsetof(ModelHeader, reserved), '\1'), HasSubstr("reserved"));
}

TEST(ModelFile, RefusesForgedSlots) {
  const std::string good = tiny_file();
  const ModelHeader header = header_of(good);
  ASSERT_EQ(header.slots, 8);
  const auto with_slots = [&](const std::vector<std::uint32_t>& slots) {
    std::string file = good;
    for (std::size_t i = 0; i < slots.size(); ++i) patch(file, header.slot_table.offset + 4 * i, slots[i]);
    set_checksum(file);
    return file;
  };
  refusal(with_slots(std::vector<std::uint32_t>(8, 0)));  // no empty slot: a look-up would not end
  refusal(with_slots(std::vector<std::uint32_t>(8, 3)));  // all empty
  refusal(with_slots({0, 1, 2, 0, 1, 2, 0, 1}));          // full and repeated
  refusal(with_slots({4, 3, 3, 3, 3, 3, 3, 3}));          // out of range
  refusal(with_slots({0, 0, 0, 3, 3, 3, 3, 3}));          // the right number, but one word only
}

TEST(ModelFile, AcceptsATableWithOneEmptySlot) {
  // Another writer may fill the table further than ours does.
  std::vector<std::string> words = {"a", "b", "c", "d", "e", "f", "g"};
  std::string file = file_of(*Model::from_words(words, std::vector<float>(7, 1.0F), 1));
  ModelHeader header = header_of(file);
  ASSERT_EQ(header.slots, 16);
  std::vector<std::uint32_t> slots(8, 7);
  for (std::uint32_t i = 0; i < 7; ++i) {
    std::size_t slot = WordTable::first_slot(words[i]) & 7;
    while (slots[slot] != 7) slot = (slot + 1) & 7;
    slots[slot] = i;
  }
  header.slots = 8;
  header.slot_table.size = 32;  // still one aligned block, so the rows stay where they are
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + header.slot_table.offset, slots.data(), 32);
  set_checksum(file);
  const auto model = Model::from_bytes(bytes_of(file));
  use(*model);
}

TEST(ModelFile, StatedIdentityOfAForgedFileIsNotTheComputedOne) {
  std::string file = tiny_file();
  patch(file, offsetof(ModelHeader, identity), '\x55');
  set_checksum(file);
  const auto model = Model::from_bytes(bytes_of(file));
  EXPECT_NE(model->identity(), model->stated_identity());
  EXPECT_EQ(model->identity(), Model::from_bytes(bytes_of(tiny_file()))->stated_identity());
}

TEST(ModelFile, SaysWhatIsWrongAndWhatToTry) {
  const TemporaryFolder folder;
  const auto open_error = [&](const std::string& bytes) {
    put(folder / "m.sotto", bytes);
    std::string message = error_of(ErrorCode::bad_data, [&] { Model::open(folder / "m.sotto"); });
    EXPECT_THAT(message, HasSubstr("m.sotto"));
    return message;
  };
  const std::string good = tiny_file();
  EXPECT_THAT(open_error(""), HasSubstr("empty"));
  EXPECT_THAT(open_error("the canary 0.1 0.2\n"),
              HasSubstr("not a .sotto model; import vectors with `sotto model import`"));
  EXPECT_THAT(open_error(good.substr(0, 100)), HasSubstr("truncated"));
  EXPECT_THAT(open_error(good.substr(0, good.size() - 1)), HasSubstr("truncated"));
  std::string flipped = good;
  flipped.back() ^= 1;
  EXPECT_THAT(open_error(flipped), HasSubstr("checksum"));
  std::string newer = good;
  patch(newer, offsetof(ModelHeader, version), 2U);
  EXPECT_THAT(open_error(newer), HasSubstr("version 2"));
}

TEST(ModelFile, UnreadablePathsAreInputOutputErrors) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of(ErrorCode::input_output, [&] { Model::open(folder / "absent.sotto"); }),
              HasSubstr("absent.sotto"));
  EXPECT_THAT(error_of(ErrorCode::input_output, [&] { Model::open(folder.path()); }),
              HasSubstr("regular file"));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(error_of(ErrorCode::input_output, [&] { Model::open(folder / "pipe"); }),
              HasSubstr("regular file"));
}

}  // namespace
}  // namespace sotto::test
