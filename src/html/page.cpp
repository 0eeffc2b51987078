#include "html/page.h"

#include <fmt/format.h>

#include <cassert>

#include "html/text.h"

namespace sotto::html {
namespace {

// Tags are closed as XML wants them, so that a strict parser can check a page; browsers do not mind.
// The policy forbids all that the page does not need anyway, in case a text ever gets out of its place.
constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="color-scheme" content="light"/>
)";

constexpr std::string_view kStyle = R"(<style>
body { font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  color: #222; background: #fff; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 0.6rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2rem 0 0.6rem; overflow-wrap: anywhere; }
p { margin: 0.6rem 0; overflow-wrap: anywhere; }
h2.part { font-size: 1.45rem; margin-top: 3rem; padding-top: 0.8rem; border-top: 2px solid #555; }
.blank { border: 1px dashed #777; padding: 0.4rem 1rem 4.5rem; margin: 1rem 0; background: #fafafa; }
li { margin: 0.3rem 0; overflow-wrap: anywhere; }
.lead { font-size: 1.05rem; color: #444; }
.notice { border: 1px solid #999; border-left: 6px solid #666; padding: 0.6rem 1rem; margin: 1.2rem 0; }
.notice h2 { margin: 0; font-size: 1.1rem; }
.good { border-left-color: #00805d; background: #f1faf6; }
.bad { border-left-color: #b33c00; border-left-style: double; background: #fdf3ee; }
.caution { border-left-color: #b07900; border-left-style: dashed; background: #fdf8ec; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: 0.92rem; }
caption { text-align: left; font-weight: 600; padding-bottom: 0.3rem; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 1.1rem 0.25rem 0;
  border-bottom: 1px solid #ddd; overflow-wrap: anywhere; min-width: 5.5rem; unicode-bidi: isolate; }
th:last-child, td:last-child { padding-right: 0; }
thead th { border-bottom: 2px solid #555; vertical-align: bottom; }
tbody th { font-weight: 500; }
th.number, td.number { min-width: 3rem; text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.note { color: #555; }
figure { margin: 1.6rem 0; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { font-size: 0.9rem; color: #444; margin-top: 0.3rem; overflow-wrap: anywhere; }
footer { margin-top: 2.5rem; padding-top: 0.6rem; border-top: 1px solid #ccc; font-size: 0.85rem; color: #555; }
code { font-family: ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
@media print {
  body { font-size: 10.5pt; color: #000; max-width: none; margin: 0; padding: 0; }
  .lead, figcaption, td.note, footer { color: #000; }
  .wide { overflow: visible; }
  figure, tr, .notice, .blank { break-inside: avoid; }
  h2, caption { break-after: avoid; }
  thead { display: table-header-group; }
}
</style>
)";

std::string_view tone_class(Notice::Tone tone) {
  switch (tone) {
    case Notice::Tone::good:
      return "notice good";
    case Notice::Tone::bad:
      return "notice bad";
    case Notice::Tone::caution:
      return "notice caution";
    case Notice::Tone::neutral:
      break;
  }
  return "notice";
}

std::string cell_text(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return escaped(*text);
  if (const auto* value = std::get_if<double>(&cell)) return number(*value);
  return count(std::get<std::uint64_t>(cell));
}

std::string_view cell_class(const Cell& cell) {
  return std::holds_alternative<std::string>(cell) ? "" : " class=\"number\"";
}

std::string row_html(const std::vector<Cell>& row, std::size_t columns) {
  std::string out = "<tr>";
  for (std::size_t i = 0; i < columns; ++i) {
    const Cell& cell = i < row.size() ? row[i] : Cell(std::string());
    out += i == 0 ? fmt::format("<th scope=\"row\"{}>{}</th>", cell_class(cell), cell_text(cell))
                  : fmt::format("<td{}>{}</td>", cell_class(cell), cell_text(cell));
  }
  return out + "</tr>\n";
}

}  // namespace

void Page::part(std::string_view heading) {
  body_ += fmt::format("<h2 class=\"part\">{}</h2>\n", escaped(heading));
}

void Page::section(std::string_view heading) {
  body_ += fmt::format("<h2>{}</h2>\n", escaped(heading));
}

void Page::notice(const Notice& notice) {
  body_ +=
      fmt::format("<section class=\"{}\">\n<h2>{}</h2>\n", tone_class(notice.tone), escaped(notice.title));
  for (const std::string& sentence : notice.sentences) paragraph(sentence);
  body_ += "</section>\n";
}

void Page::facts(const std::vector<Fact>& facts) {
  if (facts.empty()) return;
  body_ += "<div class=\"wide\"><table>\n<tbody>\n";
  for (const Fact& fact : facts) {
    body_ += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"note\">{}</td></tr>\n",
                         escaped(fact.name), cell_text(fact.value), escaped(fact.note));
  }
  body_ += "</tbody>\n</table></div>\n";
}

void Page::table(const Table& table) {
  body_ += "<div class=\"wide\"><table>\n";
  if (!table.caption.empty()) body_ += fmt::format("<caption>{}</caption>\n", escaped(table.caption));
  body_ += "<thead>\n<tr>";
  for (std::size_t i = 0; i < table.headings.size(); ++i) {
    // A heading stands as its column does.
    const bool has_cell = !table.rows.empty() && i < table.rows.front().size();
    body_ += fmt::format("<th scope=\"col\"{}>{}</th>", has_cell ? cell_class(table.rows.front()[i]) : "",
                         escaped(table.headings[i]));
  }
  body_ += "</tr>\n</thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    assert(row.size() == table.headings.size());
    body_ += row_html(row, table.headings.size());
  }
  if (table.rows.empty()) {
    body_ += fmt::format("<tr><td colspan=\"{}\">none</td></tr>\n",
                         std::max<std::size_t>(1, table.headings.size()));
  }
  body_ += "</tbody>\n</table></div>\n";
}

void Page::paragraph(std::string_view text) {
  body_ += fmt::format("<p>{}</p>\n", escaped(text));
}

void Page::list(const std::vector<std::string>& items) {
  if (items.empty()) return;
  body_ += "<ul>\n";
  for (const std::string& item : items) body_ += fmt::format("<li>{}</li>\n", escaped(item));
  body_ += "</ul>\n";
}

void Page::blank(std::string_view name, std::string_view hint) {
  body_ +=
      fmt::format("<div class=\"blank\"><p><strong>{}</strong> {}</p></div>\n", escaped(name), escaped(hint));
}

void Page::plot(const Plot& plot) {
  figure(svg(plot), plot.caption);
}

void Page::plot(const Histogram& histogram) {
  figure(svg(histogram), histogram.caption);
}

void Page::figure(const std::string& drawing, std::string_view caption) {
  body_ += "<figure>\n" + drawing;
  if (!caption.empty()) body_ += fmt::format("<figcaption>{}</figcaption>\n", escaped(caption));
  body_ += "</figure>\n";
}

std::string Page::html() const {
  std::string out(kHead);
  out += fmt::format("<title>{}</title>\n", escaped(head_.title));
  out += kStyle;
  out += fmt::format("</head>\n<body>\n<main>\n<h1>{}</h1>\n", escaped(head_.title));
  if (!head_.lead.empty()) out += fmt::format("<p class=\"lead\">{}</p>\n", escaped(head_.lead));
  out += body_;
  out += fmt::format("</main>\n<footer>\n<p>Made by sotto {}.</p>\n", escaped(head_.version));
  if (!head_.command.empty()) out += fmt::format("<p><code>{}</code></p>\n", escaped(head_.command));
  return out + "</footer>\n</body>\n</html>\n";
}

}  // namespace sotto::html
