#include "lab/letter_words.h"

namespace sotto::lab {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

std::string letter_words(std::string_view text, std::size_t most) {
  std::string out;
  std::size_t words = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '<' && text.find('>', i) != std::string_view::npos) {
      i = text.find('>', i);
    } else if (text.substr(i).starts_with("http")) {
      while (i < text.size() && text[i] != ' ' && text[i] != '\n') ++i;
    } else if (is_letter(text[i])) {
      if (most > 0 && words == most) break;
      if (words > 0) out += ' ';
      while (i < text.size() && is_letter(text[i])) out += text[i++];
      ++words;
    } else {
      ++i;
    }
  }
  return out;
}

}  // namespace sotto::lab
