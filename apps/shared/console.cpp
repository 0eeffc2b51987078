#include "shared/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "shared/answer.h"
#include "shared/flag_names.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

void say(std::string_view line) {
  say_raw(fmt::format("sotto: {}\n", with_flags(line)));
}

void say_raw(std::string_view text) {
  // Nobody is left to be told that standard error is gone.
  (void)write_all(STDERR_FILENO, text);
}

void print(std::string_view text) {
  if (!write_all(STDOUT_FILENO, text)) {
    throw Error(ErrorCode::input_output,
                fmt::format("cannot write to standard output: {}", std::strerror(errno)));
  }
}

void print_answer(const api::Json& answer) {
  print(api::json_text(answer) + "\n");
}

bool is_terminal(Stream stream) {
  return isatty(static_cast<int>(stream)) == 1;
}

std::size_t terminal_width(Stream stream) {
  winsize size{};
  if (ioctl(static_cast<int>(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string wrapped(std::string_view given, std::size_t width, std::size_t indent) {
  const std::string flagged = with_flags(given);
  std::string_view text = flagged;
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (column > indent && column + 1 + word.size() > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

}  // namespace sotto::cli
