#include "privatizer.h"

#include <fmt/format.h>

#include <vector>

#include "core/parallel.h"
#include "core/utc_time.h"
#include "sotto/error.h"
#include "text/words.h"
#include "texts.h"
#include "watch.h"

namespace sotto::python {

namespace {

constexpr std::size_t kInlineBytes = std::size_t{16} << 10;  // less is done before a thread has started

// A mechanism may have been certified before: that must not change what a report says.
std::optional<Certificate> certificate_for_report(const Core& core, const Built& built) {
  if (built.mechanism().claim.by_certificate) return built.certified.certificate;
  if (!core.certify) return std::nullopt;
  Watch watch(nb::bool_(false));
  CertifiedMechanism certified{.mechanism = built.mechanism()};
  watch.run(built.threads, [&](const Work& work) { add_certificate(certified, work); });
  if (certified.certificate) return certified.certificate;
  throw Error(ErrorCode::usage,
              fmt::format("certify=True: no certificate of {} can be computed on this model",
                          built.mechanism().info->name));
}

}  // namespace

std::pair<nb::list, TextCounts> privatize(Core& core, nb::handle given) {
  const Texts texts(given);
  std::vector<std::vector<std::string>> released(texts.blocks());
  std::vector<TextCounts> counts(texts.blocks());
  const std::uint64_t first_stream = core.next_stream;
  core.next_stream += texts.blocks();
  Watch watch(nb::bool_(false));
  const auto work_on = [&](const Work& work) {
    const RandomSource random = random_of(core.seed);
    parallel_blocks(texts.blocks(), 1, work.threads, [&](std::size_t block, std::size_t /*end*/) {
      Rng rng = random.stream(first_stream + block);
      try {
        core.privatizer.privatize(texts.block(block), rng, released[block], counts[block]);
      } catch (const BadDocument& bad) {
        throw Error(bad.code(), fmt::format("text {} (counted from 0): {}",
                                            texts.place(texts.begin(block) + bad.document()), bad.what()));
      }
    });
  };
  if (texts.bytes() <= kInlineBytes) {
    const nb::gil_scoped_release without_lock;
    work_on({.threads = 1});
  } else {
    watch.run(core.threads, work_on);
  }
  TextCounts sums;
  for (const TextCounts& own : counts) sums.add(own);
  core.total.add(sums);
  core.released_at = utc_now();
  return {texts.list_of(released), sums};
}

std::string report(Core& core, const ReportRequest& request) {
  Built& built = nb::cast<Built&>(core.built);
  const Forecast& expected = forecast_of(built);
  ReleaseFacts facts{.counts = request.counts, .certificate = certificate_for_report(core, built)};
  facts.released_at = request.released_at;
  facts.expected_unchanged = expected.unchanged;
  facts.expected_unchanged_margin = expected.unchanged_margin;
  facts.scaled_nearest_distance = expected.scaled_nearest;
  facts.seeded_not_private = core.seed.has_value();
  return release_report(core.privatizer, facts, request.detail);
}

}  // namespace sotto::python
