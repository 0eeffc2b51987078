#include "html/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "html/drawing.h"
#include "html/sample.h"

namespace sotto::html {
namespace {

using test::occurrences;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Page, SaysWhatItWasGiven) {
  Page page(
      {.title = "Certificate", .lead = "What is lost.", .version = "1.2.3", .command = "sotto certify"});
  page.notice({Notice::Tone::good, "It holds", {"Epsilon is 2."}});
  page.section("Pairs");
  page.paragraph("Some words.");
  const std::string html = page.html();
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
  for (const char* part :
       {"<title>Certificate</title>", "<h1>Certificate</h1>", "What is lost.", "notice good", "It holds",
        "<p>Epsilon is 2.</p>", "<h2>Pairs</h2>", "<p>Some words.</p>", "sotto 1.2.3",
        "<code>sotto certify</code>", "@media print"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
  EXPECT_EQ(html, page.html());
}

TEST(Page, TablesHaveHeadersAndNumbers) {
  Page page({.title = "t"});
  page.table({.caption = "Worst",
              .headings = {"word", "loss", "n"},
              .rows = {{"doctor", 1.23456, std::uint64_t{50000}},
                       {"nurse", std::numeric_limits<double>::infinity(), std::uint64_t{1}},
                       {"x", std::nan(""), std::uint64_t{0}}}});
  page.facts({{"epsilon", 2.0, "nominal"}});
  const std::string html = page.html();
  EXPECT_THAT(html, HasSubstr("<caption>Worst</caption>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\">word</th><th scope=\"col\" class=\"number\">loss</th>"));
  EXPECT_THAT(
      html,
      HasSubstr(
          "<th scope=\"row\">doctor</th><td class=\"number\">1.235</td><td class=\"number\">50,000</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"number\">infinity</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"number\">none</td>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\">epsilon</th><td>2</td><td class=\"note\">nominal</td>"));
  Page empty({.title = "t"});
  empty.table({.headings = {"a", "b"}});
  EXPECT_THAT(empty.html(), HasSubstr("<td colspan=\"2\">none</td>"));
}

TEST(Page, ListsAreEscaped) {
  Page page({.title = "t"});
  page.list({});
  EXPECT_THAT(page.html(), Not(HasSubstr("<ul>")));
  page.list({"length is visible", "<b>"});
  EXPECT_THAT(page.html(), HasSubstr("<ul>\n<li>length is visible</li>\n<li>&lt;b&gt;</li>\n</ul>"));
}

TEST(Page, BlanksHaveNames) {
  Page page({.title = "t"});
  page.part("A. Description");
  page.blank("Purpose.", "Why is <text> released?");
  EXPECT_THAT(page.html(), HasSubstr("<h2 class=\"part\">A. Description</h2>"));
  EXPECT_THAT(page.html(),
              HasSubstr("<div class=\"blank\"><p><strong>Purpose.</strong> Why is &lt;text&gt; released?"));
}

TEST(Page, NeedsNothingFromOutside) {
  const std::string html = test::sample_page(test::kHostile).html();
  EXPECT_EQ(occurrences(html, "http"), occurrences(html, "xmlns=\"http") + 1);  // http-equiv
  for (const char* part : {"<script", "<img", "<link", "<iframe", "<a ", "src=\"", "href", "url(", "@import",
                           "style=\"", "javascript", " id=\""}) {
    EXPECT_THAT(html, Not(HasSubstr(part))) << part;
  }
}

TEST(Page, HostileTextStaysText) {
  const std::string html = test::sample_page(test::kHostile).html();
  EXPECT_EQ(html.find_first_of("\x01\x7f\xff"), std::string::npos);
  // As many tags, attribute for attribute, as with a tame word.
  const auto shape = [](const std::string& text) {
    return std::pair(occurrences(text, "<") - occurrences(text, "<text") * 2,
                     occurrences(text, "aria-label=\""));
  };
  EXPECT_EQ(shape(html), shape(test::sample_page("word").html()));
}

TEST(Page, SixPlotsStaySmall) {
  const std::string html = test::sample_page("word").html();
  EXPECT_GE(occurrences(html, "<figure>"), 6U);
  EXPECT_LT(html.size(), 200000U);
}

}  // namespace
}  // namespace sotto::html
