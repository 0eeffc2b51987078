#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "core/count_text.h"

namespace sotto::cli {

// Standard error carries what is said to a person, standard output only data and answers.

// One line, "sotto: ..." on standard error.
void say(std::string_view line);
// Text on standard error as it is.
void say_raw(std::string_view text);
// The answer, on standard output. Throws Error(input_output) if it cannot be written whole.
void print(std::string_view text);

enum class Stream { output = 1, error = 2 };
bool is_terminal(Stream stream);
// Columns of the terminal behind the stream, 80 if there is none.
std::size_t terminal_width(Stream stream);

// Lines of at most `width` columns, all but the first indented; options that the library names become flags
// (flag_names.h). ASCII is assumed for the counting.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace sotto::cli
