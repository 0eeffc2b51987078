#include "cli/privatize/release_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/bound_text.h"
#include "shared/console.h"
#include "sotto/forecast.h"

namespace sotto::cli {

namespace {

double unchanged_at(const Run& run, double epsilon) {
  ParameterTexts texts = run.mechanism().parameters.texts();
  texts["epsilon"] = number_text(epsilon);
  const Mechanism& mechanism = run.mechanism();
  return forecast(build_mechanism(mechanism.info->name, mechanism.space->shared_model(), texts).mechanism,
                  {.words = 64, .draws_per_word = 4, .threads = run.arguments.threads})
      .unchanged;
}

// An epsilon with which about half of the words are expected to change, to two digits: halved until it is
// low enough, then up again by geometric means. Empty if none is found.
std::optional<double> epsilon_to_try(const Run& run) {
  constexpr int kHalvings = 8;
  constexpr int kRefinements = 2;
  double high = run.mechanism().claim.epsilon;
  double low = high / 2;
  for (int i = 0; unchanged_at(run, low) > kWeakUnchanged; ++i) {
    if (i == kHalvings) return std::nullopt;
    high = low;
    low /= 2;
  }
  for (int i = 0; i < kRefinements; ++i) {
    const double middle = std::sqrt(low * high);
    (unchanged_at(run, middle) > kWeakUnchanged ? high : low) = middle;
  }
  const double unit = std::pow(10.0, std::floor(std::log10(low)) - 1);
  return std::floor(low / unit) * unit;
}

// What would hide more, for a message.
std::string weaker_setting(const Run& run) {
  if (!run.mechanism().parameters.has("epsilon")) return "another --mechanism";
  // Calibrating takes too long for a guess.
  if (run.mechanism().claim.by_certificate) return "a smaller --epsilon";
  const std::optional<double> lower = epsilon_to_try(run);
  return lower ? fmt::format("--epsilon {:.2g}", *lower) : "a smaller --epsilon";
}

// The same number means another thing by calibration.
std::string epsilon_kind(const Mechanism& mechanism) {
  if (!mechanism.claim.by_certificate) return "nominal";
  return fmt::format("certified, calibration {}", mechanism.parameters.text("calibration"));
}

}  // namespace

void announce(const Run& run) {
  const Mechanism& mechanism = run.mechanism();
  const Model& model = mechanism.space->model();
  if (!run.arguments.quiet) {
    const bool has_epsilon = mechanism.parameters.has("epsilon");
    say(fmt::format("{}{} on {} words{}", mechanism.info->name,
                    has_epsilon ? fmt::format(" with epsilon {} ({})", number_text(mechanism.claim.epsilon),
                                              epsilon_kind(mechanism))
                                : "",
                    grouped(model.size()), model.origin().name.empty() ? "" : " of " + model.origin().name));
    say("guarantee: " + mechanism.claim.guarantee);
    if (run.facts.certificate) {
      say(fmt::format(
          "certified on this model: epsilon {}; all rounding adds at most {} to the loss of a word",
          rounded_up(run.facts.certificate->realised_epsilon),
          rounded_up(run.facts.certificate->additive_loss, 2)));
    }
    say(fmt::format("expected: {} of the words (+- {}) stay as they are{}",
                    percent(run.facts.expected_unchanged), percent(run.facts.expected_unchanged_margin),
                    has_epsilon
                        ? fmt::format("; epsilon times the median distance to the nearest word is {:.3g}",
                                      run.facts.scaled_nearest_distance)
                        : ""));
  }
  if (run.privatizer.options().unknown != UnknownWords::anchor) {
    say(fmt::format("warning: not private: --unknown {} shows which words the model does not have{}",
                    run.arguments.unknown,
                    run.privatizer.options().unknown == UnknownWords::keep ? ", in clear" : ""));
  }
  if (run.facts.seeded_not_private) say("warning: not private: whoever knows the seed can undo the noise");
  if (mechanism.claim.status != Status::proven) {
    say(fmt::format("warning: the status of this mechanism is {}: {}", status_name(mechanism.claim.status),
                    mechanism.claim.caveat));
  }
}

Decision judge(const Run& run) {
  const Strength strength = run.strength();
  if (strength == Strength::ok) return Decision::go_on;
  if (strength == Strength::weak) {
    say("warning: weak: most words are expected to stay as they are; a smaller --epsilon changes more");
    return Decision::go_on;
  }
  if (run.arguments.allow_weak) {
    say(fmt::format(
        "warning: strength none: {} of the words are expected to stay as they are, which hides next "
        "to nothing",
        percent(run.facts.expected_unchanged)));
    return Decision::go_on;
  }
  say(
      fmt::format("stopped, nothing was written: {} of the words would stay as they are, which hides next to "
                  "nothing; try {}, or go on with --allow-weak",
                  percent(run.facts.expected_unchanged), weaker_setting(run)));
  return Decision::stop;
}

Json folder_settings(const Run& run) {
  const Mechanism& mechanism = run.mechanism();
  Json settings;
  settings["mechanism"] = mechanism.info->name;
  settings["parameters"] = mechanism.parameters.texts();
  settings["model"] = mechanism.space->model().identity();
  settings["unknown"] = unknown_words_name(run.privatizer.options().unknown);
  settings["unknown_word"] = mechanism.space->model().word(run.privatizer.anchor());
  settings["strip_html"] = run.arguments.strip_html;
  settings["seeded_not_private"] = run.facts.seeded_not_private;
  // Only what was said: the folder stays known to a version that has more options.
  const ReadingOptions& reading = run.arguments.reading;
  if (reading.said().contains("format")) settings["format"] = reading.said().at("format").front();
  for (const ReadingOption* option : reading_options()) {
    std::string key(option->name);
    std::ranges::replace(key, '-', '_');
    if (option->kind == ReadingOption::Kind::list) {
      if (reading.said().contains(option->name)) settings[key + "s"] = reading.texts(*option);
    } else if (reading.value(*option) != option->values.back().text) {
      settings[key] = reading.value(*option);
    }
  }
  return settings;
}

Json answer_of(const Run& run) {
  const Mechanism& mechanism = run.mechanism();
  const TextCounts& counts = run.facts.counts;
  Json answer = start_answer("sotto.privatize/1");
  answer["mechanism"] = mechanism.info->name;
  answer["parameters"] = mechanism.parameters.texts();
  answer["metric"] = metric_name(mechanism.space->metric());
  answer["nominal_epsilon"] = mechanism.claim.epsilon;
  answer["certified_epsilon"] =
      run.facts.certificate ? Json(run.facts.certificate->realised_epsilon) : Json(nullptr);
  answer["additive_loss"] =
      run.facts.certificate ? Json(run.facts.certificate->additive_loss) : Json(nullptr);
  answer["status"] = status_name(run.status());
  answer["strength"] = strength_name(run.strength());
  answer["guarantee"] = mechanism.claim.guarantee;
  answer["model"] = {{"name", mechanism.space->model().origin().name},
                     {"identity", mechanism.space->model().identity()}};
  answer["expected_unchanged"] = {{"share", run.facts.expected_unchanged},
                                  {"margin95", run.facts.expected_unchanged_margin}};
  answer["epsilon_times_median_nearest_distance"] = run.facts.scaled_nearest_distance;
  answer["files"] = {{"done", run.files_done}, {"finished_earlier", run.files_skipped}};
  answer["counts"] = {
      {"documents", counts.documents},           {"tokens", counts.tokens},
      {"unknown_tokens", counts.unknown_tokens}, {"longest_document", counts.longest_document},
      {"longest_record", counts.longest_record}, {"empty_lines", counts.layout.empty_lines},
      {"short_rows", counts.layout.short_rows},  {"missing_fields", counts.layout.missing_fields}};
  answer["passed_through"] = run.facts.passed_through;
  answer["released"] = Json::array();
  for (const ReleasedFile& file : run.facts.released.value_or(std::vector<ReleasedFile>())) {
    answer["released"].push_back({{"name", file.name}, {"sha256", file.sha256}});
  }
  answer["seconds"] = run.seconds;
  answer["report"] = run.arguments.report.empty() ? Json(nullptr) : Json(run.arguments.report);
  return answer;
}

void warn_of_passed_records(const Run& run) {
  const LayoutCounts& layout = run.facts.counts.layout;
  if (layout.short_rows > 0) {
    say(fmt::format(
        "warning: {} with fewer cells than the first row passed; cells outside the chosen columns "
        "are in clear, also if such a row is a part of a text",
        counted(layout.short_rows, "row")));
  }
  if (layout.missing_fields > 0) {
    say(fmt::format("warning: {} without text at a chosen field passed in clear",
                    counted(layout.missing_fields, "record")));
  }
}

void summarise(const Run& run) {
  const TextCounts& counts = run.facts.counts;
  const double tokens = static_cast<double>(counts.tokens);
  const double unknown = tokens > 0 ? static_cast<double>(counts.unknown_tokens) / tokens : 0;
  say(fmt::format("{}, {} ({} unknown) in {:.1f} s ({} tokens/s)", counted(counts.documents, "document"),
                  counted(counts.tokens, "token"), percent(unknown), run.seconds,
                  grouped(static_cast<std::uint64_t>(tokens / std::max(run.seconds, 1e-3)))));
  if (run.files_done + run.files_skipped > 1) {
    say(fmt::format("{} done, {} finished earlier", counted(run.files_done, "file"),
                    grouped(run.files_skipped)));
  }
  say(fmt::format("status: {}; strength: {}{}", status_name(run.status()), strength_name(run.strength()),
                  run.arguments.report.empty() ? "" : "; report in " + run.arguments.report));
}

}  // namespace sotto::cli
