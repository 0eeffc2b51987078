#include "sotto/release.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "api/attack_result.h"
#include "api/ledger.h"
#include "api/release_debits.h"
#include "core/parallel.h"
#include "core/sha256.h"
#include "core/utc_time.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"
#include "sotto/rng.h"
#include "text/format.h"
#include "text/pipeline.h"
#include "text/words.h"

namespace sotto::api {

namespace {

constexpr unsigned kStreamBits = 40;  // 2^40 chunks of 256 kB for one file

// Appends what is not there yet.
void add_new(const std::vector<std::string>& more, std::vector<std::string>& all) {
  for (const std::string& text : more) {
    if (std::ranges::find(all, text) == all.end()) all.push_back(text);
  }
}

void note_format(const Format& format, const FormatInfo& info, const ReadingOptions& reading,
                 ReleaseFacts& facts) {
  const std::string name(info.name);
  if (facts.format.find(name) == std::string::npos) facts.format += (facts.format.empty() ? "" : ", ") + name;
  add_new(format.passed_through(), facts.passed_through);
  add_new(format.passed_names(), facts.passed_names);
  add_new(format.allowed_leaks(), facts.allowed_leaks);
  for (const ReleaseSetting& setting : reading.settings(info)) {
    if (std::ranges::find(facts.settings, setting.name, &ReleaseSetting::name) == facts.settings.end()) {
      facts.settings.push_back(setting);
    }
  }
}

// Ends of the blocks that texts are cut into: enough for any number of cores, large since batches draw
// faster, but no larger than the slowest mechanism does in half a second, because a call stops between
// blocks. They depend on the texts alone, as each block has a random stream of its own.
std::vector<std::size_t> block_ends(std::span<const std::string_view> texts) {
  std::size_t bytes = 0;
  for (const std::string_view text : texts) bytes += text.size();
  const std::size_t target =
      std::clamp<std::size_t>(bytes / 64, std::size_t{16} << 10, std::size_t{128} << 10);
  std::vector<std::size_t> ends;
  std::size_t size = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    size += texts[i].size();
    if (size < target && i + 1 < texts.size()) continue;
    ends.push_back(i + 1);
    size = 0;
  }
  return ends;
}

// The same request gives the same report: what a cache holds decides how long it takes, never what is said.
std::optional<Certificate> certificate_for_report(const ReleaseRequest& request, const Work& work) {
  CertifiedMechanism built = request.built;
  if (built.mechanism.claim.by_certificate) return built.certificate;
  if (!request.certify) return std::nullopt;
  add_certificate(built, work.at("certifying"));
  if (built.certificate) return built.certificate;
  throw Error(ErrorCode::usage,
              fmt::format("`certify`: no certificate of {} can be computed on this model. A certificate "
                          "needs a law in closed "
                          "form and, except for tem and hyperbolic, at most {} words; leave `certify` out",
                          built.mechanism.info->name, kGeneralLimit));
}

}  // namespace

Status ReleaseAnswer::status() const {
  return ReleaseConditions{.unknown = privatizer.options().unknown,
                           .seeded_not_private = facts.seeded_not_private}
      .status(mechanism().claim);
}

std::string ReleaseAnswer::report(ReportDetail detail) const {
  return release_report(privatizer, facts, detail);
}

