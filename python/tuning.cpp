#include "tuning.h"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "api/tune.h"
#include "questions.h"
#include "sotto/error.h"
#include "texts.h"
#include "watch.h"

namespace sotto::python {

using namespace nb::literals;

namespace {

// Shared, because the engine copies it in a thread that does not hold the GIL; the call holds it longest.
using Function = std::shared_ptr<const nb::object>;

// Calls the user's function from the engine's thread.
template <typename Argument>
double judged(const Function& function, const Argument& argument) {
  const nb::gil_scoped_acquire held;
  const nb::object returned = (*function)(argument());
  const double value = PyFloat_AsDouble(returned.ptr());
  if (value != -1 || PyErr_Occurred() == nullptr) return value;
  PyErr_Clear();
  throw nb::type_error(fmt::format("the function of loss must return a number from 0 to 1, not {}",
                                   Py_TYPE(returned.ptr())->tp_name)
                           .c_str());
}

ReadingTexts reading_of(nb::handle given) {
  ReadingTexts out;
  if (PyMapping_Check(given.ptr()) == 0 || !nb::hasattr(given, "items")) {
    throw nb::type_error(fmt::format("reading: a mapping is expected, such as {{'column': 'text'}}, not {}",
                                     Py_TYPE(given.ptr())->tp_name)
                             .c_str());
  }
  const auto text = [](nb::handle one) {
    if (PyUnicode_Check(one.ptr()) != 0) return std::string(view_of(one, "reading"));
    throw nb::type_error(
        fmt::format("reading: str is expected, not {}", Py_TYPE(one.ptr())->tp_name).c_str());
  };
  for (nb::handle item : nb::iter(given.attr("items")())) {
    std::vector<std::string>& values = out[text(item[0])];
    if (PyUnicode_Check(item[1].ptr()) != 0) {
      values.push_back(text(item[1]));
    } else {
      for (nb::handle value : nb::iter(item[1])) values.push_back(text(value));
    }
  }
  return out;
}

struct TaskGiven {
  nb::object loss;
  std::filesystem::path input;
  nb::handle texts;
  nb::handle reading;
  double timeout = 0;
  bool allow_weak = false;
};

void choose_loss(api::TuneRequest& request, const TaskGiven& given) {
  const bool is_text = PyUnicode_Check(given.loss.ptr()) != 0;
  if (!is_text && PyCallable_Check(given.loss.ptr()) == 0) {
    throw nb::type_error(
        fmt::format("loss: a str or a function is expected, not {}", Py_TYPE(given.loss.ptr())->tp_name)
            .c_str());
  }
  if (!(given.timeout > 0) || std::isinf(given.timeout)) {
    throw Error(ErrorCode::usage, "`loss-timeout` must be above 0 seconds, and finite");
  }
  api::TaskRequest task{
      .reading = reading_of(given.reading),
      .patience = std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(given.timeout * 1000))),
      .folder = nb::cast<std::string>(nb::module_::import_("tempfile").attr("gettempdir")()),
      .allow_weak = given.allow_weak};
  if (given.texts.is_none()) {
    task.input = given.input;
  } else {
    task.input = texts_of(given.texts, "`texts` takes");
  }
  const auto function = std::make_shared<const nb::object>(given.loss);
  if (is_text) {
    OutsideProgram program;
    for (char** entry = environ; *entry != nullptr; ++entry) program.environment.emplace_back(*entry);
    task.judge = std::move(program);
  } else if (given.texts.is_none()) {
    task.judge = [function](const std::filesystem::path& path) {
      return judged(function, [&] { return nb::str(path.c_str()); });
    };
  } else {
    task.judge = [function](const std::vector<std::string>& texts) {
      return judged(function, [&] {
        nb::list list;
        for (const std::string& text : texts) list.append(str_of(text));
        return list;
      });
    };
  }
  api::choose_loss(request, is_text ? nb::cast<std::string>(given.loss) : "", std::move(task));
}

