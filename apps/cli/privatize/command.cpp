// sotto privatize: what is promised, said first; then the files; then what was done.
#include "cli/privatize/command.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <list>
#include <optional>
#include <utility>

#include "api/verify.h"
#include "cli/commands.h"
#include "cli/privatize/folder_run.h"
#include "cli/privatize/page.h"
#include "cli/privatize/plan.h"
#include "cli/privatize/text.h"
#include "core/output_file.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"
#include "shared/setting_choice.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"

namespace sotto::cli {

namespace {

constexpr char kPrivatizeHelp[] =
    R"(Replace words by random ones in text, CSV, TSV or JSONL files.

Usage: sotto privatize [FILE...] --epsilon NUMBER [-o FILE|FOLDER/] [options]

  sotto privatize notes.txt --epsilon 3 -o private.txt --report report.json
  sotto privatize reviews.csv.gz --column text --epsilon 3 -o private.csv.gz
  sotto privatize tickets.jsonl --field message.body --epsilon 3 > private.jsonl
  sotto privatize dump/*.csv --column 3 --epsilon 3 -o private/

Without a file, or with `-`, standard input is read.)";

constexpr char kPrivatizeNotes[] =
    R"(What epsilon means: for two words at distance d, the probabilities of any output differ by a
factor of at most e^(epsilon d). Small is private, large is useful, and the scale is the metric's:
before it starts, the command prints the share of words that is expected to stay as it is, and
epsilon times the median distance to the nearest word. It warns above 50%, and stops above 90%. On the
default model tem leaves about 3% of the words as they are at epsilon 2, 40% at 3, 90% at 4; laplace 4%
at 5, 56% at 10. The
losses of the words of a text add up, and another release of the same text adds again.

What is changed: every token, digits, symbols and emoji included. Words are lower-cased (folded),
and come out so. A word that the model does not have is first replaced by one public anchor word
(--unknown-word), then privatised as that word. If two replaced tokens touch, a space is put between
them.

What stays in clear: the number and order of documents and tokens, white space, punctuation, the
header of a table, and every column or field that is not chosen (standard error gives their numbers).
Length is not hidden.

Tables: a file that other programs would split in another way is refused (exit code 3). The first row
counts as the header; if it looks like data, give --header or --no-header.

Output is whole or absent: it appears under its name only when all went well. With -o FOLDER/ each
file keeps its name, a rerun skips finished files, and a rerun with other settings is refused.
--ledger counts what is spent: the release is debited before its file appears, and stays debited if the run
fails afterwards. On standard output each part is debited before it is written. Exit code 1: a budget
does not allow the release.
Compressed input (gzip, zstd) is recognised; a name in .gz or .zst compresses the output.

Read next: docs/tutorial/1-first-csv.md)";

std::optional<PrivatizeArguments> parse_privatize(Words words) {
  PrivatizeArguments out;
  ReadingTexts reading;
  std::string unknown = "anchor";
  std::string threads;
  std::string seed;
  CommandLine command("privatize", kPrivatizeHelp);
  command.footer(kPrivatizeNotes);
  command.files(out.inputs);
  command.text("-o,--output", out.output, "FILE",
               "where to (default: standard output); a folder for many inputs");
  command.mechanism_choice(out.choice);
  command.reading_options(reading);
  command.flag("--strip-html", out.request.texts.strip_html,
               "remove HTML tags such as <br /> and decode entities first");
  command.text(
      "--unknown", unknown, "POLICY",
      "words that the model does not have: anchor (default) | mask | drop | keep. Only anchor is private");
  command.choices("--unknown", {"anchor", "mask", "drop", "keep"});
  command.text("--unknown-word", out.request.texts.anchor, "WORD", kAnchorHelp);
  command.texts(
      "--report", out.reports, "FILE",
      "write the report of the release, for the data holder: a page in plain words if the name ends in "
      ".html (takes some seconds more), else JSON; repeatable");
  command.flag("--public-report", out.public_report,
               "leave every count taken from the input out of the report");
  command.text("--attack-result", out.attack_result, "FILE",
               "put the errors that `attack --json` printed for this mechanism into the report for the data "
               "holder");
  command.flag("--certify", out.request.certify,
               "put the certificate of this model into the report: computed if it is missing (seconds to a "
               "minute)");
  command.flag("--force", out.force, "replace existing files; in a folder, do finished files again");
  command.flag("--allow-weak", out.request.allow_weak,
               "go on even if more than 90% of the words are expected to stay");
  declare_ledger(command, out.ledger);
  command.text("--threads", threads, "N", kThreadsHelp);
  command.text("--seed-not-private", seed, "N", kSeedHelp);
  command.flag("--json", out.json, kSummaryHelp);
  command.flag("-q,--quiet", out.quiet, "no progress and no summary; warnings stay");
  if (command.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
  out.request.reading = ReadingOptions::parse(reading);
  out.request.texts.unknown = parse_unknown_words(unknown);
  out.request.seed_not_private = seed_number(seed);
  out.threads = thread_number(threads);
  return out;
}

void check_streams(const PrivatizeArguments& arguments) {
  if (arguments.json && arguments.output == "-") {
    throw Error(ErrorCode::usage,
                "--json prints the answer to standard output, so the data must go to a file: add -o FILE");
  }
  if (arguments.public_report && arguments.reports.empty()) {
    throw Error(ErrorCode::usage, "--public-report needs a report: add --report FILE");
  }
  if (!arguments.attack_result.empty() && (arguments.public_report || arguments.reports.empty())) {
    throw Error(ErrorCode::usage,
                "--attack-result goes into the report for the data holder: give --report FILE, and leave "
                "--public-report out");
  }
}

ProgressBar::Mode bar_mode(const PrivatizeArguments& arguments) {
  const bool data_on_terminal = arguments.output == "-" && is_terminal(Stream::output);
  return is_terminal(Stream::error) && !data_on_terminal && !arguments.quiet ? ProgressBar::Mode::on
                                                                             : ProgressBar::Mode::off;
}

Overwrite overwrite(const PrivatizeArguments& arguments) {
  return arguments.force ? Overwrite::replace : Overwrite::refuse;
}

ReportDetail detail_of(const PrivatizeArguments& arguments) {
  return arguments.public_report ? ReportDetail::public_only : ReportDetail::data_holder;
}

// The examples of a page, if one is asked for. They come from public data, so they are made before any text
// is read: a run that is interrupted here has released and debited nothing.
std::optional<api::Illustration> examples_for_page(const api::ReleaseAnswer& promise,
                                                   const PrivatizeArguments& arguments, const Work& work) {
  if (std::ranges::none_of(arguments.reports, is_page)) return std::nullopt;
  return api::illustrate({.privatizer = promise.privatizer,
                          .certificate = promise.facts.certificate,
                          .expected = promise.facts.expected},
                         work);
}

std::string report_text(const api::ReleaseAnswer& answer, const std::string& path,
                        const std::optional<api::Illustration>& examples, ReportDetail detail) {
  return is_page(path) && examples ? release_page(answer, detail, *examples) : answer.report(detail);
}

struct ReleaseRun {
  const Plan& plan;
  FolderRun* folder = nullptr;
  const PrivatizeArguments& arguments;
  const std::optional<api::Illustration>& examples;
};

void release_files(api::Release& release, const ReleaseRun& run, const std::function<void()>& on_start) {
  const auto& [plan, folder, arguments, examples] = run;
  ProgressBar bar(bar_mode(arguments));
  const api::ReleaseHooks hooks{.on_start = on_start,
                                .on_notice = [](const std::string& notice) { say(notice); },
                                .on_progress = [&](const Progress& progress) { bar.update(progress); }};
  // The report's file is opened first: a folder that cannot be written is told before the work.
  std::list<OutputFile> reports;
  for (const std::string& path : arguments.reports) reports.emplace_back(path, overwrite(arguments));

  std::unique_ptr<ByteSink> last;
  for (api::ReleaseFile file : plan.files) {
    if (folder != nullptr && folder->is_finished(file)) {
      release.skip_file();
      continue;
    }
    bar.start(plan.files.size() > 1 ? fmt::format("file {} of {}", file.number + 1, plan.files.size()) : "");
    const bool replaces = folder != nullptr && folder->is_to_redo(file);
    file.overwrite = replaces ? Overwrite::replace : overwrite(arguments);
    try {
      last = release.file(file, {.threads = arguments.threads}, hooks);
      if (folder != nullptr) {
        last->finish();
        folder->finished(file);
      }
    } catch (const Error& error) {
      if (plan.files.size() == 1) throw;
      const api::ReleaseAnswer so_far = release.answer();
      throw Error(error.code(), fmt::format("{}: {} ({} finished; give the same command again to continue)",
                                            file.input.string(), error.what(),
                                            counted(so_far.files + so_far.facts.finished_earlier, "file")));
    }
    bar.clear();
  }
  // The report first: data under its name means that all went well.
  auto path = arguments.reports.begin();
  for (OutputFile& report : reports) {
    report.write(report_text(release.answer(), *path++, examples, detail_of(arguments)));
  }
  for (OutputFile& report : reports) report.commit();
  if (folder == nullptr) last->finish();
}

void print_json(api::ReleaseAnswer answer, const PrivatizeArguments& arguments) {
  if (!arguments.reports.empty()) answer.report_path = arguments.reports.front();
  print_answer(api::to_json(answer));
}

// Whether a pipe has bytes, or its end, within a second. A terminal is never waited for.
bool has_input_soon() {
  constexpr int kMilliseconds = 1000;
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  return isatty(STDIN_FILENO) != 1 && poll(&input, 1, kMilliseconds) != 0;
}

}  // namespace

int run_privatize(Words words) {
  std::optional<PrivatizeArguments> parsed = parse_privatize(words);
  if (!parsed) return kDone;
  PrivatizeArguments& arguments = *parsed;
  check_streams(arguments);
  const Plan plan = make_plan(arguments);
  if (plan.files.size() > 1 && !arguments.ledger.document.empty()) {
    throw Error(ErrorCode::usage,
                "--document names one document, and there are several inputs: release them one by one, or "
                "give --subject "
                "alone");
  }
  const Setting setting = chosen_setting(arguments.choice);
  check_columns(arguments, plan);
  check_nothing_is_replaced(arguments, plan);
  ProgressBar bar(bar_mode(arguments));
  arguments.request.built = build_mechanism(setting, open_model(arguments.choice.model),
                                            bar.work(arguments.threads).at("calibrating"));
  bar.clear();
  if (!arguments.attack_result.empty()) {
    arguments.request.attack_result = api::read_report(arguments.attack_result);
  }
  arguments.request.ledger = open_ledger_use(arguments.ledger);
  api::Release release(arguments.request);
  std::optional<FolderRun> folder;
  if (plan.folder) {
    folder.emplace(*plan.folder, folder_settings(release.answer(), arguments.request.reading), plan,
                   arguments.force ? Redo::everything : Redo::nothing);
    if (std::ranges::all_of(plan.files, [&](const auto& file) { return folder->is_finished(file); })) {
      for (std::size_t i = 0; i < plan.files.size(); ++i) release.skip_file();
      if (!arguments.quiet) {
        say(fmt::format("nothing to do: {} finished earlier (--force does them again)",
                        counted(plan.files.size(), "file")));
      }
      if (arguments.json) print_json(release.promise(bar.work(arguments.threads)), arguments);
      return kDone;
    }
  }

  const api::ReleaseAnswer promise = release.promise(bar.work(arguments.threads));
  bar.clear();
  // An input that cannot be read is told alone, so the promise comes before the first output. Who types a
  // text, or feeds a pipe line by line, sees the promise before the first line.
  std::function<void()> on_start = [&] { announce(promise, arguments); };
  const bool reads_standard_input =
      std::ranges::any_of(plan.files, [](const auto& file) { return file.input == "-"; });
  const bool is_awaited = reads_standard_input && !has_input_soon();
  if (promise.is_stopped() || is_awaited) std::exchange(on_start, {})();
  if (promise.is_stopped()) return kAnswerIsNo;

  const std::optional<api::Illustration> examples =
      examples_for_page(promise, arguments, bar.work(arguments.threads));
  bar.clear();
  const ReleaseRun run{
      .plan = plan, .folder = folder ? &*folder : nullptr, .arguments = arguments, .examples = examples};
  if (folder) {
    if (const std::size_t left = folder->left_with_old_settings(); left > 0) {
      say(fmt::format("warning: the folder also has {} of earlier settings", counted(left, "other file")));
    }
    folder->begin();
  }
  saying_what_is_spent([&] { return !release.answer().spent.empty(); },
                       [&] { release_files(release, run, on_start); });
  summarise(release.answer(), arguments);
  if (arguments.json) print_json(release.answer(), arguments);
  return kDone;
}

}  // namespace sotto::cli