Json to_json(const ReleaseAnswer& answer) {
  const Mechanism& mechanism = answer.mechanism();
  const ReleaseFacts& facts = answer.facts;
  const TextCounts& counts = facts.counts;
  Json json = start_answer("sotto.privatize/1");
  json["mechanism"] = mechanism.info->name;
  json["parameters"] = mechanism.parameters.texts();
  json["metric"] = metric_name(mechanism.space->metric());
  json["nominal_epsilon"] = mechanism.claim.epsilon;
  json["certified_epsilon"] = facts.certificate ? Json(facts.certificate->realised_epsilon) : Json(nullptr);
  json["additive_loss"] = facts.certificate ? Json(facts.certificate->additive_loss) : Json(nullptr);
  json["status"] = status_name(answer.status());
  json["strength"] = strength_name(answer.strength());
  json["guarantee"] = mechanism.claim.guarantee;
  json["model"] = model_json(mechanism.space->model());
  json["expected_unchanged"] = {{"share", facts.expected.unchanged},
                                {"margin95", facts.expected.unchanged_margin}};
  json["epsilon_times_median_nearest_distance"] = facts.expected.scaled_nearest;
  json["files"] = {{"done", answer.files}, {"finished_earlier", facts.finished_earlier}};
  json["counts"] = {
      {"documents", counts.documents},           {"tokens", counts.tokens},
      {"unknown_tokens", counts.unknown_tokens}, {"longest_document", counts.longest_document},
      {"longest_record", counts.longest_record}, {"empty_lines", counts.layout.empty_lines},
      {"short_rows", counts.layout.short_rows},  {"missing_fields", counts.layout.missing_fields}};
  json["passed_through"] = facts.passed_through;
  json["released"] = released_json(facts.released);
  json["spent"] = balances_json(answer.spent);
  json["seconds"] = answer.seconds;
  json["report"] = answer.report_path.empty() ? Json(nullptr) : Json(answer.report_path);
  return json;
}

Json released_json(const std::optional<std::vector<ReleasedFile>>& released) {
  Json files = Json::array();
  for (const ReleasedFile& file : released.value_or(std::vector<ReleasedFile>())) {
    files.push_back({{"name", file.name}, {"sha256", file.sha256}});
  }
  return files;
}

Release::Release(ReleaseRequest request)
    : request_(std::move(request)),
      answer_{.privatizer = Privatizer(request_.built.mechanism, request_.texts),
              .facts = {.seeded_not_private = request_.seed_not_private.has_value()},
              .allow_weak = request_.allow_weak} {
  const Mechanism& mechanism = answer_.mechanism();
  if (request_.attack_result) answer_.facts.attack = read_attack_result(*request_.attack_result, mechanism);
  if (!request_.ledger) return;
  debits_ =
      std::make_shared<ReleaseDebits>(*request_.ledger, mechanism, answer_.status(), word_scope(mechanism));
}

void Release::expect(const Forecast& expected) {
  const std::scoped_lock lock(mutex_);
  answer_.facts.expected = expected;
  has_forecast_ = true;
}

ReleaseAnswer Release::promise(const Work& work) {
  const std::scoped_lock one_at_a_time(promise_mutex_);
  const auto is_missing = [&](const bool& known) {
    const std::scoped_lock lock(mutex_);
    return !known;
  };
  if (is_missing(has_forecast_)) expect(forecast(request_.built.mechanism, {.threads = work.threads}));
  if (is_missing(has_certificate_)) {
    std::optional<Certificate> found = certificate_for_report(request_, work);
    const std::scoped_lock lock(mutex_);
    answer_.facts.certificate = std::move(found);
    has_certificate_ = true;
  }
  return answer();
}

ReleaseAnswer Release::answer() const {
  const std::scoped_lock lock(mutex_);
  return answer_;
}

PrivateTexts Release::texts(std::span<const std::string_view> given, const Work& work,
                            std::span<const std::size_t> numbers, const TextsAccounts& accounts) {
  const bool names_accounts = !accounts.subject.empty() || !accounts.documents.empty();
  if (names_accounts && !debits_) throw Error(ErrorCode::usage, "`subject` and `document` need a `ledger`");
  if (!accounts.documents.empty() && accounts.documents.size() != given.size()) {
    throw Error(ErrorCode::usage, fmt::format("{} texts need as many documents; got {}", given.size(),
                                              accounts.documents.size()));
  }
  const std::vector<std::size_t> ends = block_ends(given);
  const std::uint64_t first_stream = [&] {
    const std::scoped_lock lock(mutex_);
    return std::exchange(next_stream_, next_stream_ + ends.size());
  }();
  const RandomSource random = RandomSource::fresh_or_seeded_not_private(request_.seed_not_private);
  PrivateTexts out{.texts = std::vector<std::string>(given.size()), .counts = {}};
  std::vector<TextCounts> counts(ends.size());
  parallel_blocks(ends.size(), 1, work.threads, [&](std::size_t block, std::size_t /*end*/) {
    const std::size_t begin = block == 0 ? 0 : ends[block - 1];
    Rng rng = random.stream(first_stream + block);
    std::vector<std::string> released;
    try {
      answer_.privatizer.privatize(given.subspan(begin, ends[block] - begin), rng, released, counts[block]);
    } catch (const BadDocument& bad) {
      const std::size_t place = begin + bad.document();
      throw Error(bad.code(), fmt::format("text {} (counted from 0): {}",
                                          numbers.empty() ? place : numbers[place], bad.what()));
    }
    std::ranges::move(released, out.texts.begin() + static_cast<std::ptrdiff_t>(begin));
  });
  for (const TextCounts& own : counts) out.counts.add(own);
  // Drawn, then debited, then given away.
  std::vector<Balance> spent;
  if (debits_ && !given.empty())
    spent = debits_->texts(out.counts.tokens, accounts.documents, accounts.subject);
  const std::scoped_lock lock(mutex_);
  if (debits_) answer_.spent = std::move(spent);
  answer_.facts.counts.add(out.counts);
  answer_.facts.released_at = utc_now();
  return out;
}

