// Numbers and mechanism parameters from the command line or a request: lines of name=value; the first
// byte chooses the mechanism.
#include "sotto/parameters.h"

#include <cmath>
#include <string>

#include "expect.h"
#include "sotto/mechanism.h"

using sotto::fuzz::accepts;
using sotto::fuzz::expect;

namespace {

void check_number(std::string_view text) {
  double value = 0;
  if (!accepts([&] { value = sotto::parse_number("--x", text, sotto::Infinity::refused); })) return;
  expect(std::isfinite(value), "only finite numbers pass where infinity is refused");
  expect(text.find_first_of("xXnNpP \t") == std::string_view::npos, "no hex, nan or blanks");
  expect(sotto::parse_number("--x", sotto::number_text(value), sotto::Infinity::refused) == value,
         "the shortest text reads back as the same number");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto registry = sotto::mechanisms();
  const sotto::MechanismInfo& info = registry[data[0] % registry.size()];
  std::string_view rest = sotto::fuzz::text_of(data + 1, size - 1);
  sotto::ParameterTexts texts;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::size_t equals = std::min(line.find('='), line.size());
    const std::string_view value = line.substr(std::min(line.size(), equals + 1));
    texts[std::string(line.substr(0, equals))] = value;
    check_number(value);
    accepts([&] { sotto::parse_integer("--x", value); });
  }
  sotto::Parameters parsed;
  if (!accepts([&] { parsed = sotto::Parameters::parse(info.name, info.parameters, texts); })) return 0;
  for (const auto& [name, value] : texts) expect(parsed.has(name), "what was accepted is kept");
  const auto again = sotto::Parameters::parse(info.name, info.parameters, parsed.texts());
  expect(again.texts() == parsed.texts(), "canonical texts read back as themselves");
  return 0;
}
