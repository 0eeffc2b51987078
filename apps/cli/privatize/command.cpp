// sotto privatize: what is promised, said first; then the files; then what was done.
#include "cli/privatize/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "cli/commands.h"
#include "cli/privatize/folder_run.h"
#include "cli/privatize/plan.h"
#include "cli/privatize/release_run.h"
#include "core/byte_stream.h"
#include "core/utc_time.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"
#include "sotto/certificate.h"
#include "sotto/error.h"
#include "sotto/forecast.h"
#include "text/pipeline.h"

namespace sotto::cli {

namespace {

constexpr char kHelp[] =
    R"(Replaces every word of the documents (lines, cells or fields) by a random word of
the model.

Usage: sotto privatize [FILE...] --epsilon NUMBER [-o FILE|FOLDER/] [options]

  sotto privatize notes.txt --epsilon 3 -o private.txt --report report.json
  sotto privatize reviews.csv.gz --column text --epsilon 3 -o private.csv.gz
  sotto privatize tickets.jsonl --field message.body --epsilon 3 > private.jsonl
  sotto privatize dump/*.csv --column 3 --epsilon 3 -o private/

Without a file, or with `-`, standard input is read.)";

constexpr char kNotes[] =
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

Tables: a file that other programs would split in another way is refused (exit code 3). The first row is
taken for a header; if it looks like data, say --header or --no-header.

Output is whole or absent: it appears under its name only when all went well. With -o FOLDER/ each
file keeps its name, a rerun skips finished files, and a rerun with other settings is refused.
Compressed input (gzip, zstd) is recognised; a name in .gz or .zst compresses the output.)";

std::optional<PrivatizeArguments> parse(Words words) {
  PrivatizeArguments out;
  ReadingTexts reading;
  std::string threads;
  std::string seed;
  CommandLine command("privatize", kHelp);
  command.footer(kNotes);
  command.files(out.inputs);
  command.text("-o,--output", out.output, "FILE",
               "where to (default: standard output); a folder for many inputs");
  command.mechanism_choice(out.choice);
  command.reading_options(reading);
  command.flag("--strip-html", out.strip_html, "remove HTML tags such as <br /> and decode entities first");
  command.text(
      "--unknown", out.unknown, "POLICY",
      "words that the model does not have: anchor (default) | mask | drop | keep. Only anchor is private");
  command.text("--unknown-word", out.unknown_word, "WORD", kAnchorHelp);
  command.text("--report", out.report, "FILE", "write the report of the release (JSON, for the data holder)");
  command.flag("--public-report", out.public_report,
               "leave every count taken from the input out of the report");
  command.flag("--certify", out.certify,
               "put the certificate of this model into the report: computed if it is missing (seconds to a "
               "minute)");
  command.flag("--force", out.force, "replace existing files; in a folder, do finished files again");
  command.flag("--allow-weak", out.allow_weak,
               "go on even if more than 90% of the words are expected to stay");
  command.text("--threads", threads, "N", kThreadsHelp);
  command.text("--seed-not-private", seed, "N", kSeedHelp);
  command.flag("--json", out.json, kSummaryHelp);
  command.flag("-q,--quiet", out.quiet, "no progress and no summary; warnings stay");
  if (command.parse(words) == CommandLine::Outcome::helped) return std::nullopt;
  out.reading = ReadingOptions(reading);
  out.threads = thread_number(threads);
  out.seed_not_private = seed_number(seed);
  return out;
}

void check_streams(const PrivatizeArguments& arguments) {
  if (arguments.json && arguments.output == "-") {
    throw Error(ErrorCode::usage,
                "--json needs the data in a file (-o FILE): data and answers never share a stream");
  }
  if (arguments.public_report && arguments.report.empty()) {
    throw Error(ErrorCode::usage, "--public-report says what goes into the report: give --report FILE too");
  }
}

PrivatizerOptions text_options(const PrivatizeArguments& arguments) {
  PrivatizerOptions options;
  options.unknown = parse_unknown_words(arguments.unknown);
  options.anchor = arguments.unknown_word;
  options.strip_html = arguments.strip_html;
  return options;
}

// Appends what is not there yet.
void add_new(const std::vector<std::string>& more, std::vector<std::string>& all) {
  for (const std::string& text : more) {
    if (std::ranges::find(all, text) == all.end()) all.push_back(text);
  }
}

void note_facts(Run& run, const Job& job, const Format& format) {
  const std::string name(job.format->name);
  if (run.facts.format.find(name) == std::string::npos) {
    run.facts.format += (run.facts.format.empty() ? "" : ", ") + name;
  }
  add_new(format.passed_through(), run.facts.passed_through);
  add_new(format.passed_names(), run.facts.passed_names);
  add_new(format.allowed_leaks(), run.facts.allowed_leaks);
}

ProgressBar::Mode bar_mode(const PrivatizeArguments& arguments) {
  const bool data_on_terminal = arguments.output == "-" && is_terminal(Stream::output);
  return is_terminal(Stream::error) && !data_on_terminal && !arguments.quiet ? ProgressBar::Mode::on
                                                                             : ProgressBar::Mode::off;
}

// Streams one file. The caller finishes the sink.
std::unique_ptr<ByteSink> privatize_file(Run& run, const Job& job, Overwrite overwrite, ProgressBar& bar) {
  const std::unique_ptr<ByteSource> source = open_source(job.input);
  Sha256 hash;
  std::unique_ptr<ByteSink> sink = open_sink(job.output, overwrite, &hash);
  const std::unique_ptr<Format> format = job.format->make(run.arguments.reading);
  bool named = run.files_done > 0;  // once for a run
  const auto name_once = [&] {
    if (std::exchange(named, true)) return;
    for (const std::string& notice : format->notices()) say(notice);
  };
  StreamOptions options;
  options.threads = run.arguments.threads;
  options.first_stream = job.first_stream;
  options.on_progress = [&](const Progress& progress) {
    name_once();
    bar.update(progress);
  };
  run.facts.counts.add(privatize_stream(*source, *sink, *format, run.privatizer, run.random, options));
  sink->close();
  run.facts.released->push_back({.name = job.output.filename().string(), .sha256 = hex_text(hash.digest())});
  bar.clear();
  name_once();
  note_facts(run, job, *format);
  return sink;
}

void run_jobs(Run& run, const Plan& plan, FolderRun* folder) {
  ProgressBar bar(bar_mode(run.arguments));
  // The report's file is opened first: a folder that cannot be written is told before the work.
  std::optional<OutputFile> report;
  const Overwrite overwrite = run.arguments.force ? Overwrite::replace : Overwrite::refuse;
  if (!run.arguments.report.empty()) report.emplace(run.arguments.report, overwrite);

  const auto started = std::chrono::steady_clock::now();
  std::unique_ptr<ByteSink> last;
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    const Job& job = plan.jobs[i];
    if (folder != nullptr && folder->is_finished(job)) {
      ++run.files_skipped;
      continue;
    }
    bar.start(plan.jobs.size() > 1 ? fmt::format("file {} of {}", i + 1, plan.jobs.size()) : "");
    try {
      const bool replaces = folder != nullptr && folder->is_to_redo(job);
      last = privatize_file(run, job, replaces ? Overwrite::replace : overwrite, bar);
      if (folder != nullptr) {
        last->finish();
        folder->finished(job);
      }
    } catch (const Error& error) {
      if (plan.jobs.size() == 1) throw;
      throw Error(error.code(),
                  fmt::format("{}: {} ({} finished; a rerun goes on from here)", job.input.string(),
                              error.what(), counted(run.files_done + run.files_skipped, "file")));
    }
    ++run.files_done;
  }
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  run.facts.finished_earlier = run.files_skipped;
  if (report) {
    report->write(
        release_report(run.privatizer, run.facts,
                       run.arguments.public_report ? ReportDetail::public_only : ReportDetail::data_holder));
  }
  // The report first: data under its name means that all went well.
  if (report) report->commit();
  if (folder == nullptr) last->finish();
}

// The same command gives the same report: what the cache holds decides how long it takes, never what is said.
std::optional<Certificate> certificate_for(const PrivatizeArguments& arguments, const Mechanism& mechanism,
                                           std::optional<Certificate> built) {
  if (mechanism.claim.by_certificate) return built;  // the law was found by it
  if (!arguments.certify) return std::nullopt;
  ProgressBar bar(bar_mode(arguments));
  bar.start("certifying");
  CertifiedMechanism certified{.mechanism = mechanism};
  add_certificate(certified, bar.work(arguments.threads));
  bar.clear();
  if (certified.certificate) return certified.certificate;
  throw Error(
      ErrorCode::usage,
      fmt::format("--certify: no certificate of {} can be computed on this model: it takes a known law, "
                  "and up to {} words but for tem and hyperbolic; leave --certify out",
                  mechanism.info->name, kGeneralLimit));
}

}  // namespace

int run_privatize(Words words) {
  const std::optional<PrivatizeArguments> parsed = parse(words);
  if (!parsed) return kDone;
  const PrivatizeArguments& arguments = *parsed;
  check_streams(arguments);
  const PrivatizerOptions options = text_options(arguments);
  const Plan plan = make_plan(arguments);
  CertifiedMechanism chosen =
      build_chosen(arguments.choice, {.threads = arguments.threads, .bar = bar_mode(arguments)});
  Run run{arguments,
          Privatizer(std::move(chosen.mechanism), options),
          arguments.seed_not_private ? RandomSource::seeded_not_private(*arguments.seed_not_private)
                                     : RandomSource::fresh(),
          {}};
  run.facts.seeded_not_private = run.random.is_seeded();
  std::optional<FolderRun> folder;
  if (plan.folder) {
    folder.emplace(*plan.folder, folder_settings(run), plan,
                   arguments.force ? Redo::everything : Redo::nothing);
    if (std::ranges::all_of(plan.jobs, [&](const Job& job) { return folder->is_finished(job); })) {
      run.files_skipped = plan.jobs.size();
      if (!arguments.quiet) {
        say(fmt::format("nothing to do: {} finished earlier (--force does them again)",
                        counted(plan.jobs.size(), "file")));
      }
      if (arguments.json) print_answer(answer_of(run));
      return kDone;
    }
  }

  const Forecast expected = forecast(run.mechanism(), {.threads = arguments.threads});
  run.facts.expected_unchanged = expected.unchanged;
  run.facts.expected_unchanged_margin = expected.unchanged_margin;
  run.facts.scaled_nearest_distance = expected.scaled_nearest;
  run.facts.settings = arguments.reading.settings(*plan.jobs.front().format);
  run.facts.released_at = utc_now();
  run.facts.released.emplace();
  run.facts.certificate = certificate_for(arguments, run.mechanism(), std::move(chosen.certificate));
  announce(run);
  if (judge(run) == Decision::stop) return kAnswerIsNo;

  if (folder) {
    if (const std::size_t left = folder->left_with_old_settings(); left > 0) {
      say(fmt::format("warning: {} other files of the folder keep the earlier settings", left));
    }
    folder->begin();
  }
  run_jobs(run, plan, folder ? &*folder : nullptr);
  warn_of_passed_records(run);
  if (!arguments.quiet) summarise(run);
  if (arguments.json) print_answer(answer_of(run));
  return kDone;
}

}  // namespace sotto::cli
