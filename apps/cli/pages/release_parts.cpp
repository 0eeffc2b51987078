#include "cli/pages/release_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "core/count_text.h"
#include "core/odds_text.h"
#include "sotto/forecast.h"

namespace sotto::cli {

namespace {

using html::Notice;

bool is_public(const ReportJson& report) {
  return text_field(report, "audience") == "public";
}

std::string text_of(const ReportJson& json, std::string_view name) {
  return text_field(json, name).value_or("");
}

// "about 14 of 100 words (between 12 and 16)"
std::string share_with_margin(double share, double margin) {
  const double low = std::max(0.0, share - margin);
  const double high = std::min(1.0, share + margin);
  return fmt::format("{} (between {} and {})", out_of_hundred(share), percent(low), percent(high));
}

std::string word_pair(const Model& model, const api::ExampleOdds& odds) {
  return fmt::format("{} or {}", model.word(odds.first), model.word(odds.to.other.word));
}

std::string limit_text(const api::OddsTo& other, double releases) {
  return other.is_bounded() ? surer_text(*other.loss * releases) : "surer without any limit";
}

// The odds of the longest document, if the report may tell its length.
void add_whole_text(html::Page& page, const ReportJson& report) {
  const auto loss = number_field(report, "worst_case_longest_document");
  const auto words = count_field(field(report, "counts"), "longest_document");
  page.paragraph(
      "These limits are for one word. The limits of several words multiply. For two words that are each "
      "limited to 10 times, it is 100 times.");
  if (loss && words && *words > 1) {
    page.paragraph(fmt::format(
        "The longest text of this release has {}. In the worst case somebody who sees it becomes {} that it "
        "was one given text and not another. So the promise protects single words and short remarks. It "
        "does not hide what a long text is about.",
        counted(*words, "word"), surer_text(*loss)));
  } else {
    page.paragraph(
        "So the promise protects single words and short remarks. It does not hide what a long text is "
        "about.");
  }
}

std::vector<html::Cell> guess_row(std::string name, const api::GuessShares& shares, bool is_lower_bound) {
  const std::string prefix = is_lower_bound ? "at least " : "";
  return {std::move(name), out_of_hundred(shares.blind),
          prefix + share_with_margin(shares.once, shares.once_margin),
          shares.twice ? share_with_margin(*shares.twice, shares.twice_margin) : "not computed"};
}

}  // namespace

std::string out_of_hundred(double share) {
  if (share <= 0) return "none";
  if (share < 0.001) return "fewer than 1 of 1,000";
  if (share < 0.01) return fmt::format("{:.0f} of 1,000", std::ceil(share * 1000));
  if (share >= 0.995) return share >= 1 ? "all" : "more than 99 of 100";
  return fmt::format("{:.0f} of 100", share * 100);
}

std::vector<std::string> text_list(const ReportJson& json, std::string_view name) {
  std::vector<std::string> out;
  const ReportJson& list = field(json, name);
  if (!list.is_array()) return out;
  for (const ReportJson& item : list) {
    if (item.is_string()) out.push_back(item.get<std::string>());
  }
  return out;
}

bool ReleaseView::is_not_private() const {
  return text_field(report, "status") == "not_private";
}

void add_audience(html::Page& page, const ReportJson& report) {
  if (is_public(report)) {
    page.notice(
        {.tone = Notice::Tone::neutral,
         .title = "Public page",
         .sentences = {"This page holds no count and no name taken from the input. It may be published "
                       "together with the release."}});
    return;
  }
  page.notice(
      {.tone = Notice::Tone::neutral,
       .title = "For the data holder only",
       .sentences = {"This page holds names of columns and counts of the input. Do not give it away "
                     "with the release. With --public-report Sotto makes a page that may be published."}});
}

void add_unchanged_columns(html::Page& page, const ReportJson& report) {
  page.section("What is unchanged and may identify people");
  const std::vector<std::string> passed = text_list(report, "passed_through");
  if (passed.empty()) {
    page.paragraph(
        "Nothing beside the text was in the input: there are no other columns or fields. What the text "
        "itself "
        "still shows is listed under \"What is not protected\".");
  } else {
    const bool are_fields = passed.front().find("field") != std::string::npos;
    page.notice(
        {.tone = Notice::Tone::caution,
         .title = are_fields ? "Not changed: " + passed.front()
                             : fmt::format("Not changed: {}{}", passed.size() == 1 ? "column " : "columns ",
                                           fmt::join(passed, ", ")),
         .sentences = {"Everybody who has the release can read them as they were.",
                       "If one of them holds a name, an address, a customer number or a date of birth, "
                       "the release identifies people, whatever the rest of this page says.",
                       "Decide for each one why it may stay. To change a column too, name it with "
                       "--column; to leave it out, remove it before the run."}});
  }
}

void add_strength(html::Page& page, const ReportJson& report) {
  page.section("How well the words are hidden");
  const std::string strength = text_of(report, "strength");
  const std::string status = text_of(report, "status");
  Notice notice{.tone = strength == "ok" && status == "proven"          ? Notice::Tone::good
                        : strength == "none" || status == "not_private" ? Notice::Tone::bad
                                                                        : Notice::Tone::caution,
                .title = "Strength: " + strength,
                .sentences = {text_of(report, "strength_reason")}};
  const ReportJson& expected = field(report, "expected_unchanged");
  if (const auto share = number_field(expected, "share")) {
    notice.sentences.push_back(fmt::format(
        "Of the words, {} are expected to stay as they are. Nobody can see which: a word that stayed looks "
        "like a word that was drawn. The share is computed for usual English word frequencies, not from "
        "your text.",
        share_with_margin(*share, number_field(expected, "margin95").value_or(0))));
  }
  if (status == "proven") {
    notice.sentences.emplace_back(
        "The promise is mathematically proven. Proven means that the formula is right. It does "
        "not mean that the promise is strong: look at the strength, and at what an expert guesses.");
  } else if (status == "refuted") {
    notice.sentences.emplace_back(
        "The promise that was published for this method is false. What holds was computed for this "
        "vocabulary alone.");
  } else {
    notice.sentences.emplace_back("This release has no privacy promise:");
    for (const std::string& reason : text_list(report, "status_reasons")) notice.sentences.push_back(reason);
  }
  page.notice(notice);
}

void add_promise(html::Page& page, const ReleaseView& view) {
  page.section("What is promised, as odds");
  if (view.is_not_private()) {
    page.paragraph("Nothing is promised for this release. \"How well the words are hidden\" says why.");
    return;
  }
  page.paragraph(
      "Somebody sees one released word and wonders which of two words was there before. The promise limits "
      "how much surer this person can become. It holds for everybody, however clever, and whatever they knew "
      "before.");
  html::Table table{.caption = "Limits for example words of this model, rounded up",
                    .headings = {"was it", "whoever sees the released word becomes"}};
  for (const api::ExampleOdds& odds : view.examples.odds) {
    table.rows.push_back({word_pair(view.model, odds),
                          fmt::format("{} that it was {} than {}", limit_text(odds.to.other, 1),
                                      view.model.word(odds.first), view.model.word(odds.to.other.word))});
  }
  page.table(table);
  page.paragraph(
      "A limit is small for words with a similar meaning, and large for words that have little in common. A "
      "limit of some hundred or more is not much protection by itself. Usually far less is learnt than the "
      "limit "
      "allows: the next section says how much.");
  add_whole_text(page, view.report);
}

void add_guesses(html::Page& page, const ReleaseView& view) {
  page.section("What an expert guesses");
  const api::Guesses& guesses = view.examples.guesses;
  page.paragraph(
      "The expert knows this program, the model, all settings, and how frequent words are in usual texts. "
      "For "
      "each released word the expert names the most likely original word.");
  html::Table table{.caption = "How often the guess is right",
                    .headings = {"", "without seeing the release", "with the release",
                                 "with two releases of the same text"}};
  const bool is_lower_bound = guesses.basis == api::Guesses::Basis::unchanged;
  table.rows.push_back(guess_row("any word", guesses.all, is_lower_bound));
  if (guesses.content) {
    table.rows.push_back(
        guess_row(fmt::format("a word that is not among the {} most frequent", api::kFrequentWords),
                  *guesses.content, is_lower_bound));
  }
  page.table(table);
  if (guesses.basis == api::Guesses::Basis::nothing) {
    page.paragraph("The released words tell nothing about the original ones, so seeing them does not help.");
  } else if (is_lower_bound) {
    page.paragraph(
        "Computing the best guess takes too long for this model. The table has a simple attacker, who takes "
        "each "
        "released word for the original one. The best expert is right at least as often.");
  }
  page.paragraph(
      "Without the release, the expert always names the same most frequent word. An expert who reads whole "
      "sentences uses the words around a word too, and is right more often: `sotto attack` measures how "
      "often.");
}

void add_two_releases(html::Page& page, const ReleaseView& view) {
  page.section("What a second release would do");
  const api::Guesses& guesses = view.examples.guesses;
  if (!view.is_not_private() && !view.examples.odds.empty() &&
      view.examples.odds.front().to.other.is_bounded()) {
    const api::ExampleOdds& odds = view.examples.odds.front();
    page.paragraph(fmt::format(
        "A second run on the same text draws new words. Whoever has both copies learns more than "
        "from one: the "
        "limits multiply. Was it {}? After one release somebody can be {}, after two releases {}.",
        word_pair(view.model, odds), limit_text(odds.to.other, 1), limit_text(odds.to.other, 2)));
  } else {
    page.paragraph(
        "A second run on the same text draws new words. Whoever has both copies learns more than from one.");
  }
  if (guesses.all.twice) {
    page.paragraph(fmt::format("The expert is right for {} words with one release and for {} with two.",
                               out_of_hundred(guesses.all.once), out_of_hundred(*guesses.all.twice)));
  }
  page.paragraph(
      "So privatise each text once, keep that copy, and use it from then on. Sotto keeps nothing of a text. "
      "It "
      "can notice a second release only if you use a ledger.");
}

void add_example_lines(html::Page& page, const ReleaseView& view) {
  page.section("Ten invented lines, before and after");
  page.paragraph(
      "These lines are invented. They are not from the text that was released, and they were drawn with "
      "other "
      "random numbers than the release.");
  html::Table table{.headings = {"before", "after, with the same settings"}};
  for (const api::ExampleLine& line : view.examples.lines) table.rows.push_back({line.before, line.after});
  page.table(table);
}

void add_not_protected(html::Page& page, const ReportJson& report) {
  page.section("What is not protected");
  std::vector<std::string> items = text_list(report, "leaks");
  items.emplace_back(
      "Names are not recognised. A name that the model knows is treated like any other word and can stay.");
  items.emplace_back(
      "A person who appears in many texts is protected less: each text tells a little more about the "
      "person.");
  items.emplace_back(
      "The subject of a long text can often still be guessed, because many words point to it.");
  page.list(items);
}

}  // namespace sotto::cli
