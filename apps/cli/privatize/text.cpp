#include "cli/privatize/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/models.h"
#include "cli/ledger/flags.h"
#include "core/bound_text.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "sotto/error.h"
#include "sotto/setting.h"

namespace sotto::cli {

namespace {

// The same number means another thing by calibration.
std::string epsilon_kind(const Mechanism& mechanism) {
  if (!mechanism.claim.by_certificate) return "nominal";
  return fmt::format("certified, calibration {}", mechanism.parameters.text("calibration"));
}

void say_promise(const api::ReleaseAnswer& promise) {
  const Mechanism& mechanism = promise.mechanism();
  const Model& model = mechanism.space->model();
  const Forecast& expected = promise.facts.expected;
  const bool has_epsilon = mechanism.parameters.has("epsilon");
  say(fmt::format("{}{} on {} words{}", mechanism.info->name,
                  has_epsilon ? fmt::format(" with epsilon {} ({})", number_text(mechanism.claim.epsilon),
                                            epsilon_kind(mechanism))
                              : "",
                  grouped(model.size()), model.origin().name.empty() ? "" : " of " + model.origin().name));
  say("guarantee: " + mechanism.claim.guarantee);
  if (const auto& certificate = promise.facts.certificate) {
    say(fmt::format("certified on this model: epsilon {}; all rounding adds at most {} to the loss of a word",
                    rounded_up(certificate->realised_epsilon), rounded_up(certificate->additive_loss, 2)));
  }
  say(fmt::format("expected: {} of the words (+- {}) stay as they are{}", percent(expected.unchanged),
                  percent(expected.unchanged_margin),
                  has_epsilon
                      ? fmt::format("; epsilon times the median distance to the nearest word is {:.3g}",
                                    expected.scaled_nearest)
                      : ""));
}

// Above this share of unknown tokens a larger model is worth a thought, if the text is no mere example.
constexpr double kManyUnknown = 0.1;
constexpr std::uint64_t kEnoughTokens = 20;

// For the data holder, on standard error only: the share tells of the text. The models are public.
void say_unknown(const api::ReleaseAnswer& answer, double share) {
  const Model& own = answer.mechanism().space->model();
  std::string larger;
  std::size_t words = own.size();
  try {
    for (const api::CachedModel& found : api::list_models(model_place("").cache).models) {
      if (!found.model || found.model->size() <= words) continue;
      words = found.model->size();
      larger = fmt::format("--model {} has {} words", found.name, grouped(words));
    }
  } catch (const Error&) {  // no cache folder, so no models there
  }
  if (larger.empty()) {
    larger = fmt::format(
        "a model with more than {} words would know more of them: `sotto model import` takes the full GloVe "
        "or "
        "fastText files",
        grouped(own.size()));
  }
  say(fmt::format(
      "{} of the tokens are unknown to this model, and stood as \"{}\" before they were privatised; "
      "{}. Keep this share to yourself: it tells of the text",
      percent(share), own.word(answer.privatizer.anchor()), larger));
}

void say_strength(const api::ReleaseAnswer& promise, const PrivatizeArguments& arguments) {
  const std::string share = percent(promise.facts.expected.unchanged);
  if (promise.is_stopped()) {
    say(fmt::format(
        "stopped, nothing was written: {} of the words would stay as they are, which hides next to "
        "nothing; try {}, or go on with --allow-weak",
        share, setting_to_try(promise.mechanism(), {.threads = arguments.threads})));
  } else if (promise.strength() == Strength::none) {
    say(fmt::format(
        "warning: strength none: {} of the words are expected to stay as they are, which hides next "
        "to nothing",
        share));
  } else if (promise.strength() == Strength::weak) {
    say("warning: weak: most words are expected to stay as they are; a smaller --epsilon changes more");
  }
}

}  // namespace

void announce(const api::ReleaseAnswer& promise, const PrivatizeArguments& arguments) {
  if (!arguments.quiet) say_promise(promise);
  if (const UnknownWords unknown = promise.privatizer.options().unknown; unknown != UnknownWords::anchor) {
    say(fmt::format("warning: not private: --unknown {} shows which words the model does not have{}",
                    unknown_words_name(unknown), unknown == UnknownWords::keep ? ", in clear" : ""));
  }
  if (promise.facts.seeded_not_private) {
    say("warning: not private: whoever knows the seed can undo the noise");
  }
  if (const Claim& claim = promise.mechanism().claim; claim.status != Status::proven) {
    say(fmt::format("warning: the status of this mechanism is {}: {}", status_name(claim.status),
                    claim.caveat));
  }
  say_strength(promise, arguments);
}

void summarise(const api::ReleaseAnswer& answer, const PrivatizeArguments& arguments) {
  const TextCounts& counts = answer.facts.counts;
  if (counts.layout.short_rows > 0) {
    say(fmt::format(
        "warning: {} with fewer cells than the first row passed; cells outside the chosen columns "
        "are in clear, also if such a row is a part of a text",
        counted(counts.layout.short_rows, "row")));
  }
  if (counts.layout.missing_fields > 0) {
    say(fmt::format("warning: {} without text at a chosen field passed in clear",
                    counted(counts.layout.missing_fields, "record")));
  }
  if (arguments.quiet) return;
  const double tokens = static_cast<double>(counts.tokens);
  const double unknown = tokens > 0 ? static_cast<double>(counts.unknown_tokens) / tokens : 0;
  say(fmt::format("{}, {} ({} unknown) in {:.1f} s ({} tokens/s)", counted(counts.documents, "document"),
                  counted(counts.tokens, "token"), percent(unknown), answer.seconds,
                  grouped(static_cast<std::uint64_t>(tokens / std::max(answer.seconds, 1e-3)))));
  if (unknown > kManyUnknown && counts.tokens >= kEnoughTokens) say_unknown(answer, unknown);
  const std::uint64_t earlier = answer.facts.finished_earlier;
  if (answer.files + earlier > 1) {
    say(fmt::format("{} done, {} finished earlier", counted(answer.files, "file"), grouped(earlier)));
  }
  say_spent(answer.spent);
  say(fmt::format(
      "strength: {}; status: {}{}", strength_name(answer.strength()),
      answer.status() == Status::proven ? "proven (the formula is right)" : status_name(answer.status()),
      arguments.reports.empty() ? "" : fmt::format("; report in {}", fmt::join(arguments.reports, ", "))));
}

}  // namespace sotto::cli
