#include "cli/privatize/page.h"

#include "cli/pages/release_parts.h"

namespace sotto::cli {

std::string release_page(const api::ReleaseAnswer& answer, ReportDetail detail,
                         const api::Illustration& examples) {
  // The page says what the JSON report of the same detail says: nothing else of the input can reach it.
  const ReportJson report = ReportJson::parse(answer.report(detail));
  const ReleaseView view{.report = report, .examples = examples, .model = answer.mechanism().space->model()};
  html::Page page({.title = "What this release shows, and what it hides",
                   .lead =
                       "Sotto made a text private: it replaced each word by a random word. This page says "
                       "what the release still shows, how well the words are hidden, and what is not "
                       "protected. It needs no mathematics beyond school.",
                   .version = SOTTO_VERSION});
  add_audience(page, report);
  add_unchanged_columns(page, report);
  add_strength(page, report);
  add_promise(page, view);
  add_guesses(page, view);
  if (report.contains("attack")) {
    page.section("What attackers who read whole sentences guess");
    add_attackers(page, field(report, "attack"));
  }
  add_two_releases(page, view);
  add_example_lines(page, view);
  add_not_protected(page, report);
  add_questions(page, report);
  add_records(page, report);
  return page.html();
}

bool is_page(const std::string& path) {
  return path.ends_with(".html") || path.ends_with(".htm");
}

}  // namespace sotto::cli
