// Our scanner against nlohmann-json on random records.
#include "text/jsonl_scan.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "text/format_support.h"

namespace sotto {
namespace {

using Json = nlohmann::ordered_json;

class RandomJson {
 public:
  explicit RandomJson(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t bound) { return random_() % bound; }

  std::string text() {
    static const std::vector<std::string> kParts = {"a", "b ",         "\"", "\\", "\n",  "/",
                                                    "é", "\U0001F600", "{",  "]",  "\x01"};
    std::string result;
    for (std::size_t i = below(5); i > 0; --i) result += kParts[below(kParts.size())];
    return result;
  }
  // Below a chosen name only text and arrays of it are legal.
  Json chosen() {
    if (below(8) == 0) return nullptr;
    if (below(3) > 0) return text();
    Json array = Json::array();
    for (std::size_t i = below(3); i > 0; --i) array.push_back(chosen());
    return array;
  }
  Json value(int depth) {
    switch (below(depth > 3 ? 4 : 6)) {
      case 0:
        return text();
      case 1:
        return static_cast<int>(below(2000)) - 1000;
      case 2:
        return below(2) == 0;
      case 3:
        return 0.5 * static_cast<double>(below(100));
      case 4: {
        Json array = Json::array();
        for (std::size_t i = below(3); i > 0; --i) array.push_back(value(depth + 1));
        return array;
      }
      default:
        return object(depth + 1);
    }
  }
  Json object(int depth) {
    static const std::vector<std::string> kNames = {"x", "té", "q\"", "s", ""};
    Json result = Json::object();
    for (std::size_t i = below(4); i > 0; --i) result[kNames[below(kNames.size())]] = value(depth);
    if (below(4) > 0) result["té"] = chosen();
    if (below(4) > 0) result["s"] = below(4) > 0 ? Json{{"té", value(9)}, {"u", chosen()}} : value(depth);
    return result;
  }

 private:
  std::mt19937 random_;
};

std::string marked(std::string_view text) {
  return "<" + std::string(text) + ">\n";
}

// The oracle: marks the strings at a path; false if something else, or nothing, is there.
bool mark(Json& node, const std::vector<std::string>& path, std::size_t at) {
  if (node.is_array()) {
    for (Json& element : node) {
      if (!mark(element, path, at)) return false;
    }
    return true;
  }
  if (at == path.size()) {
    if (node.is_string()) node = marked(node.get<std::string>());
    return node.is_string();
  }
  return node.is_object() && node.contains(path[at]) && mark(node[path[at]], path, at + 1);
}

TEST(JsonScan, ChoosesTheStringsThatNlohmannFinds) {
  RandomJson random(5);
  int accepted = 0;
  for (int round = 0; round < 4000; ++round) {
    const Json record = random.object(0);
    const bool as_ascii = random.below(2) == 0;
    const std::string line = record.dump(random.below(2) == 0 ? -1 : 0, ' ', as_ascii);
    std::string flat = line;
    std::replace(flat.begin(), flat.end(), '\n', ' ');
    const std::string input = "{\"té\":[],\"s\":[]}\n" + flat + "\n";
    Json expected = record;
    const bool is_complete = mark(expected, {"té"}, 0);
    if (!mark(expected, {"s", "u"}, 0) || !is_complete) {
      EXPECT_THROW(test::run_format({{"format", {"jsonl"}}, {"field", {"té", "s.u"}}}, input), Error);
      continue;
    }
    ++accepted;
    const auto run = test::run_format({{"format", {"jsonl"}}, {"field", {"té", "s.u"}}}, input, marked);
    const std::string output = run.output.substr(run.output.find('\n') + 1);
    ASSERT_EQ(Json::parse(output), expected) << input;
  }
  EXPECT_GT(accepted, 1000);
}

TEST(JsonScan, RefusesWhatNlohmannRefuses) {
  RandomJson random(6);
  constexpr std::string_view kBytes = "{}[]:,\"\\0123.-+eE tfnrual\x01\xff";
  const std::vector<std::string> no_paths;
  JsonFieldScanner scanner(no_paths, MissingField::refuse);
  int accepted = 0;
  int refused = 0;
  for (int round = 0; round < 40000; ++round) {
    std::string line = random.object(0).dump();
    for (std::size_t i = random.below(3); i > 0; --i) {
      const std::size_t at = random.below(line.size());
      const char byte = kBytes[random.below(kBytes.size())];
      switch (random.below(3)) {
        case 0:
          line[at] = byte;
          break;
        case 1:
          line.insert(at, 1, byte);
          break;
        default:
          line.erase(at, 1);
      }
      if (line.empty()) line = "{";
    }
    // nlohmann refuses numbers beyond a double, which RFC 8259 allows.
    static const std::regex kHugeNumber("[eE][+]?[0-9]{3}");
    if ((line[0] != '{' && line[0] != '[') || std::regex_search(line, kHugeNumber)) continue;
    const bool expected = nlohmann::json::accept(line);
    bool is_accepted = true;
    try {
      scanner.scan(line, 1);
    } catch (const Error&) {
      is_accepted = false;
    }
    ASSERT_EQ(is_accepted, expected) << testing::PrintToString(line);
    ++(expected ? accepted : refused);
  }
  EXPECT_GT(accepted, 2000);
  EXPECT_GT(refused, 2000);
}

}  // namespace
}  // namespace sotto
