#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/answer.h"
#include "sotto/byte_stream.h"
#include "sotto/certificate.h"
#include "sotto/ledger.h"
#include "sotto/privatizer.h"
#include "sotto/reading.h"
#include "sotto/report.h"

namespace sotto {
class ByteSink;
class ByteSource;
struct Progress;
}  // namespace sotto

// "Release these texts": from memory, from a stream or from files. A release first says what it promises,
// which is computed from public data alone, and then reads private texts.
namespace sotto::api {

struct ReleaseRequest {
  CertifiedMechanism built;  // of build_mechanism()
  PrivatizerOptions texts = {};
  ReadingOptions reading = {};                         // of streams and files
  std::optional<std::uint64_t> seed_not_private = {};  // for tests: whoever knows the seed can undo the noise
  bool certify = false;     // the report gets the certificate, computed if it is missing
  bool allow_weak = false;  // release even if nearly all words are expected to stay as they are
  // Debits every release before it appears. Needs a mechanism with an epsilon and status `proven`: nothing
  // else can be counted.
  std::optional<LedgerUse> ledger = {};
  // What `attack --json` printed for the same model, mechanism and parameters: its errors go into the data
  // holder's report, never into the public one.
  std::optional<std::string> attack_result = {};
};

// What is promised, and what was released so far.
struct ReleaseAnswer {
  Privatizer privatizer;
  ReleaseFacts facts = {};
  bool allow_weak = false;
  std::uint64_t files = 0;          // released by this run
  double seconds = 0;               // spent on streams and files
  std::string report_path = {};     // set by a front end that writes the report to a file
  std::vector<Balance> spent = {};  // of the accounts of the last debit; empty: nothing was debited

  [[nodiscard]] const Mechanism& mechanism() const { return privatizer.mechanism(); }
  // Of this release: the mechanism's, or not_private if the release shows more than the mechanism does.
  [[nodiscard]] Status status() const;
  [[nodiscard]] Strength strength() const { return strength_of(facts.expected.unchanged); }
  // Nearly all words are expected to stay as they are, and nobody allowed that: nothing may be released.
  [[nodiscard]] bool is_stopped() const { return strength() == Strength::none && !allow_weak; }
  [[nodiscard]] std::string report(ReportDetail detail) const;
};
Json to_json(const ReleaseAnswer& answer);
Json released_json(const std::optional<std::vector<ReleasedFile>>& released);  // its `released`

// For a person who waits. All may be empty; they are called by the calling thread.
struct ReleaseHooks {
  // Once for a release, before on_notice: the first input can be read, and its columns or fields are there.
  std::function<void()> on_start = {};
  std::function<void(const std::string&)> on_notice = {};  // once for a release: what passes in clear
  std::function<void(const Progress&)> on_progress = {};
};

struct ReleaseFile {
  std::filesystem::path input;         // "-": standard input
  std::filesystem::path output;        // "-": standard output
  const FormatInfo* format = nullptr;  // ReadingOptions::format_of(input)
  std::uint64_t number = 0;            // among the files of a run: random streams of two files never meet
  Overwrite overwrite = Overwrite::refuse;
};

// Whose texts those of one call are, if a ledger counts them.
struct TextsAccounts {
  std::string subject = {};                 // empty: that of the request
  std::vector<std::string> documents = {};  // one for each text; none: the document of the request
};

class ReleaseDebits;

// A release in progress. Several threads may call promise(), answer() and texts() at a time.
class Release {
 public:
  // Throws Error(usage) if the options do not fit the model, Error(bad_data) if the attack result does not.
  explicit Release(ReleaseRequest request);

  // The forecast and the certificate, computed by the first call. Throws Error(usage) if a certificate was
  // asked for and cannot be computed.
  ReleaseAnswer promise(const Work& work);
  // The forecast, if it is known already.
  void expect(const Forecast& expected);
  // As far as it has come: without promise() the forecast and the certificate are missing.
  [[nodiscard]] ReleaseAnswer answer() const;

  // Every text is a document. Throws Error(bad_data) with the number of a text that is no UTF-8: its own of
  // `numbers`, or, if there are none, its place counted from 0.
  // With a ledger the call is one debit, of which all texts succeed or none does.
  PrivateTexts texts(std::span<const std::string_view> given, const Work& work,
                     std::span<const std::size_t> numbers = {}, const TextsAccounts& accounts = {});
  // Does not call sink.finish(): the caller decides that all is well. The i-th chunk uses random stream
  // first_stream + i. With a ledger: if the sink holds everything back, one debit at the end; else each chunk
  // is debited before it is written, the document with the first one.
  void stream(ByteSource& source, ByteSink& sink, const FormatInfo& format, const Work& work,
              const ReleaseHooks& hooks = {}, std::uint64_t first_stream = 0);
  // The sink is closed, and the caller's to finish.
  std::unique_ptr<ByteSink> file(const ReleaseFile& file, const Work& work, const ReleaseHooks& hooks = {});
  // A file that an earlier run released.
  void skip_file();

 private:
  const ReleaseRequest request_;
  std::shared_ptr<const ReleaseDebits> debits_;  // null: no ledger
  std::mutex promise_mutex_;                     // one promise() at a time
  mutable std::mutex mutex_;                     // of what is below; the privatizer never changes
  ReleaseAnswer answer_;
  bool has_forecast_ = false;
  bool has_certificate_ = false;
  std::uint64_t next_stream_ = 0;  // of texts(): with a seed, no two calls get the same noise
  bool is_told_ = false;           // hooks.on_notice was called
};

// A whole release of one stream, or of texts in memory. If the answer is_stopped(), nothing was read or
// written.
ReleaseAnswer release_stream(ByteSource& source, ByteSink& sink, const ReleaseRequest& request,
                             const Work& work = {});
struct TextsAnswer {
  std::vector<std::string> texts;
  ReleaseAnswer release;
};
TextsAnswer release_texts(std::span<const std::string_view> texts, const ReleaseRequest& request,
                          const Work& work = {});

}  // namespace sotto::api
