// sotto privatize: what is promised, said first; then the files; then what was done.
#include <fmt/format.h>
#include <fmt/ranges.h>

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
#include "text/forecast.h"
#include "text/pipeline.h"

namespace sotto::cli {

namespace {

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

void name_what_passes(const Job& job, const std::vector<std::string>& passed) {
  if (job.format.kind == FormatKind::text) return;
  const bool is_table = job.format.kind != FormatKind::jsonl;
  if (is_table && job.format.header != TableHeader::absent) {
    say("the first row is taken for a header and stays in clear (--no-header: it is data)");
  }
  if (passed.empty()) return;
  // By number: a name is a cell of the file, which is private if the file has no header after all.
  say(fmt::format("passing through in clear: {}{}",
                  is_table ? fmt::format("{}, by number: ", counted(passed.size(), "column")) : "",
                  fmt::join(passed, ", ")));
}

// Appends what is not there yet.
void add_new(const std::vector<std::string>& more, std::vector<std::string>& all) {
  for (const std::string& text : more) {
    if (std::ranges::find(all, text) == all.end()) all.push_back(text);
  }
}

void note_facts(Run& run, const Job& job, const Format& format) {
  const std::string name(format_name(job.format.kind));
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
  const std::unique_ptr<Format> format = make_format(job.format);
  bool named = run.files_done > 0;  // once for a run
  const auto name_once = [&] {
    if (!std::exchange(named, true)) name_what_passes(job, format->passed_through());
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
  if (is_calibrated(mechanism)) return built;  // the law was found by it
  if (!arguments.certify) return std::nullopt;
  ProgressBar bar(bar_mode(arguments));
  bar.start("certifying");
  std::optional<Certificate> found = certificate_of(mechanism, bar.work(arguments.threads));
  bar.clear();
  if (found) return found;
  throw Error(
      ErrorCode::usage,
      fmt::format("--certify: no certificate of {} can be computed on this model: it takes a known law, "
                  "and up to {} words but for tem and hyperbolic; leave --certify out",
                  mechanism.info->name, kGeneralLimit));
}

}  // namespace

int privatize(const PrivatizeArguments& arguments) {
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
  run.facts.settings = report_settings(arguments);
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
