#include "api/task.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "api/columns.h"
#include "core/descriptor.h"
#include "core/guarded_folder.h"
#include "core/sha256.h"
#include "sotto/byte_stream.h"
#include "sotto/error.h"
#include "sotto/release.h"

namespace sotto::api {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWanted =
    "it must print one number from 0 to 1, such as 0.25, and nothing else, to standard output";

[[noreturn]] void loss_program_failed(const std::string& what) {
  throw Error(ErrorCode::input_output, "the program of `loss` " + what);
}

bool is_share(double value) {
  return value >= 0 && value <= 1;  // false for NaN
}

// The one number that the program printed. The text itself never gets into a message.
double number_of(const std::string& printed) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = printed.find_first_not_of(kSpace);
  if (begin == std::string::npos) loss_program_failed(fmt::format("printed nothing; {}", kWanted));
  const std::string text = printed.substr(begin, printed.find_last_not_of(kSpace) + 1 - begin);
  std::optional<double> value;
  try {
    value = parse_number("`loss`", text, Infinity::refused);
  } catch (const Error&) {
  }
  if (!value) loss_program_failed(fmt::format("printed something else than one number; {}", kWanted));
  if (!is_share(*value))
    loss_program_failed(fmt::format("printed a number that is not from 0 to 1; {}", kWanted));
  return *value;
}

double number_of(const ProgramRun& run, std::chrono::milliseconds patience) {
  constexpr std::string_view kTry =
      "run it by hand on a file of the same kind; what it says is on standard error";
  constexpr int kSignals = 128;
  switch (run.end) {
    case ProgramRun::End::too_slow:
      loss_program_failed(
          fmt::format("took longer than {} seconds and was ended; make it faster, or give a larger "
                      "`loss-timeout`",
                      number_text(std::chrono::duration<double>(patience).count())));
    case ProgramRun::End::too_much:
      loss_program_failed(
          fmt::format("printed more than {} bytes and was ended; {}", kLongestAnswer, kWanted));
    case ProgramRun::End::finished:
      break;
  }
  if (run.status == kCommandNotFound) {
    loss_program_failed(
        "is not found by the shell (exit status 127); check the command's spelling and the path");
  }
  if (run.status > kSignals)
    loss_program_failed(fmt::format("was ended by signal {}; {}", run.status - kSignals, kTry));
  if (run.status != 0) loss_program_failed(fmt::format("failed with exit status {}; {}", run.status, kTry));
  return number_of(run.output);
}

double checked(double value) {
  if (is_share(value)) return value;
  throw Error(ErrorCode::usage,
              "the function of `loss` returned a number that is not from 0 to 1; return what the copy loses, "
              "such as 1 - accuracy");
}

// A new file of the user alone, mode 0600 from its first byte on.
class CopySink final : public ByteSink {
 public:
  explicit CopySink(const fs::path& path)
      : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)) {
    if (file_.is_open()) return;
    throw Error(ErrorCode::input_output,
                fmt::format("cannot write a copy of the text: {}", system_message(errno)));
  }
  void write(std::string_view bytes) override { write_all(file_.get(), bytes, "a copy of the text"); }
  void finish() override {
    if (const int error = file_.close(); error != 0) {
      throw Error(ErrorCode::input_output,
                  fmt::format("cannot write a copy of the text: {}", system_message(error)));
    }
  }

 private:
  Descriptor file_;
};

// What all copies of one search share.
class Task {
 public:
  Task(const TaskRequest& request, std::optional<std::uint64_t> seed)
      : request_(request), reading_(ReadingOptions::parse(request.reading)), seed_(seed) {
    const auto* file = std::get_if<fs::path>(&request_.input);
    if (file == nullptr) return;
    format_ = &reading_.format_of(*file);
    check_columns(*file, reading_);
  }

