#include "privatizer.h"

#include "texts.h"
#include "watch.h"

namespace sotto::python {

namespace {

constexpr std::size_t kInlineBytes = std::size_t{16} << 10;  // less is done before a thread has started

}  // namespace

std::pair<nb::list, TextCounts> privatize(Core& core, nb::handle given) {
  const Texts texts(given);
  const auto release = [&](const Work& work) {
    return core.release.texts(texts.views(), work, texts.places());
  };
  PrivateTexts released;
  if (texts.bytes() <= kInlineBytes) {
    const nb::gil_scoped_release without_lock;
    released = release({.threads = 1});
  } else {
    Watch watch(nb::bool_(false));
    released = watch.run(core.threads, release);
  }
  return {texts.list_of(released.texts), released.counts};
}

std::string report(Core& core, const ReportRequest& request) {
  Built& built = nb::cast<Built&>(core.built);
  core.release.expect(forecast_of(built));
  Watch watch(nb::bool_(false));
  api::ReleaseAnswer answer =
      watch.run(built.threads, [&](const Work& work) { return core.release.promise(work); });
  if (request.counts) answer.facts.counts = *request.counts;
  if (request.released_at) answer.facts.released_at = *request.released_at;
  return answer.report(request.detail);
}

}  // namespace sotto::python
