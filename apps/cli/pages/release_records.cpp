// The questions and the records of a release: the second half of release_parts.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/pages/release_parts.h"
#include "core/bound_text.h"
#include "core/count_text.h"
#include "core/odds_text.h"

namespace sotto::cli {

namespace {

using html::Cell;
using html::Fact;

std::string stated_text(const ReportJson& json, std::string_view name) {
  return text_field(json, name).value_or("not stated");
}

bool is_seeded(const ReportJson& report) {
  return stated_text(report, "randomness").starts_with("SEEDED");
}

std::string parameters_text(const ReportJson& report) {
  std::string out = stated_text(report, "mechanism");
  for (const auto& [name, value] : texts_field(report, "parameters").value_or(ParameterTexts())) {
    out += fmt::format(", {} {}", name, value);
  }
  return out;
}

std::string settings_text(const ReportJson& report) {
  std::vector<std::string> out;
  for (const auto& [name, value] : texts_field(report, "settings").value_or(ParameterTexts())) {
    out.push_back(fmt::format("{}: {}", name, value));
  }
  return fmt::format("{}", fmt::join(out, "; "));
}

std::string epsilon_answer(const ReportJson& report) {
  const auto epsilon = number_field(report, "nominal_epsilon");
  const std::string own = epsilon ? fmt::format(
                                        "Epsilon is {} here. It is a limit for one word and for one "
                                        "unit of distance between word vectors. The epsilon of other "
                                        "tools, or of a census, is a limit for something else, so the "
                                        "numbers cannot be compared. ",
                                        rounded_up(*epsilon))
                                  : "This method has no epsilon. ";
  return own + "Compare what happens instead: how many words stay, and how often an expert is right.";
}

void add_files(std::vector<Fact>& facts, const ReportJson& report) {
  const ReportJson& released = field(report, "released");
  if (!released.is_array()) return;
  constexpr std::size_t kShown = 20;
  for (const ReportJson& file : released) {
    if (&file - &released[0] == kShown) {
      facts.push_back({.name = "more files",
                       .value = std::uint64_t{released.size() - kShown},
                       .note = "their SHA-256 are in the JSON report"});
      break;
    }
    const std::string name = text_field(file, "name").value_or("");
    facts.push_back(
        {.name = "released file", .value = stated_text(file, "sha256"), .note = "SHA-256 " + name});
  }
}

void add_counts(std::vector<Fact>& facts, const ReportJson& report) {
  const ReportJson& counts = field(report, "counts");
  const auto add = [&](const char* name, const char* key, const char* note) {
    if (const auto value = count_field(counts, key)) facts.push_back({name, *value, note});
  };
  add("texts", "documents", "lines, cells or fields");
  add("words", "tokens", "of all texts together");
  add("unknown words", "unknown_tokens", "that the model does not have; each was treated as the anchor word");
  add("longest text", "longest_document", "words");
}

void add_loss_facts(std::vector<Fact>& facts, const ReportJson& report) {
  const auto certified = number_field(report, "certified_largest_word_loss");
  const auto proven = number_field(field(report, "largest_word_loss"), "value");
  if (const auto loss = certified ? certified : proven) {
    facts.push_back({.name = "one word, in the worst case",
                     .value = surer_text(*loss),
                     .note = "between the two words of the model that differ most"});
  }
  if (const auto loss = number_field(report, "worst_case_longest_document")) {
    facts.push_back({.name = "the longest text, in the worst case",
                     .value = surer_text(*loss),
                     .note = "between two texts of that length whose words all differ most"});
  }
}

}  // namespace

void add_questions(html::Page& page, const ReportJson& report) {
  page.section("Questions that are asked");
  const bool has_columns = !text_list(report, "passed_through").empty();
  const std::string columns =
      has_columns ? "Some columns or fields are in clear (see the first section). " : "";
  html::Table table{.headings = {"question", "answer"}};
  const auto add = [&](const char* question, std::string answer) {
    table.rows.push_back({Cell(std::string(question)), Cell(std::move(answer))});
  };
  add("Is the released text anonymous?",
      "Treat it as personal data until your own assessment says otherwise. Sotto makes each word uncertain. "
      "It "
      "does not prove that no person can be recognised.");
  add("Can a person be singled out?",
      columns +
          "The length, the punctuation and the order of the texts stay. A text of an unusual length can be "
          "recognised by somebody who knows the length.");
  add("Can the texts of one person be linked?",
      columns +
          "A column with an identifier links them. So can a subject or a style that many words share. Equal "
          "words get new random words each time, so single words do not link texts.");
  add("What about a person with many texts?",
      "Each text is a release of its own, and the limits of the promise multiply over all of them. Limit how "
      "many "
      "texts one person may have, or use a ledger with a budget for each person.");
  add("Are names gone?",
      "No. A name that the model knows is a word like others and may stay. For a name that the model does "
      "not "
      "know, Sotto takes one fixed public word and replaces that word at random. To remove names, use a tool "
      "that finds names, and then run Sotto.");
  add("Which epsilon is this, and which do others use?", epsilon_answer(report));
  add("Was this text released before?",
      "This page cannot say. Sotto keeps nothing of a text. If a ledger is used, `sotto ledger show` lists "
      "what was "
      "released for a document or a person.");
  add("Who ran it, and when?",
      fmt::format(
          "It ran on {} (UTC), with sotto {}. The name of the person is not recorded: add it to your file.",
          stated_text(report, "released_at"), stated_text(report, "sotto_version")));
  add("Can somebody reverse it?",
      is_seeded(report)
          ? "Yes. The random numbers came from a seed. Whoever knows the seed can undo the noise."
          : "There is no key and no table that leads from an output word back to the original. The random "
            "numbers "
            "were not kept. An attacker can only guess, and is right as often as \"What an expert guesses\" "
            "says.");
  page.table(table);
}

void add_records(html::Page& page, const ReportJson& report) {
  page.section("For the records");
  const ReportJson& model = field(report, "model");
  std::vector<Fact> facts = {
      {.name = "released at", .value = stated_text(report, "released_at"), .note = "UTC"},
      {.name = "program", .value = "sotto " + stated_text(report, "sotto_version")},
      {.name = "method", .value = parameters_text(report)},
      {.name = "how the input was read", .value = settings_text(report)},
      {.name = "model",
       .value = stated_text(model, "name"),
       .note = "identity " + stated_text(model, "identity")}};
  add_files(facts, report);
  add_counts(facts, report);
  add_loss_facts(facts, report);
  if (const auto certified = number_field(report, "certified_epsilon")) {
    facts.push_back({.name = "certified epsilon",
                     .value = rounded_up(*certified),
                     .note = "computed over all pairs of words of this model; never exceeded"});
  }
  facts.push_back({.name = "promise, as a formula", .value = stated_text(report, "guarantee")});
  facts.push_back({.name = "rounding", .value = stated_text(report, "arithmetic")});
  if (const auto caveat = text_field(report, "caveat")) facts.push_back({.name = "caveat", .value = *caveat});
  facts.push_back({.name = "random numbers", .value = stated_text(report, "randomness")});
  page.facts(facts);
  page.paragraph(
      "`sotto verify` computes the promises of the JSON report again, and checks that a file is the one that "
      "was "
      "released.");
}

}  // namespace sotto::cli