  [[nodiscard]] double loss(const CertifiedMechanism& built, const Work& work) const {
    Release release({.built = built, .texts = {}, .reading = reading_, .seed_not_private = seed_});
    if (const auto* of_texts = std::get_if<TaskRequest::OfTexts>(&request_.judge)) {
      const auto& texts = std::get<std::vector<std::string>>(request_.input);
      const std::vector<std::string_view> views(texts.begin(), texts.end());
      return checked((*of_texts)(release.texts(views, {.threads = work.threads}).texts));
    }
    const auto& input = std::get<fs::path>(request_.input);
    GuardedFolder folder(request_.folder);
    const fs::path copy = folder.path() / ("private" + extension_of(input));
    {
      const auto source = open_source(input);
      CopySink sink(copy);
      release.stream(*source, sink, *format_, {.threads = work.threads});
      sink.finish();
    }
    if (const auto* of_file = std::get_if<TaskRequest::OfFile>(&request_.judge)) {
      return checked((*of_file)(copy));
    }
    OutsideProgram program = std::get<OutsideProgram>(request_.judge);
    program.command += " \"$@\"";
    program.arguments = {copy.string()};
    const ProgramRun run = run_outside_program(program, {.patience = request_.patience},
                                               [&](pid_t group) { folder.also_end(group); });
    folder.also_end(0);
    return number_of(run, request_.patience);
  }

  [[nodiscard]] std::string refuses(const CertifiedMechanism& built, const Work& work) const {
    if (request_.allow_weak ||
        strength_of(forecast(built.mechanism, {.threads = work.threads}).unchanged) != Strength::none) {
      return "";
    }
    return fmt::format(
        "more than {:.0f}% of the words are expected to stay as they are, so its copy would be nearly the "
        "text "
        "in clear; `allow-weak` makes it all the same",
        100 * kRefusedUnchanged);
  }

  // Of what a program judges. A function has no name by which another run would know it.
  [[nodiscard]] std::string identity() const {
    if (!request_.has_program()) return "";
    Sha256 hash;
    const auto add = [&](const std::string& text) { hash.add(text.data(), text.size()); };
    add(std::get<OutsideProgram>(request_.judge).command + "\n");
    for (const auto& [name, values] : reading_.said()) {
      add(name + "\n");
      for (const std::string& value : values) add(value + "\n");
    }
    add(sha256_of_file(std::get<fs::path>(request_.input)));
    return hex_text(hash.digest());
  }

 private:
  // The copy is never compressed.
  static std::string extension_of(const fs::path& input) {
    const bool is_compressed = compression_of_name(input) != Compression::none;
    return (is_compressed ? input.stem() : input).extension().string();
  }

  TaskRequest request_;
  ReadingOptions reading_;
  std::optional<std::uint64_t> seed_;
  const FormatInfo* format_ = nullptr;
};

}  // namespace

bool TaskRequest::is_asked_for() const {
  const bool has_input = std::visit([](const auto& given) { return !given.empty(); }, input);
  const bool has_function = !has_program();
  return has_input || has_function || allow_weak || patience != kTaskPatience ||
         !ReadingOptions::parse(reading).said().empty();
}

void check(const TaskRequest& request) {
  const bool has_texts = std::holds_alternative<std::vector<std::string>>(request.input);
  const bool wants_texts = std::holds_alternative<TaskRequest::OfTexts>(request.judge);
  if (!has_texts && std::get<fs::path>(request.input).empty()) {
    throw Error(ErrorCode::usage,
                "a downstream task as `loss` needs `input`, the text whose private copy is judged");
  }
  if (!has_texts && std::get<fs::path>(request.input) == "-") {
    throw Error(ErrorCode::usage, "`input` is read once for each setting: give a file, not standard input");
  }
  if (has_texts != wants_texts) {
    throw Error(ErrorCode::usage, "texts need a function as `loss`, a program needs `input`, a file");
  }
  if (request.patience.count() <= 0) throw Error(ErrorCode::usage, "`loss-timeout` must be above 0 seconds");
}

TuneTask make_task(const TaskRequest& request, std::optional<std::uint64_t> seed_not_private) {
  check(request);
  const auto task = std::make_shared<const Task>(request, seed_not_private);
  return {
      .refuses = [task](const CertifiedMechanism& built,
                        const Work& work) { return task->refuses(built, work); },
      .loss = [task](const CertifiedMechanism& built, const Work& work) { return task->loss(built, work); },
      .identity = task->identity()};
}

}  // namespace sotto::api
