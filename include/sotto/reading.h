#pragma once
#include <array>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

struct FormatInfo;

// One thing that a user may say about an input. The format that understands it declares it once; flags, help,
// messages, reports and folder records are made from it.
struct ReadingOption {
  enum class Kind {
    list,    // one or more texts: `column`
    choice,  // one of `values`
    flags,   // one of `values`, each but the last with a flag of its own: `header`, `no-header`
  };
  struct Value {
    std::string_view text;
    std::string_view flag = {};
    std::string_view help = {};  // of the flag
  };
  std::string_view name;
  Kind kind = Kind::list;
  std::string_view placeholder = {};   // of its value in a help text: HOW
  std::string_view help = {};          // without the names of the formats; empty for `flags`
  std::span<const Value> values = {};  // the last one holds if nothing is said
  std::string_view example = {};       // of a list: how its texts look
};

inline constexpr std::array<ReadingOption::Value, 2> kPassOrRefuse = {{{"pass"}, {"refuse"}}};

// What was said, by the name of an option or of one of its flags; a flag has no texts. `format` is the name
// of a format; without it the extension of each file decides.
using ReadingTexts = std::map<std::string, std::vector<std::string>, std::less<>>;

// One setting of a run beside the mechanism's parameters. What names columns or fields of the input is for
// the data holder only.
struct ReleaseSetting {
  enum class Audience { everybody, data_holder };
  std::string name;
  std::string value;
  Audience audience = Audience::everybody;
};

// How the inputs of a run are to be read: what was said, parsed and checked once.
class ReadingOptions {
 public:
  // Throws Error(usage) that names the option and what is allowed.
  static ReadingOptions parse(const ReadingTexts& texts);

  // The format of an input ("-": standard input). Throws Error(usage) if something was said that this format
  // does not understand, or if nothing says which of its columns or fields are to be privatised.
  [[nodiscard]] const FormatInfo& format_of(const std::filesystem::path& input) const;

  // Of a list; empty if it was not said.
  [[nodiscard]] std::vector<std::string> texts(const ReadingOption& option) const;
  // Of every other option: one of option.values.
  [[nodiscard]] std::string_view value(const ReadingOption& option) const;

  // For the report of a release: `format`, and what was said of the options of this one.
  [[nodiscard]] std::vector<ReleaseSetting> settings(const FormatInfo& format) const;
  // What was said, by the name of the option and in the texts of its values.
  [[nodiscard]] const ReadingTexts& said() const noexcept { return said_; }

 private:
  ReadingTexts said_;
};

// Of all formats, each option once, in the order of the formats.
std::vector<const ReadingOption*> reading_options();
// Every name that ReadingTexts may have: options and flags.
std::vector<std::string> reading_names();
// The formats that understand an option.
std::vector<const FormatInfo*> formats_with(const ReadingOption& option);

}  // namespace sotto
