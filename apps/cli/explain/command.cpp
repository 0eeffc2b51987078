// sotto explain: what one word may become.
#include <algorithm>
#include <optional>

#include "cli/commands.h"
#include "cli/explain/text.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"
#include "shared/setting_choice.h"
#include "sotto/error.h"
#include "sotto/explain.h"

namespace sotto::cli {

namespace {

constexpr char kExplainHelp[] =
    R"(Show what one word may become, and how likely each output is.

Usage: sotto explain WORD --epsilon NUMBER [options]

  sotto explain doctor --epsilon 3
  sotto explain doctor --mechanism laplace --epsilon 10 --top 20
  sotto explain doctor --epsilon 3 --top 0 --json)";

constexpr char kExplainNotes[] =
    R"(The most likely outputs come first, with the guarantee in plain words. The probabilities are
exact where the law of the mechanism has a closed form. Otherwise they are estimated from draws,
with 95% intervals. With --calibration exact or flat the paper's law stands beside them.

Read next: docs/tutorial/2-choosing-epsilon.md)";

struct ExplainArguments {
  std::string word;
  MechanismChoice choice;
  std::string unknown_word;
  std::size_t top = 10;   // 0: all
  std::size_t draws = 0;  // 0: as many as take a few seconds
  bool json = false;
};

std::optional<ExplainArguments> parse_explain(Words words) {
  ExplainArguments out;
  std::string top = "10";
  std::string draws = "0";
  CommandLine command("explain", kExplainHelp);
  command.footer(kExplainNotes);
  command.text("word", out.word, "WORD", "");
  command.mechanism_choice(out.choice);
  command.text("--top", top, "N", "how many outputs to show (default 10; 0: all)");
  command.text("--draws", draws, "N", "draws for an estimate (default: as many as take a few seconds)");
  command.text("--unknown-word", out.unknown_word, "WORD", kAnchorHelp);
  command.flag("--json", out.json, kJsonHelp);
  if (command.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
  if (out.word.empty())
    throw Error(ErrorCode::usage, "`sotto explain` needs a word: `sotto explain doctor --epsilon 2`");
  out.top = whole_number("--top", top);
  out.draws = whole_number("--draws", draws);
  return out;
}

}  // namespace

int run_explain(Words words) {
  const std::optional<ExplainArguments> arguments = parse_explain(words);
  if (!arguments) return kDone;
  Setting setting = chosen_setting(arguments->choice);
  ProgressBar bar(is_terminal(Stream::error) ? ProgressBar::Mode::on : ProgressBar::Mode::off);
  const api::ExplainAnswer answer = api::explain({.model = open_model(arguments->choice.model),
                                                  .setting = std::move(setting),
                                                  .word = arguments->word,
                                                  .unknown_word = arguments->unknown_word,
                                                  .top = arguments->top,
                                                  .draws = arguments->draws},
                                                 bar.work(0));
  bar.clear();
  if (arguments->json) {
    print_answer(api::to_json(answer));
  } else {
    print(explain_text(answer, std::clamp<std::size_t>(terminal_width(Stream::output), 60, 100)));
  }
  return kDone;
}

}  // namespace sotto::cli
