// sotto evaluate: what accuracy is lost by training on private text.
#include <fmt/format.h>

#include "api/evaluate.h"
#include "cli/adversary.h"
#include "cli/commands.h"
#include "cli/evaluate/text.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"
#include "shared/setting_choice.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr char kEvaluateHelp[] =
    R"(Measure how much accuracy a classifier loses when it is trained on private text.

Usage: sotto evaluate FILE --column NAME --label NAME --epsilon NUMBER,NUMBER,... [options]

  sotto evaluate tickets.csv --column text --label target --epsilon 2,2.5,3
  sotto evaluate tickets.csv --column text --label target --epsilon 2,3 --public forum.txt --html page.html
  sotto evaluate tickets.csv --column text --label target --epsilon 2,2.5,3 --max-drop 0.03 --json)";

constexpr char kEvaluateNotes[] =
    R"(The command splits labelled texts and privatises them in memory. It trains on clear text, on
private words as they are (direct) and on lifted features (lifted), and tests on clear and on
private text, several times.

The answer is made from the texts and labels in clear. It is for the data holder: no guarantee covers it.
Nothing private is written: private texts stay in memory.

--public names public texts of the same kind, without labels: plain text with one document per line, or a
table with the same column. 10,000 or more are good. They make lifted features much better; without them the
features are the model's vectors. With 50,000 words and three values of epsilon expect several minutes; a
smaller model is quicker (`sotto model import VECTORS --limit 10000`, from vectors that are no .sotto file).

Read next: docs/learning.md)";

struct EvaluateArguments {
  MechanismChoice choice;
  std::string input;
  std::string label;
  std::string public_file;
  std::string draws = "3";
  std::string max_drop = "0.05";
  std::string html;
  std::string threads;
  std::string seed;
  ReadingTexts reading;
  bool strip_html = false;
  bool json = false;
  bool force = false;
};

bool parse_evaluate(EvaluateArguments& arguments, Words words) {
  CommandLine line("evaluate", kEvaluateHelp);
  line.footer(kEvaluateNotes);
  line.text("input", arguments.input, "FILE", "");
  line.text("--label", arguments.label, "NAME", "the column or field with the labels");
  line.text("--public", arguments.public_file, "FILE", "public texts of the same kind, without labels");
  line.mechanism_choice(arguments.choice);
  line.reading_options(arguments.reading);
  line.flag("--strip-html", arguments.strip_html, "leave HTML tags out, as `privatize --strip-html` does");
  line.text("--draws", arguments.draws, "NUMBER", "how often the texts are privatised (default 3)");
  line.text("--max-drop", arguments.max_drop, "NUMBER",
            "loss of accuracy that is acceptable, for the chosen row (default 0.05)");
  line.flag("--json", arguments.json, kJsonHelp);
  line.text("--html", arguments.html, "FILE", "also write a page with plots; it needs nothing else");
  line.flag("--force", arguments.force, "replace an existing --html file");
  line.text("--threads", arguments.threads, "NUMBER", kThreadsHelp);
  line.text("--seed-not-private", arguments.seed, "NUMBER", kSeedHelp);
  return line.parse(words) == CommandLine::Outcome::parsed;
}

// `--epsilon 2,2.5` makes two settings.
std::vector<Setting> settings_of(const MechanismChoice& choice) {
  std::vector<Setting> out;
  const auto given = choice.parameters.find("epsilon");
  if (given == choice.parameters.end()) return {chosen_setting(choice)};
  std::string_view rest = given->second;
  while (true) {
    const std::size_t comma = rest.find(',');
    MechanismChoice one = choice;
    one.parameters["epsilon"] = std::string(rest.substr(0, comma));
    out.push_back(chosen_setting(one));
    if (comma == std::string_view::npos) return out;
    rest.remove_prefix(comma + 1);
  }
}

double share(const char* flag, const std::string& text) {
  const double value = parse_number(flag, text, Infinity::refused);
  if (value >= 0 && value <= 1) return value;
  throw Error(ErrorCode::usage, fmt::format("{} {}: it must be a number from 0 to 1", flag, text));
}

EvaluateLine line_of(const EvaluateArguments& arguments) {
  EvaluateLine line{.file = arguments.input, .model = arguments.choice.model, .reading = {}};
  for (const auto& [name, texts] : arguments.reading) {
    for (const std::string& text : texts) line.reading.insert(line.reading.end(), {"--" + name, text});
  }
  if (arguments.strip_html) line.reading.emplace_back("--strip-html");
  return line;
}

}  // namespace

int run_evaluate(Words words) {
  EvaluateArguments arguments;
  if (!parse_evaluate(arguments, words)) return kDone;
  if (arguments.input.empty() || arguments.input == "-") {
    throw Error(
        ErrorCode::usage,
        "`sotto evaluate` needs a file of labelled texts; standard input does not do, because the file is "
        "read twice: sotto evaluate FILE.csv --column text --label target --epsilon 2,3");
  }
  const unsigned threads = thread_number(arguments.threads);
  api::EvaluateRequest request{.settings = settings_of(arguments.choice),
                               .texts = {.strip_html = arguments.strip_html},
                               .draws = whole_number("--draws", arguments.draws),
                               .max_drop = share("--max-drop", arguments.max_drop),
                               .seed_not_private = seed_number(arguments.seed)};
  request.data = api::read_labelled(arguments.input, arguments.reading, arguments.label);
  if (!arguments.public_file.empty()) {
    request.public_texts = api::read_public(arguments.public_file, arguments.reading);
  }
  const std::unique_ptr<ByteSink> html =
      arguments.html.empty()
          ? nullptr
          : open_sink(arguments.html, arguments.force ? Overwrite::replace : Overwrite::refuse);
  request.model = open_model(arguments.choice.model);
  ProgressBar bar(is_terminal(Stream::error) ? ProgressBar::Mode::on : ProgressBar::Mode::off);
  const api::EvaluateAnswer answer = api::evaluate(request, bar.work(threads));
  bar.clear();
  for (const std::string& warning : answer.warnings) say("warning: " + warning);
  const EvaluateLine line = line_of(arguments);
  if (html) {
    html->write(evaluate_page(answer, line, public_command("evaluate", words)));
    html->finish();
  }
  if (arguments.json) {
    print_answer(to_json(answer));
  } else {
    print(evaluate_text(answer, line));
  }
  return answer.chosen() ? kDone : kAnswerIsNo;
}

}  // namespace sotto::cli
