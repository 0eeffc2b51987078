#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "html/histogram.h"
#include "html/plot.h"

namespace sotto::html {

// A number is shown as number() and count() show it; who needs other digits, or a bound that is rounded
// upwards (number_above), gives text.
using Cell = std::variant<std::string, double, std::uint64_t>;

struct Notice {
  enum class Tone { neutral, good, bad, caution };

  Tone tone = Tone::neutral;
  std::string title = {};  // says it in words: colours may be lost on paper
  std::vector<std::string> sentences = {};
};

struct Fact {
  std::string name = {};
  Cell value = {};
  std::string note = {};
};

struct Table {
  std::string caption = {};
  std::vector<std::string> headings = {};
  std::vector<std::vector<Cell>> rows = {};  // each as long as `headings`; the first cell names the row
};

struct PageHead {
  std::string title = {};
  std::string lead = {};     // the first paragraph: what this is, in two sentences
  std::string version = {};  // of the program
  std::string command = {};  // shell_line() of what made the page; empty to leave it out
};

// A report as one HTML file that needs nothing else: no script, font, image or address. All text given is
// plain text. The same calls give the same bytes; no date is written.
class Page {
 public:
  explicit Page(PageHead head) : head_(std::move(head)) {}

  void part(std::string_view heading);  // a group of sections
  void section(std::string_view heading);
  void notice(const Notice& notice);
  void facts(const std::vector<Fact>& facts);
  void table(const Table& table);
  void paragraph(std::string_view text);
  void list(const std::vector<std::string>& items);
  // Room for what only the reader can answer: `name` says what, `hint` helps. Ruled lines on paper.
  void blank(std::string_view name, std::string_view hint);
  void plot(const Plot& plot);
  void plot(const Histogram& histogram);

  std::string html() const;

 private:
  void figure(const std::string& drawing, std::string_view caption);

  PageHead head_;
  std::string body_;
};

}  // namespace sotto::html
