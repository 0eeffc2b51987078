#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sotto {

// One parameter of a mechanism. A mechanism's table of these is the only place where its name, help,
// default and range are written: flags, HTTP fields, Python keywords and the docs are made from it.
struct Parameter {
  enum class Kind { number, integer, choice, numbers, flag, text };
  enum class Presence { required, optional };  // optional without default: the mechanism derives it

  std::string_view name;
  std::string_view help;
  Kind kind = Kind::number;
  Presence presence = Presence::optional;
  std::string_view default_text = {};  // empty: none
  // Allowed values are min < v (or min <= v with includes_min) and v <= max. Infinity only if allowed.
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool includes_min = false;
  bool includes_max = true;
  bool allows_infinity = false;
  std::span<const std::string_view> choices = {};
  // Values that users of other tools would try, each with the reason why it is not offered.
  struct Refusal {
    std::string_view value;
    std::string_view reason;
  };
  std::span<const Refusal> refusals = {};
};

using ParameterTexts = std::map<std::string, std::string, std::less<>>;

// Checked values of one mechanism's parameters. Text is the common form: the shell, HTTP, Python and
// reports all speak it, and it round-trips.
class Parameters {
 public:
  // Throws Error(usage) naming the parameter, what was given (parameters are not private text), what
  // is allowed, and, for a name foreign to `owner`, the names that it has.
  static Parameters parse(std::string_view owner, std::span<const Parameter> table,
                          const ParameterTexts& texts);

  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] double number(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] const std::string& text(std::string_view name) const;
  [[nodiscard]] std::vector<double> numbers(std::string_view name) const;
  // Everything that is set, defaults included, in canonical text.
  [[nodiscard]] const ParameterTexts& texts() const noexcept { return texts_; }

 private:
  ParameterTexts texts_;
};

// Strict decimal number: no hex, nan, surrounding space, trailing letters or overflow ("1e400");
// "inf" only where allowed. Throws Error(usage) with `what` as the subject of the message.
enum class Infinity { refused, allowed };
double parse_number(std::string_view what, std::string_view text, Infinity infinity);
std::int64_t parse_integer(std::string_view what, std::string_view text);
// Shortest decimal text that reads back as the same double ("inf" for infinity).
std::string number_text(double value);

}  // namespace sotto
