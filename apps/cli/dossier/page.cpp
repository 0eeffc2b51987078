#include "cli/dossier/page.h"

#include <fmt/format.h>

#include "cli/pages/release_parts.h"
#include "core/bound_text.h"
#include "core/count_text.h"
#include "core/odds_text.h"
#include "core/utc_time.h"

namespace sotto::cli {

namespace {

using api::DossierAnswer;
using html::Notice;

// Parts that were not given are named once, here; their sections are left out.
void add_missing_parts(html::Page& page, const DossierAnswer& answer) {
  std::vector<std::string> missing;
  if (!answer.certificate) {
    missing.emplace_back(
        "A certificate: the largest loss over all pairs of words of this model. Make it with `sotto certify "
        "--json` and add it with --certificate.");
  }
  if (!answer.audit) {
    missing.emplace_back(
        "An audit: many draws, searched for a pair of words whose outputs differ by more than the promise "
        "allows. Make it with `sotto audit --json` and add it with --audit.");
  }
  if (!answer.attack) {
    missing.emplace_back(
        "An attack on a sample of your own text: how often words are guessed by attackers who read whole "
        "sentences. Make it with `sotto attack --json` and add it with --attack.");
  }
  if (!answer.ledger) {
    missing.emplace_back(
        "A ledger: without one nobody can say whether the same text or the same person was released before. "
        "Add it with --ledger and --subject.");
  }
  if (missing.empty()) return;
  page.notice({.tone = Notice::Tone::neutral, .title = "Not part of this dossier", .sentences = missing});
}

void add_head(html::Page& page, const DossierAnswer& answer) {
  page.notice({.tone = Notice::Tone::neutral,
               .title = "For the data holder only",
               .sentences = {"This dossier holds counts and names taken from the input. Do not publish it.",
                             "It gives facts for an assessment. It is not legal advice. Boxes with a dashed "
                             "border are for you: only the data holder can answer them."}});
  const std::vector<std::string> objections = answer.objections();
  if (objections.empty()) {
    page.notice({.tone = Notice::Tone::neutral,
                 .title = "The parts fit together",
                 .sentences = {"The report was computed again from the model, and its promises follow. All "
                               "parts are about the same model and the same parameters.",
                               "This says that the numbers are right. It does not say that the release "
                               "protects enough: parts C and D are for that."}});
  } else {
    page.notice({.tone = Notice::Tone::bad, .title = "Do not rely on this release", .sentences = objections});
  }
  add_missing_parts(page, answer);
}

void add_description(html::Page& page, const DossierAnswer& answer) {
  page.part("A. Description of the processing (Article 35(7)(a))");
  page.paragraph(
      "Sotto read a text and replaced each word by a random word of a public vocabulary. Words with a "
      "similar meaning are more likely to be chosen. The released text keeps the length and the punctuation "
      "of the original.");
  page.blank("Controller, contact, data protection officer.", "Who is responsible, and who advised?");
  page.blank("Who ran the program.", "Sotto does not record the person.");
  page.blank("Purpose and legal basis.", "What is the release for? On which legal basis?");
  page.blank("Whose texts.",
             "Which groups of people wrote the texts or are mentioned in them? Children, patients?");
  page.blank("Recipients.", "Who gets the released file, in which country, and for how long?");
  add_unchanged_columns(page, answer.report);
  add_records(page, answer.report);
}

void add_necessity(html::Page& page, const DossierAnswer& answer, const ReleaseView& view) {
  page.part("B. Necessity and proportionality (Article 35(7)(b))");
  page.blank("Why this text.", "Why is text needed, and not counts or an invented data set?");
  page.blank("Why these columns stay in clear.", "One reason for each column or field.");
  page.blank("Why this strength.", "Why was this epsilon chosen, by whom, and which others were tried?");
  if (!answer.examples.lines.empty()) add_example_lines(page, view);
}

void add_attack(html::Page& page, const DossierAnswer& answer) {
  if (!answer.attack) return;
  page.section("What attackers who read whole sentences guess");
  add_attackers(page, *answer.attack);
}

void add_risks(html::Page& page, const DossierAnswer& answer, const ReleaseView& view) {
  page.part("C. Risks for the people concerned (Article 35(7)(c))");
  add_strength(page, answer.report);
  if (!answer.examples.odds.empty()) {
    add_promise(page, view);
    add_guesses(page, view);
    add_two_releases(page, view);
  }
  add_attack(page, answer);
  add_not_protected(page, answer.report);
  page.blank("Risks of this release.",
             "What could happen to a person if somebody recognises a text, or guesses a word such as an "
             "illness? How likely, how severe?");
}

void add_certificate(html::Page& page, const DossierAnswer& answer) {
  if (!answer.certificate) return;
  page.section("Certificate");
  const ReportJson& json = *answer.certificate;
  std::vector<html::Fact> facts = {
      {.name = "result", .value = text_field(json, "verdict").value_or("not stated")}};
  if (const auto loss = number_field(json, "largest_word_loss")) {
    facts.push_back({.name = "one word, in the worst case",
                     .value = surer_text(*loss),
                     .note = "between the two words of the model that differ most"});
  }
  const ReportJson& pair = field(json, "worst_pair");
  if (const auto first = text_field(pair, "first"); first && number_field(pair, "loss")) {
    facts.push_back({.name = "worst pair for its distance",
                     .value = fmt::format("{} and {}", *first, text_field(pair, "second").value_or("")),
                     .note = surer_text(*number_field(pair, "loss"))});
  }
  page.facts(facts);
}

void add_audit(html::Page& page, const DossierAnswer& answer) {
  if (!answer.audit) return;
  page.section("Audit by drawing");
  const ReportJson& json = *answer.audit;
  const std::string verdict = text_field(json, "verdict").value_or("");
  const std::string draws = grouped(count_field(json, "total_draws").value_or(0));
  const char* meaning =
      verdict == "violated" ? "It found a violation: the promise is broken."
      : verdict == "pass"
          ? "It found no violation. An audit cannot prove a promise; it can only fail to refute it."
          : "It could not decide.";
  page.paragraph(fmt::format("The audit drew {} words. {}", draws, meaning));
}

void add_ledger(html::Page& page, const DossierAnswer& answer) {
  if (!answer.ledger) return;
  page.section("What was released about this person before");
  html::Table table{.caption = "The subject's accounts for this model",
                    .headings = {"kind", "epsilon spent", "releases", "last release"}};
  for (const api::LedgerShowAnswer::Row& row : answer.ledger->rows) {
    table.rows.push_back({row.account.scope.kind + ", " + row.account.scope.metric, row.balance.spent.text(),
                          static_cast<std::uint64_t>(row.account.debits), utc_time(row.account.last_time)});
  }
  page.table(table);
  page.paragraph(
      "Each word that is released about the person adds its epsilon. A ledger counts what it is told: a "
      "person under another identifier is another person to it.");
  page.paragraph("The ledger itself: " + answer.ledger_check->verdict() + ".");
}

void add_measures(html::Page& page, const DossierAnswer& answer) {
  page.part("D. Measures against the risks (Article 35(7)(d))");
  const bool is_checked = answer.certificate || answer.audit || answer.ledger;
  page.paragraph(fmt::format(
      "The noise is the first measure. {}The blanks are for everything else that protects people.",
      is_checked ? "The sections below show how it was checked. " : ""));
  add_certificate(page, answer);
  add_audit(page, answer);
  add_ledger(page, answer);
  page.blank("Names and identifiers.",
             "With which tool were names, numbers and addresses removed before the run?");
  page.blank("Access and contract.",
             "Who can open the file? What does the contract forbid the recipient to do?");
  page.blank("Original text.", "Where is it kept, who can read it, and when is it deleted?");
  page.blank("Remaining risk and decision.", "High risk that remains needs prior consultation (Article 36).");
  page.blank("Date, name, signature.", "");
}

void add_checks(html::Page& page, const DossierAnswer& answer) {
  page.part("Annex: what was computed again");
  html::Table table{.headings = {"claim of the report", "result", "how"}};
  for (const VerifyCheck& check : answer.verified.result.checks) {
    table.rows.push_back({check.name, std::string(api::outcome_name(check.outcome)), check.reason});
  }
  page.table(table);
  add_questions(page, answer.report);
}

}  // namespace

std::string dossier_page(const DossierAnswer& answer) {
  html::Page page(
      {.title = "Dossier of a release of private text",
       .lead = "The facts for a data protection impact assessment, in the order of Article 35(7) of the "
               "General Data Protection Regulation. It needs no mathematics beyond school.",
       .version = SOTTO_VERSION});
  const ReleaseView view{.report = answer.report, .examples = answer.examples, .model = *answer.model};
  add_head(page, answer);
  add_description(page, answer);
  add_necessity(page, answer, view);
  add_risks(page, answer, view);
  add_measures(page, answer);
  add_checks(page, answer);
  return page.html();
}

}  // namespace sotto::cli
