#include "core/npy_dictionary.h"

#include <charconv>

namespace sotto {
namespace {

// Takes tokens off the front of the text. Each function returns whether it took one.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool take(std::string_view token) {
    skip_spaces();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  // In single or double quotes, without escapes: no key or type needs one.
  std::optional<std::string_view> take_string() {
    skip_spaces();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return std::nullopt;
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return inside;
  }
  std::optional<std::uint64_t> take_count() {
    skip_spaces();
    std::uint64_t count = 0;
    const auto [stop, fault] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), count);
    if (fault != std::errc{}) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
    if (rest_.starts_with('L')) rest_.remove_prefix(1);  // Python 2 wrote 3L
    return count;
  }
  // A list with all that is in it.
  bool skip_list() {
    skip_spaces();
    if (!rest_.starts_with('[')) return false;
    int depth = 0;
    while (!rest_.empty()) {
      if (rest_[0] == '\'' || rest_[0] == '"') {
        if (!take_string()) return false;
        continue;
      }
      if (rest_[0] == '[') ++depth;
      if (rest_[0] == ']') --depth;
      rest_.remove_prefix(1);
      if (depth == 0) return true;
    }
    return false;
  }
  bool is_at_end() {
    skip_spaces();
    return rest_.empty();
  }

 private:
  void skip_spaces() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

bool parse_shape(Scanner& scanner, std::vector<std::uint64_t>& shape) {
  if (!scanner.take("(")) return false;
  while (!scanner.take(")")) {
    const auto extent = scanner.take_count();
    if (!extent) return false;
    shape.push_back(*extent);
    if (!scanner.take(",")) return scanner.take(")");
  }
  return true;
}

struct Seen {
  bool descr = false;
  bool fortran_order = false;
  bool shape = false;
};

bool parse_entry(Scanner& scanner, NpyDictionary& out, Seen& seen) {
  const auto key = scanner.take_string();
  if (!key || !scanner.take(":")) return false;
  if (*key == "descr" && !seen.descr) {
    seen.descr = true;
    const auto descr = scanner.take_string();
    if (!descr) return scanner.skip_list();
    out.descr = *descr;
    return true;
  }
  if (*key == "fortran_order" && !seen.fortran_order) {
    seen.fortran_order = true;
    out.fortran_order = scanner.take("True");
    return out.fortran_order || scanner.take("False");
  }
  if (*key == "shape" && !seen.shape) {
    seen.shape = true;
    return parse_shape(scanner, out.shape);
  }
  return false;
}

}  // namespace

std::optional<NpyDictionary> parse_npy_dictionary(std::string_view text) {
  Scanner scanner(text);
  NpyDictionary out;
  Seen seen;
  if (!scanner.take("{")) return std::nullopt;
  while (!scanner.take("}")) {
    if (!parse_entry(scanner, out, seen)) return std::nullopt;
    if (scanner.take(",")) continue;
    if (!scanner.take("}")) return std::nullopt;
    break;
  }
  if (!scanner.is_at_end() || !seen.descr || !seen.fortran_order || !seen.shape) return std::nullopt;
  return out;
}

}  // namespace sotto