void Release::stream(ByteSource& source, ByteSink& sink, const FormatInfo& info, const Work& work,
                     const ReleaseHooks& hooks, std::uint64_t first_stream) {
  const auto started = std::chrono::steady_clock::now();
  if (answer_.facts.released_at.empty()) answer_.facts.released_at = utc_now();
  const std::unique_ptr<Format> format = info.make(request_.reading);
  const auto tell_once = [&] {
    if (std::exchange(is_told_, true)) return;
    if (hooks.on_start) hooks.on_start();
    if (!hooks.on_notice) return;
    for (const std::string& notice : format->notices()) hooks.on_notice(notice);
  };
  StreamOptions options;
  options.threads = work.threads;
  options.first_stream = first_stream;
  options.on_progress = hooks.on_progress;
  const bool holds_back = sink.holds_back();
  const auto note = [&](std::vector<Balance> spent) {
    const std::scoped_lock lock(mutex_);
    if (!spent.empty()) answer_.spent = std::move(spent);
  };
  if (debits_) debits_->check();
  bool is_first = true;
  options.before_write = [&](const TextCounts& chunk) {
    tell_once();
    if (debits_ && !holds_back) note(debits_->part(chunk.tokens, std::exchange(is_first, false)));
  };
  const TextCounts counts =
      privatize_stream(source, sink, *format, answer_.privatizer,
                       RandomSource::fresh_or_seeded_not_private(request_.seed_not_private), options);
  if (debits_ && holds_back) note(debits_->all_at_once(counts.tokens));
  tell_once();
  answer_.facts.counts.add(counts);
  note_format(*format, info, request_.reading, answer_.facts);
  answer_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

std::unique_ptr<ByteSink> Release::file(const ReleaseFile& file, const Work& work,
                                        const ReleaseHooks& hooks) {
  const std::unique_ptr<ByteSource> source = open_source(file.input);
  Sha256 hash;
  std::unique_ptr<ByteSink> sink = open_sink(file.output, file.overwrite, &hash);
  stream(*source, *sink, *file.format, work, hooks, file.number << kStreamBits);
  sink->close();
  if (!answer_.facts.released) answer_.facts.released.emplace();
  answer_.facts.released->push_back(
      {.name = file.output.filename().string(), .sha256 = hex_text(hash.digest())});
  ++answer_.files;
  return sink;
}

void Release::skip_file() {
  ++answer_.facts.finished_earlier;
}

ReleaseAnswer release_stream(ByteSource& source, ByteSink& sink, const ReleaseRequest& request,
                             const Work& work) {
  Release release(request);
  const FormatInfo& format = request.reading.format_of("-");
  if (!release.promise(work).is_stopped()) release.stream(source, sink, format, work);
  return release.answer();
}

TextsAnswer release_texts(std::span<const std::string_view> texts, const ReleaseRequest& request,
                          const Work& work) {
  Release release(request);
  PrivateTexts released;
  if (!release.promise(work).is_stopped()) released = release.texts(texts, work);
  return {.texts = std::move(released.texts), .release = release.answer()};
}

}  // namespace sotto::api
