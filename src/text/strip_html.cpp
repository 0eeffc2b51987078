#include "text/strip_html.h"

#include <array>
#include <utility>

namespace sotto {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

class HtmlStripper {
 public:
  explicit HtmlStripper(std::string_view text) : text_(text) {}

  void run(std::string& out) {
    out.clear();
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t special = text_.find_first_of("<&", at);
      out.append(text_.substr(at, special == kNone ? kNone : special - at));
      if (special == kNone) return;
      at = text_[special] == '<' ? read_tag(special, out) : read_entity(special, out);
    }
  }

 private:
  // Both give the position after what they read.
  std::size_t read_tag(std::size_t at, std::string& out) {
    const std::size_t end = end_of_tag(at);
    out += end == kNone ? '<' : ' ';
    return end == kNone ? at + 1 : end;
  }

  std::size_t read_entity(std::size_t at, std::string& out) const {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kEntities = {{
        {"&amp;", "&"},
        {"&lt;", "<"},
        {"&gt;", ">"},
        {"&quot;", "\""},
        {"&apos;", "'"},
        {"&#39;", "'"},
        {"&nbsp;", "\xC2\xA0"},
    }};
    for (const auto& [entity, character] : kEntities) {
      if (text_.substr(at).starts_with(entity)) {
        out += character;
        return at + entity.size();
      }
    }
    out += '&';
    return at + 1;
  }

  std::size_t end_of_tag(std::size_t at) {
    const std::string_view rest = text_.substr(at + 1);
    if (rest.starts_with("!--")) return end_of_comment(at + 4);
    std::size_t name = at + 1;
    if (rest.starts_with('/') || rest.starts_with('!')) ++name;
    if (name >= text_.size() || !is_letter(text_[name])) return kNone;
    for (std::size_t i = name; i < text_.size() && text_[i] != '<'; ++i) {
      if (text_[i] == '>') return i + 1;
      const bool opens_value = (text_[i] == '"' || text_[i] == '\'') && text_[i - 1] == '=';
      if (!opens_value) continue;
      // Stops at '<' too: each byte is then looked at by one tag only, so the whole stays linear.
      const char stops[] = {text_[i], '<', '\0'};
      i = text_.find_first_of(stops, i + 1);
      if (i == kNone || text_[i] == '<') return kNone;
    }
    return kNone;
  }

  std::size_t end_of_comment(std::size_t at) {
    if (no_comment_ends_) return kNone;
    const std::size_t end = text_.find("-->", at);
    if (end == kNone) {
      no_comment_ends_ = true;  // nor will a later one: do not search again
      return kNone;
    }
    return end + 3;
  }

  std::string_view text_;
  bool no_comment_ends_ = false;
};

}  // namespace

void strip_html(std::string_view text, std::string& out) {
  HtmlStripper(text).run(out);
}

}  // namespace sotto
