// sotto model prepare: neighbourhoods of the most frequent words into the cache.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/commands.h"
#include "neighbours/prepared.h"
#include "shared/answer.h"
#include "shared/console.h"
#include "shared/model_choice.h"
#include "shared/progress_bar.h"

namespace sotto::cli {

int model_prepare(const ModelPrepareArguments& arguments) {
  const std::shared_ptr<const Model> model = Model::open(model_path(arguments.model), cache_folder());
  const auto space = Space::make(model, parse_metric(arguments.metric));
  const std::size_t words = arguments.words == 0 ? model->size() : std::min(arguments.words, model->size());
  const auto started = std::chrono::steady_clock::now();
  ProgressBar bar(is_terminal(Stream::error) && !arguments.quiet ? ProgressBar::Mode::on
                                                                 : ProgressBar::Mode::off);
  bar.start("preparing");
  const auto path =
      prepare_neighbourhoods(space, words, arguments.threads, [&](std::size_t done, std::size_t total) {
        bar.update(Steps{.done = done, .total = total, .unit = "words"});
      });
  bar.clear();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(path, ignored);
  if (arguments.json) {
    Json answer = start_answer("sotto.model-prepare/1");
    answer["words"] = words;
    answer["model_words"] = model->size();
    answer["metric"] = arguments.metric;
    answer["identity"] = model->identity();
    answer["file"] = path.string();
    answer["bytes"] = bytes;
    answer["seconds"] = seconds;
    print_answer(answer);
  } else if (!arguments.quiet) {
    say(fmt::format("{} of {} words prepared ({} metric) in {:.1f} s, {} MB in {}", grouped(words),
                    grouped(model->size()), arguments.metric, seconds, grouped(bytes / 1'000'000),
                    path.string()));
  }
  return kDone;
}

}  // namespace sotto::cli
