#pragma once
#include <string>
#include <vector>

#include "api/illustration.h"
#include "html/page.h"
#include "text/verify_fields.h"

namespace sotto::cli {

// The parts of a page about a release, in plain words. `privatize --report FILE.html` and `sotto dossier` are
// made of them. All facts come from the report (JSON), so that a public report gives a public page: what is
// private was left out before a part sees it. The examples come from public data alone.
struct ReleaseView {
  const ReportJson& report;
  const api::Illustration& examples;
  const Model& model;

  // Nothing is promised, whatever the formula says: the release shows more than the mechanism.
  [[nodiscard]] bool is_not_private() const;
};

// Who may read the page.
void add_audience(html::Page& page, const ReportJson& report);
// Columns and fields that were not changed.
void add_unchanged_columns(html::Page& page, const ReportJson& report);
void add_strength(html::Page& page, const ReportJson& report);
// Odds between example words, and what they become for a whole text.
void add_promise(html::Page& page, const ReleaseView& view);
void add_guesses(html::Page& page, const ReleaseView& view);
void add_two_releases(html::Page& page, const ReleaseView& view);
void add_example_lines(html::Page& page, const ReleaseView& view);
// A table of what attackers who read whole sentences guess. `attack`: of a report, or of `sotto attack`.
void add_attackers(html::Page& page, const ReportJson& attack);
void add_not_protected(html::Page& page, const ReportJson& report);
// The questions of docs/officer.md, answered for this release.
void add_questions(html::Page& page, const ReportJson& report);
// Settings, identities and numbers, for the file.
void add_records(html::Page& page, const ReportJson& report);

// "14 of 100", "fewer than 1 of 1,000"
std::string out_of_hundred(double share);
// The texts of a JSON array of texts; empty for anything else.
std::vector<std::string> text_list(const ReportJson& json, std::string_view name);

}  // namespace sotto::cli