nb::object tune_model(const Vocabulary& vocabulary, std::optional<double> max_loss,
                      std::optional<double> min_inference_error, std::optional<double> max_certified_epsilon,
                      nb::handle prior, nb::handle words, nb::handle labels, nb::object loss,
                      const std::filesystem::path& input, nb::handle texts, nb::handle reading,
                      double loss_timeout, bool allow_weak, const std::string& algorithm,
                      double first_epsilon, bool exclude_input, const std::vector<std::string>& mechanisms,
                      const std::vector<std::string>& calibrations, nb::handle candidates, std::size_t draws,
                      const Seed& seed, const std::filesystem::path& resume, unsigned threads,
                      nb::object progress) {
  api::TuneRequest request;
  request.model = vocabulary.model;
  request.adversary = adversary_of(prior, words, labels);
  choose_loss(request, {.loss = std::move(loss),
                        .input = input,
                        .texts = texts,
                        .reading = reading,
                        .timeout = loss_timeout,
                        .allow_weak = allow_weak});
  request.constraints = {.max_loss = max_loss,
                         .min_inference_error = min_inference_error,
                         .max_certified_epsilon = max_certified_epsilon};
  request.algorithm = api::parse_algorithm(algorithm);
  request.first_epsilon = first_epsilon;
  request.exclude_input = exclude_input;
  request.scope = {.mechanisms = mechanisms, .calibrations = calibrations};
  auto& settings = request.candidates.emplace<std::vector<Candidate>>();
  for (nb::handle one : nb::iter(candidates)) {
    settings.push_back({.mechanism = nb::cast<std::string>(one[0]), .parameters = parameter_texts(one[1])});
  }
  request.draws = draws;
  request.seed = seed;
  request.resume = resume;
  Watch watch(std::move(progress));
  return answer_of(
      "TuneAnswer",
      to_json(watch.run(threads, [&](const Work& work) { return api::tune(request, work.at("tuning")); })));
}

}  // namespace

void bind_tuning(nb::module_& m) {
  m.def(
      "tune", &tune_model, "model"_a, nb::kw_only(), "max_loss"_a = nb::none(),
      "min_inference_error"_a = nb::none(), "max_certified_epsilon"_a = nb::none(), "prior"_a = nb::none(),
      "words"_a = nb::none(), "labels"_a = nb::none(), "loss"_a = "", "input"_a = "", "texts"_a = nb::none(),
      "reading"_a = nb::dict(), "loss_timeout"_a = 600.0, "allow_weak"_a = false, "algorithm"_a = "frontier",
      "first_epsilon"_a = 1.0, "exclude_input"_a = false, "mechanisms"_a = nb::make_tuple(),
      "calibrations"_a = nb::make_tuple("paper"), "candidates"_a = nb::make_tuple(), "draws"_a = 0,
      "seed"_a = nb::none(), "resume"_a = "", "threads"_a = 0, "progress"_a = nb::none(),
      nb::sig(
          "def tune(model: Model, *, max_loss: float | None = None, min_inference_error: float | None = "
          "None, max_certified_epsilon: float | None = None, prior: Prior = None, words: Iterable[str] | "
          "None = None, labels: Labels = None, loss: Loss = '', input: str | os.PathLike[str] = '', texts: "
          "Iterable[str] | None = None, reading: Reading = {}, loss_timeout: float = 600, allow_weak: bool = "
          "False, algorithm: str = 'frontier', first_epsilon: float = 1, exclude_input: bool = False, "
          "mechanisms: Sequence[str] = (), calibrations: Sequence[str] = ('paper',), candidates: "
          "Iterable[tuple[str, Mapping[str, Parameter]]] = (), draws: int = 0, seed: int | None = None, "
          "resume: str | os.PathLike[str] = '', threads: int = 0, progress: Progress = None) -> TuneAnswer"),
      "Which mechanism at which epsilon serves best within the bounds (docs/tune.md). candidates: exactly "
      "these settings, each a name and its parameters; else all proven mechanisms, or `mechanisms`. loss: a "
      "name; a function that gets the private `texts` as a list, or the path of a private copy of the file "
      "`input`, and returns what is lost, from 0 to 1; or 'command:PROGRAM', a program that prints it. "
      "algorithm: 'paper' is Algorithm 2 of vickrey-2021 as printed; `algorithm_notes` says what it lacks. "
      "seed: of the estimates; the copies for a function or a program then use it too, and are not private. "
      "resume: a file that keeps finished settings; it depends on the prior, so treat it as you treat that.");
}

}  // namespace sotto::python
